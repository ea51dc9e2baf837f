#pragma once
/// engine/detail/sorted_entries: words with numbers, sorted by word on some threads.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "monofold/engine/detail/parallel.hpp"
#include "monofold/engine/detail/parts.hpp"
#include "monofold/engine/detail/raw_array.hpp"
#include "monofold/platform/float_format.hpp"

namespace monofold::detail {

struct sorted_entry {
  std::uint64_t word;
  std::int64_t source;
};

/// Sorts entries whose words differ: parts by the leading bits of their range, then each part.
///
/// cost       two passes, and a sort of parts that fit a second-level cache where words are spread evenly
inline void sort_entries(int num_threads, raw_array<sorted_entry>& entries, std::int64_t count) {
  const auto by_word = [](const sorted_entry& a, const sorted_entry& b) { return a.word < b.word; };
  constexpr std::int64_t few = 1 << 14;
  if (count <= few) return std::sort(entries.data(), entries.data() + count, by_word);
  const chunk_list chunks = chunk_list::of(count, num_threads);
  const auto [low, high] = std::minmax_element(entries.data(), entries.data() + count, by_word);
  const std::uint64_t lowest = low->word;
  // Parts of some thousand entries.
  const int part_bits = std::min(11, bit_width_of(static_cast<std::uint64_t>(count)) - 11);
  const int shift = std::max(0, bit_width_of(high->word - lowest) - part_bits);
  const auto part_of = [=](const sorted_entry& e) { return (e.word - lowest) >> shift; };
  part_places places(chunks.num_chunks, std::int64_t{1} << part_bits);
  parallel_for(num_threads, chunks.num_chunks, [&](std::int64_t c) {
    std::int64_t* const counts = places.of_chunk(c);
    for (std::int64_t i = chunks.begin(c); i < chunks.begin(c + 1); ++i)
      ++counts[part_of(entries[i])];
  });
  places.count_up();
  raw_array<sorted_entry> moved(count);
  parallel_for(num_threads, chunks.num_chunks, [&](std::int64_t c) {
    std::int64_t* const next = places.of_chunk(c);
    for (std::int64_t i = chunks.begin(c); i < chunks.begin(c + 1); ++i) {
      moved[next[part_of(entries[i])]++] = entries[i];
    }
  });
  parallel_for(num_threads, places.num_parts(), [&](std::int64_t p) {
    std::sort(moved.data() + places.begin(p), moved.data() + places.end(p), by_word);
  });
  entries = std::move(moved);
}

}  // namespace monofold::detail
