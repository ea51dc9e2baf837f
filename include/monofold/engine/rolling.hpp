#pragma once
/// engine/rolling: folds each window of neighbouring items, from what it shares with its neighbours.

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <vector>

#include "monofold/engine/cpu.hpp"
#include "monofold/engine/detail/parallel.hpp"
#include "monofold/engine/rolling_blocks.hpp"
#include "monofold/engine/rolling_spreads.hpp"
#include "monofold/engine/rolling_sums.hpp"
#include "monofold/engine/segments.hpp"
#include "monofold/fold/all.hpp"
#include "monofold/fold/at_indices.hpp"
#include "monofold/fold/bitwise.hpp"
#include "monofold/fold/exact/moments.hpp"
#include "monofold/fold/exact/products.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/fold/extrema.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/fold/nan.hpp"
#include "monofold/fold/norm.hpp"
#include "monofold/fold/product.hpp"
#include "monofold/fold/shift_indices.hpp"
#include "monofold/shape/segments.hpp"

namespace monofold::detail {

/// True for the library's exact folds that blocks of states serve: it is known where their states hold indices, or
/// that they hold none. A fold of the user's may look at an index in any way.
template <class F>
inline constexpr bool rolls_by_blocks_v = holds_indices_v<F>;
template <class Item, bit_operation operation>
inline constexpr bool rolls_by_blocks_v<bitwise_fold<Item, operation>> = true;
template <class Item, nan_rule rule>
inline constexpr bool rolls_by_blocks_v<norm_inf_fold<Item, rule>> = true;
template <class Item>
inline constexpr bool rolls_by_blocks_v<integer_product_fold<Item>> = true;
template <class Item>
inline constexpr bool rolls_by_blocks_v<nan_count_fold<Item>> = true;

/// The fold of one end whose answers are items, without their indices.
template <class F>
inline constexpr bool is_best_item_v = false;
template <class Item, bool smallest>
inline constexpr bool is_best_item_v<extremum_answer_fold<Item, smallest, extremum_part::value>> =
    true;

/// True where a window costs about as much as an item. States that subtract hold no index.
template <class F>
inline constexpr bool rolls_v = rolled_term<F>::known || rolls_by_blocks_v<F> ||
                                (subtracts<F> && is_exact_v<F>);
template <class... Folds>
inline constexpr bool rolls_v<all_fold<Folds...>> = (rolls_v<Folds> || ...);

/// Folds whose windows sums of items and of squares finish.
template <class F>
struct rolled_spread {
  static constexpr bool known = false;
};
template <class Item, bool root_of, nan_rule rule>
struct rolled_spread<exact_variance_fold<Item, double, root_of, rule>> {
  static constexpr bool known = true;
  static constexpr bool root = root_of;
  static constexpr nan_rule rule_for_nan = rule;
  using item = Item;
};
template <class Item, bool root_of>
requires(!is_floating_v<Item> &&
         sizeof(Item) <= 4) struct rolled_spread<variance_fold<Item, root_of>> {
  static constexpr bool known = true;
  static constexpr bool root = root_of;
  static constexpr nan_rule rule_for_nan = nan_rule::propagate;
  using item = Item;
};

template <nan_rule rule>
struct rolled_spread<exact_norm2_fold<double, double, rule>> {
  static constexpr bool known = true;
  static constexpr bool root = true;
  static constexpr nan_rule rule_for_nan = rule;
  using item = double;
};

/// Windows [first, end): each from the state before, of a fold that subtracts.
template <class F, class View, class Put>
void roll_states(const F& f, const View& view, std::int64_t first, std::int64_t end,
                 std::int64_t window, const Put& put) {
  using item = typename View::item_type;
  typename F::state own = fold_node(f, view, first, window, 0);
  put(first, finish_state(f, own));
  for (std::int64_t i = first + 1; i < end; ++i) {
    own = f.combine(own, f.lift(static_cast<item>(view[i + window - 1]), 0));
    f.subtract(own, f.lift(static_cast<item>(view[i - 1]), 0));
    put(i, finish_state(f, own));
  }
}

/// Finishes windows of doubles by a fold of doubles.
template <class F, class Put>
struct spread_sink {
  const F& fold;
  const Put& put;

