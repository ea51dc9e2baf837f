#pragma once
/// level/core_answer: the answer of a short row on one CPU thread, without what only long rows need.

#include <cstdint>
#include <tuple>

#include "monofold/fold/all.hpp"
#include "monofold/fold/exact/short_sum.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/level/core.hpp"
#include "monofold/level/core_all.hpp"
#include "monofold/platform/status.hpp"

namespace monofold {

/// Folds a short row, up to a tile of items that are all there are, and finishes.
///
/// order      the bits are those of `row_folder` and `finish_state`
/// cost       exact sums of a few items take no state, which would be most of the work
/// tested by  tests/exact/short_sum_test.cpp
template <class F, class Item>
struct row_answer {
  static result<answer_t<F>> of(const F& f, const Item* items, int count, std::int64_t index) {
    if constexpr (detail::has_short_sum_v<F>) {
      exact_counts counts;
      detail::leading_number sum;
      if (count <= detail::most_short &&
          detail::sum_few<typename F::term>(items, count, counts, sum)) {
        return f.finish_leading(counts, sum);
      }
    }
    return finish_state(f, row_folder<F, Item>::fold(f, items, count, index));
  }
};

namespace detail {

template <class Item, class First, class... Rest>
auto row_answers_of(const fold_list<First, Rest...>& folds, const Item* items, int count,
                    std::int64_t index) -> result<std::tuple<answer_t<First>, answer_t<Rest>...>> {
  const result<answer_t<First>> first =
      row_answer<First, Item>::of(folds.first, items, count, index);
  if constexpr (sizeof...(Rest) == 0) {
    return answers_of<First>(first, std::tuple<>{});
  } else {
    return answers_of<First, Rest...>(first, row_answers_of(folds.rest, items, count, index));
  }
}

}  // namespace detail

template <class Item, class... Folds>
struct row_answer<all_fold<Folds...>, Item> {
  static auto of(const all_fold<Folds...>& f, const Item* items, int count, std::int64_t index) {
    return detail::row_answers_of(f.members, items, count, index);
  }
};

}  // namespace monofold
