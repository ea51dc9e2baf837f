#pragma once
/// engine/group_folds: the answers of groups whose items were brought together.

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
#include "monofold/platform/status.hpp"
#include "monofold/shape/segments.hpp"
#include "monofold/shape/view.hpp"

namespace monofold::detail {

/// Items that were moved, and where they lay if somebody asked.
template <class Item>
struct moved_items {
  raw_array<Item> items;
  raw_array<std::int64_t> positions;
};

/// The indices of items that were moved.
struct positions_of {
  const std::int64_t* position;

  std::int64_t operator()(std::int64_t i) const { return position[i]; }
};

/// Folds groups of moved items, each as an array of its own.
///
/// shape      `answer` is what is handed on, from which `finished` is kept
template <class Indices, class F, class Item>
class group_folds {
 public:
  using item = Item;
  using answer = result<answer_t<F>>;
  using finished = std::remove_cvref_t<decltype(finish_raw(
      std::declval<const F&>(), std::declval<const typename F::state&>()))>;
  static constexpr bool wants_positions = std::is_same_v<Indices, index_in_all>;

  group_folds(const F& f, int num_threads) : fold_(f), num_threads_(num_threads) {}

  /// All items, on all threads: put(group, answer), from any of them.
  template <class Put>
  void fold_all(const moved_items<Item>& moved, std::int64_t count,
                const offset_segments<std::int64_t>& groups, const Put& put) const {
    const contiguous_view<Item> view(moved.items.data(), count);
    const cpu_engine engine{num_threads_};
    const segment_work work = share_segments<Item>(engine, groups, count);
    with_fold_of(
        moved, [&](const auto& f) { fold_segments<Indices>(engine, f, view, groups, work, put); });
  }

  /// Groups that lie one after the other and end at `ends`: add(answer) for each in turn.
  template <class Add>
  void fold_some(const moved_items<Item>& moved, const std::vector<std::int64_t>& ends,
                 const Add& add) const {
    with_fold_of(moved, [&](const auto& f) {
      std::int64_t at = 0;
      for (const std::int64_t end : ends) {
        const Item* const items = moved.items.data() + at;
        const std::int64_t index = wants_positions ? at : 0;
        if (end - at <= most_row_items<Item>) {
          add(answer_of_row(f, items, end - at, index));
        } else {
          // The other threads may have nothing else to do: the largest group may hold most items.
          tree_joiner<typename F::state> joiner;
          const contiguous_view<Item> view(items, end - at);
          fold_tiles(cpu_engine{num_threads_}, f, view, 0, index, joiner);
          add(finish_state(f, joiner.total(f)));
        }
        at = end;
      }
    });
  }

 private:
  /// Calls body(fold) with the fold of items that were moved, whose indices may be those of their positions.
  template <class Body>
  void with_fold_of(const moved_items<Item>& moved, const Body& body) const {
    if constexpr (wants_positions) {
      body(at_indices<Item>(fold_, positions_of{moved.positions.data()}));
    } else {
      body(fold_);
    }
  }

  const F& fold_;
  int num_threads_;
};

}  // namespace monofold::detail
