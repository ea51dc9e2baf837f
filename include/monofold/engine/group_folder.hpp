#pragma once
/// engine/group_folder: folds groups whose items lie side by side, whatever their keys were.

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "monofold/engine/cpu.hpp"
#include "monofold/engine/detail/raw_array.hpp"
#include "monofold/engine/segments.hpp"
#include "monofold/engine/tree_joiner.hpp"
#include "monofold/fold/at_indices.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/shape/segments.hpp"

namespace monofold::detail {

/// Items that were brought together, and where they lay if somebody asked.
template <class Item>
struct moved_items {
  raw_array<Item> items;
  raw_array<std::int64_t> positions;

  static moved_items of(std::int64_t count, bool with_positions) {
    return {raw_array<Item>(count),
            with_positions ? raw_array<std::int64_t>(count) : raw_array<std::int64_t>()};
  }
};

/// The indices of items that were moved.
struct positions_of {
  const std::int64_t* position;

  std::int64_t operator()(std::int64_t i) const { return position[i]; }
};

/// order      a group has the answer of `reduce` of its items alone
/// cost       one pass; no state outlives its group
/// tested by  tests/api/group_by_test.cpp
template <class Indices, class F, class Item>
class group_folder {
 public:
  using finished = std::remove_cvref_t<decltype(finish_raw(
      std::declval<const F&>(), std::declval<const typename F::state&>()))>;
  static constexpr bool wants_positions = std::is_same_v<Indices, index_in_all>;

  group_folder(int num_threads, const F& f) : num_threads_(num_threads), fold_(f) {}

  /// The answers of all groups, by all threads.
  void fold_all(std::vector<finished>& out, const moved_items<Item>& moved,
                const offset_segments<std::int64_t>& groups) const {
    const auto count = static_cast<std::size_t>(groups.size());
    const contiguous_view<Item> view(moved.items.data(),
                                     count > 0 ? groups.end(groups.size() - 1) : 0);
    const cpu_engine engine{num_threads_};
    const segment_work work = share_segments<Item>(engine, groups, view.size());
    std::vector<result<answer_t<F>>> answers(count);
    with_fold_of(moved, [&](const auto& f) {
      fold_segments<Indices>(engine, f, view, groups, work, [&](std::int64_t g, const auto& one) {
        answers[static_cast<std::size_t>(g)] = one;
      });
    });
    for (const auto& one : answers) add_answer(out, one);
  }

  /// The answers of groups that end at `ends`, by this thread.
  void fold_part(std::vector<finished>& out, const moved_items<Item>& moved,
                 const std::vector<std::int64_t>& ends) const {
    with_fold_of(moved, [&](const auto& f) {
      std::int64_t at = 0;
      for (const std::int64_t end : ends) {
        const Item* const items = moved.items.data() + at;
        const std::int64_t index = wants_positions ? at : 0;
        if (end - at <= most_row_items<Item>) {
          add_answer(out, answer_of_row(f, items, end - at, index));
        } else {
          // The other threads may have nothing else to do: the largest group may hold most items.
          tree_joiner<typename F::state> joiner;
          const contiguous_view<Item> view(items, end - at);
          fold_tiles(cpu_engine{num_threads_}, f, view, 0, index, joiner);
          add_answer(out, finish_state(f, joiner.total(f)));
        }
        at = end;
      }
    });
  }

 private:
  template <class Answer>
  static void add_answer(std::vector<finished>& out, const result<Answer>& one) {
    if constexpr (std::is_same_v<finished, result<Answer>>) {
      out.push_back(one);
    } else {
      out.push_back(*one);
    }
  }

  /// Calls body(fold) with the fold of items that were moved, whose indices may be those of their positions.
  template <class Body>
  void with_fold_of(const moved_items<Item>& moved, const Body& body) const {
    if constexpr (wants_positions) {
      body(at_indices<Item>(fold_, positions_of{moved.positions.data()}));
    } else {
      body(fold_);
    }
  }

  int num_threads_;
  const F& fold_;
};

}  // namespace monofold::detail
