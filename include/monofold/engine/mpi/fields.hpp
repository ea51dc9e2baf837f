#pragma once
/// engine/mpi/fields: how a rank folds the fields that it holds: one after the other, or on several threads.

#include <cstdint>
#include <type_traits>
#include <vector>

#include "monofold/engine/cpu.hpp"
#include "monofold/engine/detail/parallel.hpp"
#include "monofold/fold/exact/sum_words.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/fold/wire.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/shape/view.hpp"

namespace monofold::detail {

/// Less than this in all fields together is folded by one thread: some 20 us of work.
inline constexpr std::int64_t one_thread_bytes = 1 << 18;

/// Calls fold_one(engine, i) for each of several fields: on the engine's threads one field each where there is
/// much to do, else one after the other.
template <class Engine, class FoldOne>
void for_each_field_of(const Engine& engine, std::int64_t num_fields, std::int64_t num_bytes,
                       const FoldOne& fold_one) {
  if constexpr (std::is_same_v<Engine, cpu_engine>) {
    if (num_fields > 1) {
      const int threads = num_bytes < one_thread_bytes ? 1 : engine.num_threads;
      if (num_fields >= 2 * concurrency(threads)) {
        parallel_for(threads, num_fields, [&](std::int64_t i) { fold_one(cpu(1), i); });
        return;
      }
    }
  }
  for (std::int64_t i = 0; i < num_fields; ++i) fold_one(engine, i);
}

/// How many bytes fields have together. Throws where one is none.
template <class View>
std::int64_t checked_bytes(const std::vector<View>& fields) {
  std::int64_t items = 0;
  for (const View& view : fields) {
    if (view.size() < 0) throw error(status::invalid_argument, "negative count");
    if constexpr (contiguous_item_view<View>) {
      if (view.size() > 0 && view.data() == nullptr) {
        throw error(status::invalid_argument, "null items");
      }
    }
    items += view.size();
  }
  return items * static_cast<std::int64_t>(sizeof(typename View::item_type));
}

/// How many words a state has.
template <class F>
std::int64_t words_in(const F& f) {
  std::int64_t count = 0;
  put_wire(f, f.identity(), [&](std::int64_t) { ++count; });
  return count;
}

/// Writes the words of each field, as many for each, into words that are 0.
template <class Engine, class F, class View>
void put_words_of_fields(const Engine& engine, const F& f, const std::vector<View>& fields,
                         std::int64_t* words) {
  const std::int64_t width = words_in(f);
  const auto num_fields = static_cast<std::int64_t>(fields.size());
  // Fields of few items need no state; many in a row, as what is done once costs as much as they do.
  const auto put_few = [&](std::int64_t i, std::int64_t end) {
    if constexpr (!std::is_same_v<Engine, cpu_engine>) return i;  // not for this code to read
    return put_few_fields<F>(fields.data(), i, end, words);
  };
  const auto put = [&](const auto& own, std::int64_t i, std::int64_t end) {
    for (; (i = put_few(i, end)) < end; ++i) {
      const View& field = fields[static_cast<std::size_t>(i)];
      if (field.size() == 0) continue;
      std::int64_t* next = words + i * width;
      put_wire(f, fold_view(own, f, field), [&](std::int64_t word) { *next++ = word; });
    }
  };
  const std::int64_t num_bytes = checked_bytes(fields);
  if (num_bytes < one_thread_bytes) return put(engine, 0, num_fields);
  for_each_field_of(engine, num_fields, num_bytes,
                    [&](const auto& own, std::int64_t i) { put(own, i, i + 1); });
}

}  // namespace monofold::detail
