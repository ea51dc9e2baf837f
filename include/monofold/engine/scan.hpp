#pragma once
/// engine/scan: folds all beginnings of a view.

#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <vector>

#include "monofold/engine/cpu.hpp"
#include "monofold/engine/scan_pieces.hpp"
#include "monofold/engine/scan_sums.hpp"
#include "monofold/engine/scan_tree.hpp"
#include "monofold/fold/all.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/fold/sum.hpp"

namespace monofold::detail {

/// Beginnings that end at items [first, first + count), from the state of the items before them.
template <class F, class View, class Put>
void scan_states(const F& f, const View& view, std::int64_t first, std::int64_t count,
                 std::optional<typename F::state> own, const Put& put) {
  using item = typename View::item_type;
  for (std::int64_t i = first; i < first + count; ++i) {
    const typename F::state one = f.lift(static_cast<item>(view[i]), i);
    own = own ? f.combine(*own, one) : one;
    put(i, finish_state(f, *own));
  }
}

/// The same of sums of integers, in 64 bits where these hold them.
template <class Item, class View, class Put>
void scan_states(const integer_sum_fold<Item>& f, const View& view, std::int64_t first,
                 std::int64_t count, const std::optional<int128>& before, const Put& put) {
  using sum = integer_answer_t<Item>;
  int128 total = before.value_or(0);
  for (std::int64_t i = first; i < first + count; ++i) {
    sum own = 0, next = 0;
    if (lowest_v<sum> <= total && total <= highest_v<sum>) {
      own = static_cast<sum>(total);
      for (; i < first + count; ++i) {
        const Item item = static_cast<typename View::item_type>(view[i]);
        if (__builtin_add_overflow(own, static_cast<sum>(item), &next)) break;
        own = next;
        put(i, result<sum>(own));
      }
      if (i == first + count) return;
      total = own;
    }
    const Item item = static_cast<typename View::item_type>(view[i]);
    total += item;
    put(i, finish_state(f, total));
  }
}

template <class F, class View, class Put>
void scan_view(const cpu_engine& engine, const F& f, const View& view, const Put& put);

/// Members one after the other, so that each has its own way; their answers are kept and joined.
template <class First, class... Rest, class View, class Put>
void scan_members(const cpu_engine& engine, const fold_list<First, Rest...>& folds,
                  const View& view, const Put& put) {
  const auto count = static_cast<std::size_t>(view.size());
  std::vector<result<answer_t<First>>> first(count);
  scan_view(engine, folds.first, view, listed_answers<answer_t<First>>{first.data()});
  const auto join = [&](std::int64_t i, const auto& rest) {
    put(i, answers_of<First, Rest...>(first[static_cast<std::size_t>(i)], rest));
  };
  if constexpr (sizeof...(Rest) == 0) {
    for (std::int64_t i = 0; i < view.size(); ++i) join(i, std::tuple<>{});
  } else {
    scan_members(engine, folds.rest, view, join);
  }
}

/// Folds the items up to the i-th, for each i; put(i, answer) takes a `result`, from any thread.
///
/// order      each answer has the bits that these items have as an array of their own
/// sync       as fold_tiles of engine/cpu; folds that are not exact go on this thread
/// cost       exact folds: a combine an item, of sums of floats some additions of doubles, and with several threads a
///            pass of `reduce` before. Others: the joins of one path of the plan's tree an item
/// tested by  tests/api/scan_test.cpp
template <class F, class View, class Put>
void scan_view(const cpu_engine& engine, const F& f, const View& view, const Put& put) {
  if constexpr (is_all_fold<F>::value) {
    scan_members(engine, f.members, view, put);
  } else if constexpr (!is_exact_v<F>) {
    scan_tree(f, view,
              [&](std::int64_t i, const typename F::state& own) { put(i, finish_state(f, own)); });
  } else {
    if constexpr (rolled_term<F>::known) {
      const window_terms<typename rolled_term<F>::type, View> terms(view);
      if (has_strict_doubles()) {
        return scan_sums(engine.num_threads, view.size(), terms, scan_finisher<F, Put>{f, put});
      }
    }
    using carry = std::optional<typename F::state>;
    scan_pieces(
        engine.num_threads, view.size(), carry(),
        [&](std::int64_t at, std::int64_t count) -> carry {
          return fold_node(f, view, at, count, 0);
        },
        [&](const carry& left, const carry& right) -> carry {
          return left ? f.combine(*left, *right) : right;
        },
        [&](std::int64_t at, std::int64_t count, const carry& before) {
          scan_states(f, view, at, count, before, put);
        });
  }
}

}  // namespace monofold::detail
