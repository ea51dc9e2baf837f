#pragma once
/// engine/runs: where the runs of equal keys begin.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "monofold/engine/cpu.hpp"
#include "monofold/engine/detail/parts.hpp"
#include "monofold/shape/keys.hpp"

namespace monofold::detail {

/// The first place of each run, and the end of the last one: offsets of segments.
///
/// cost       two passes over the keys, on all threads
/// tested by  tests/api/reduce_by_key_test.cpp
template <class KeyView>
std::vector<std::int64_t> run_offsets(const cpu_engine& engine, const KeyView& keys) {
  const chunk_list chunks = chunk_list::of(keys.size(), engine.num_threads);
  const auto each_begin = [&](std::int64_t chunk, const auto& visit) {
    for (std::int64_t i = chunks.begin(chunk); i < chunks.begin(chunk + 1); ++i) {
      if (i == 0 || !same_key(keys[i - 1], keys[i])) visit(i);
    }
  };
  part_places places(chunks.num_chunks, 1);
  parallel_for(engine.num_threads, chunks.num_chunks, [&](std::int64_t c) {
    std::int64_t count = 0;
    each_begin(c, [&](std::int64_t) { ++count; });
    *places.of_chunk(c) = count;
  });
  places.count_up();
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(places.size(0) + 1));
  parallel_for(engine.num_threads, chunks.num_chunks, [&](std::int64_t c) {
    std::int64_t* next = offsets.data() + *places.of_chunk(c);
    each_begin(c, [&](std::int64_t i) { *next++ = i; });
  });
  offsets.back() = keys.size();
  return offsets;
}

}  // namespace monofold::detail