  static bool check(int, const double*, std::int64_t*) { return true; }
  static bool decide(const exact_counts&, double&) { return false; }
  void spreads(std::int64_t i, int count, const double* values) const {
    for (int w = 0; w < count; ++w) put(i + w, result<double>(values[w]));
  }
  void special(std::int64_t i, const exact_counts& counts) const {
    result<double> found;
    if constexpr (requires { fold.ddof; }) {
      fold.finish_leading(counts, {}, {}, found);
    } else {
      found = fold.finish_leading(counts, {});
    }
    put(i, found);
  }
  void one(std::int64_t i, const moments_of_doubles& state) const {
    if constexpr (requires { fold.ddof; }) {
      put(i, fold.finish(state));
    } else {
      put(i, result<double>(fold.finish({state.squares, state.values.counts})));
    }
  }
};

/// False where there are no loops for it.
template <class F, class View, class Put>
bool roll_spread_windows(const F& f, const View& view, std::int64_t first, std::int64_t end,
                         std::int64_t window, const Put& put) {
  using spread = rolled_spread<F>;
  using term = value_term<typename spread::item>;
  constexpr bool is_double = std::is_same_v<typename spread::item, double>;
  constexpr bool is_wide =
      is_double || (!is_floating_v<typename spread::item> && sizeof(typename spread::item) == 4);
  constexpr auto most = std::int64_t{1} << 26;
  if (!has_spreads() || !has_strict_doubles()) return false;
  constexpr nan_rule rule = spread::rule_for_nan;
  constexpr bool omits = rule == nan_rule::omit;
  if (window >= most) return false;
  const auto roll = [&](const spread_request& what, const auto& fold) {
    roll_spreads(window_terms<term, View>(view), first, end, window, what,
                 spread_sink<std::remove_cvref_t<decltype(fold)>, Put>{fold, put});
    return true;
  };
  if constexpr (requires { f.ddof; }) {
    if (f.ddof < 0 || f.ddof >= window) return false;
    const auto n = static_cast<double>(window);
    return roll({true, is_wide, spread::root, omits, n, n * static_cast<double>(window - f.ddof)},
                exact_variance_fold<double, double, spread::root, rule>(f.ddof));
  } else {
    return roll({false, is_wide, true, omits, 1, 1}, f);
  }
}

/// Windows [first, end), on one thread.
template <class Indices, class F, class View, class Put>
void roll_windows(const F& f, const View& view, std::int64_t first, std::int64_t end,
                  std::int64_t window, const Put& put) {
  using item = typename View::item_type;
  using state = typename F::state;
  if constexpr (rolled_term<F>::known) {
    if (has_strict_doubles()) {
      const window_terms<typename rolled_term<F>::type, View> terms(view);
      return roll_sums(terms, first, end, window, window_finisher<F, Put>{f, put});
    }
  }
  if constexpr (is_best_item_v<F>) {
    roll_best<F, item>(view, first, end, window, [&](std::int64_t i, const item& best) {
      put(i, result<answer_t<F>>(best));
    });
  } else if constexpr (rolls_by_blocks_v<F>) {
    roll_blocks<state>(
        first, end, window, [&](std::int64_t i) { return f.lift(static_cast<item>(view[i]), i); },
        [&](const state& left, const state& right) { return f.combine(left, right); },
        [&](std::int64_t i, state own) {
          if constexpr (!std::is_same_v<Indices, index_in_all>) shift_indices(own, -i);
          put(i, finish_state(f, own));
        });
  } else {
    if constexpr (rolled_spread<F>::known) {
      if (roll_spread_windows(f, view, first, end, window, put)) return;
    }
    roll_states(f, view, first, end, window, put);
  }
}

template <class Indices, class F, class View, class Put>
void roll_view(const cpu_engine& engine, const F& f, const View& view, std::int64_t window,
               const Put& put);

/// Members one after the other, so that each has its own way; their answers are kept and joined.
template <class Indices, class First, class... Rest, class View, class Put>
void roll_members(const cpu_engine& engine, const fold_list<First, Rest...>& folds,
                  const View& view, std::int64_t window, const Put& put) {
  const auto count = static_cast<std::size_t>(view.size() - window + 1);
  std::vector<result<answer_t<First>>> first(count);
  roll_view<Indices>(engine, folds.first, view, window,
                     listed_answers<answer_t<First>>{first.data()});
  const auto join = [&](std::int64_t i, const auto& rest) {
    put(i, answers_of<First, Rest...>(first[static_cast<std::size_t>(i)], rest));
  };
  if constexpr (sizeof...(Rest) == 0) {
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(count); ++i) join(i, std::tuple<>{});
  } else {
    roll_members<Indices>(engine, folds.rest, view, window, join);
  }
}

/// Folds all windows of 1 to view.size() items; put(i, answer) takes a `result` for the i-th, from any thread.
///
/// order      each answer has the bits that the window has as an array of its own
/// sync       as fold_tiles of engine/cpu
/// cost       folds that rolls_v names: some passes over the items, whatever the window, and one over the first
///            window of each thread's share; others: each window on its own
/// tested by  tests/api/rolling_test.cpp
template <class Indices, class F, class View, class Put>
void roll_view(const cpu_engine& engine, const F& f, const View& view, std::int64_t window,
               const Put& put) {
  using item = typename View::item_type;
  const std::int64_t count = view.size() - window + 1;
  if constexpr (!rolls_v<F>) {
    const fixed_segments windows(window, count, 1);
    const segment_work work = share_segments<item>(engine, windows, view.size());
    fold_segments<Indices>(engine, f, view, windows, work, put);
  } else if constexpr (is_all_fold<F>::value) {
    roll_members<Indices>(engine, f.members, view, window, put);
  } else {
    constexpr std::int64_t least = 1 << 14;
    const std::int64_t share =
        engine.num_threads == 1 ? count
                                : count / (std::int64_t{4} * concurrency(engine.num_threads)) + 1;
    const std::int64_t piece = std::max({share, window, least});
    parallel_for(engine.num_threads, (count + piece - 1) / piece, [&](std::int64_t p) {
      roll_windows<Indices>(f, view, p * piece, std::min(count, (p + 1) * piece), window, put);
    });
  }
}

}  // namespace monofold::detail
