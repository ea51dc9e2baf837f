/// runtime/lane_loops: the loops over rows and columns in lanes.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/lane_loops.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "monofold/fold/exact/quick_tries.hpp"
#include "runtime/choose_loop.hpp"
#include "runtime/lane_request.hpp"
#include "runtime/lanes.hpp"
#include "runtime/simd_lane_answers-inl.hpp"
#include "runtime/simd_lane_bins-inl.hpp"
#include "runtime/simd_lane_halves-inl.hpp"
#include "runtime/simd_lane_rows-inl.hpp"
#include "runtime/simd_lane_spread-inl.hpp"
#include "runtime/simd_lane_whole-inl.hpp"
#include "runtime/simd_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

namespace {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

template <class Op>
void fold_rows_of(const lane_rows& rows, const lane_order& order, const lane_states& out) {
  Op op(order, out);
  fold_lane_rows(op, rows);
}

template <class Op>
void fold_columns_of(const lane_columns& columns, const lane_order& order, const lane_states& out) {
  Op op(order, out);
  fold_lane_columns(op, columns);
}

template <class Op>
lane_loops loops_of() {
  return {fold_rows_of<Op>, fold_columns_of<Op>, widen_items};
}

/// States of a few rows, to be copied to where there is no room behind them.
struct few_states {
  static constexpr std::int64_t most = lanes_v<float>;
  alignas(64) double high[most + lane_padding];
  alignas(64) double low[most + lane_padding];
  alignas(64) double scratch[(most + lane_padding) * scratch_words];

  lane_states where() { return {high, low, scratch}; }
  void copy_to(const lane_states& out, std::int64_t at, std::int64_t count) const {
    std::copy_n(high, count, static_cast<double*>(out.first) + at);
    std::copy_n(low, count, static_cast<double*>(out.second) + at);
  }
};

/// Calls again(first, count, states) for those among neighbours, up to `most` at a time, of which some are not known.
template <class Again>
void repair(std::int64_t count, const lane_states& out, const Again& again,
            std::int64_t most = few_states::most) {
  const auto* const high = static_cast<const double*>(out.first);
  for (std::int64_t r = 0; r < count; r += most) {
    const std::int64_t own = std::min(most, count - r);
    if (std::none_of(high + r, high + r + own, [](double x) { return x != x; })) continue;
    few_states states;
    again(r, own, states.where());
    states.copy_to(out, r, own);
  }
}

/// Where one double does not hold a sum two may.
void fold_float_rows(const lane_rows& rows, const lane_order& order, const lane_states& out) {
  exact_floats op(order, out);
  fold_lane_rows(op, rows);
  if (!op.has_failed()) return;
  const auto* const first = static_cast<const float*>(rows.first);
  repair(rows.count, out, [&](std::int64_t r, std::int64_t count, const lane_states& states) {
    fold_rows_of<exact_pairs<float>>({first + r * rows.pitch, rows.pitch, count, rows.length, 0},
                                     order, states);
  });
}

/// Where a bin, or sums of halves, do not hold a sum two doubles may.
void fold_double_rows(const lane_rows& rows, const lane_order& order, const lane_states& out) {
#if HWY_TARGET == HWY_AVX3
  const bool is_quick = rows.length >= exact_bins::least_items;
  using quick = exact_bins;
#else
  thread_local monofold::detail::quick_tries tries;
  const bool is_quick = rows.length >= exact_halves::least_items && tries.next();
  using quick = exact_halves;
#endif
  if (!is_quick) return fold_rows_of<exact_pairs<double>>(rows, order, out);
  quick op(order, out);
  fold_lane_rows(op, rows);
#if HWY_TARGET == HWY_AVX2
  if (!op.has_failed()) tries.succeeded();
#endif
  if (!op.has_failed()) return;
  const auto* const first = static_cast<const double*>(rows.first);
  const auto again = [&](std::int64_t r, std::int64_t count, const lane_states& states) {
    fold_rows_of<exact_pairs<double>>({first + r * rows.pitch, rows.pitch, count, rows.length, 0},
                                      order, states);
  };
  // What pairs do not hold takes far longer than they do: no longer row shall take that for another one's sake.
  repair(rows.count, out, again, rows.length < 512 ? few_states::most : 1);
}

decltype(lane_loops::fold_columns) whole_columns_of(dtype type) {
  switch (type) {
    case dtype::boolean:
    case dtype::uint8: return fold_columns_of<whole_lanes<std::uint8_t>>;
    case dtype::int8: return fold_columns_of<whole_lanes<std::int8_t>>;
    case dtype::uint16: return fold_columns_of<whole_lanes<std::uint16_t>>;
    case dtype::int16: return fold_columns_of<whole_lanes<std::int16_t>>;
    case dtype::uint32: return fold_columns_of<whole_lanes<std::uint32_t>>;
    case dtype::int32: return fold_columns_of<whole_lanes<std::int32_t>>;
    default: return nullptr;
  }
}
/// Integers as they are in memory, whatever lanes take others as. False: these are none.
bool fold_whole_columns(lane_columns columns, const lane_order& order, const lane_states& out) {
  const auto fold = whole_columns_of(columns.type);
  if (fold == nullptr) return false;
  columns.wide = nullptr;
  fold(columns, order, out);
  return true;
}

void fold_float_columns(const lane_columns& columns, const lane_order& order,
                        const lane_states& out) {
  if (fold_whole_columns(columns, order, out)) return;
  {
    exact_floats op(order, out);
    if (fold_lane_columns(op, columns)) return;
  }
  near_floats op(order, out);
  fold_lane_columns(op, columns);
  if (!op.has_failed()) return;
  const std::int64_t bytes = monofold::info(columns.type).size_bytes;
  repair(columns.width, out, [&](std::int64_t c, std::int64_t count, const lane_states& states) {
    // Flags would not say which columns they mean.
    fold_columns_of<exact_pairs<float, false, false>>(
        {columns.first + c * bytes, columns.offsets, columns.length, count, columns.is_dense,
         columns.type, columns.wide},
        order, states);
  });
}

/// Where flags do not say which columns they mean each is asked.
void fold_double_columns(const lane_columns& columns, const lane_order& order,
                         const lane_states& out) {
  if (fold_whole_columns(columns, order, out)) return;
#if HWY_TARGET == HWY_AVX3
  if (columns.length >= exact_column_bins::least_items) {
    const auto* const first = reinterpret_cast<const double*>(columns.first + columns.offsets[0]);
    if (const double bin = bin_above(first, columns.width, columns.length); bin != 0) {
      if (exact_column_bins(order, out, bin).fold_line(columns)) return;
      exact_column_bins op(order, out, bin);
      if (fold_lane_columns(op, columns)) return;
    }
  }
#else
  thread_local monofold::detail::quick_tries tries;
  if (tries.next()) {
    exact_halves op(order, out);
    if (fold_lane_columns(op, columns)) {
      tries.succeeded();
      return op.settle(0, columns.width);
    }
  }
#endif
  exact_pairs<double> op(order, out);
  if (!fold_lane_columns(op, columns)) {
    fold_columns_of<exact_pairs<double, false, false>>(columns, order, out);
  }
}

/// The squares of items that are in the cache then.
template <class Item>
void fold_row_moments(const lane_rows& rows, const lane_order& order, const lane_states& out) {
  if constexpr (sizeof(Item) == 4) {
    fold_float_rows(rows, order, out);
  } else {
    fold_double_rows(rows, order, out);
  }
  fold_rows_of<exact_pairs<Item, true>>(rows, order, out);
}

template <class Item>
void fold_column_moments(const lane_columns& columns, const lane_order& order,
                         const lane_states& out) {
  if constexpr (sizeof(Item) == 4) {
    fold_float_columns(columns, order, out);
  } else {
    fold_double_columns(columns, order, out);
  }
  fold_columns_of<exact_pairs<Item, true>>(columns, order, out);
}

/// Longer rows by blocks.
template <class Word>
void find_best_in_rows(const lane_rows& rows, const lane_order& order, const lane_states& out) {
  using real = std::conditional_t<sizeof(Word) == 4, float, double>;
  if (rows.length < best_of_rows<Word, Word>::least_items) {
    return fold_rows_of<best_lanes<Word, true>>(rows, order, out);
  }
  if (order.magnitude != 0) return best_of_rows<real, Word>(order, out).fold(rows);
  best_of_rows<Word, Word>(order, out).fold(rows);
}

template <class Word>
lane_loops first_best_loops() {
  return {find_best_in_rows<Word>, fold_columns_of<best_lanes<Word, true>>, widen_items};
}

template <class Word>
void fold_narrow_rows(const lane_rows& rows, const lane_order& order, const lane_states& out) {
  best_of_narrow_rows<Word>(order, out).fold(rows);
}

template <class Word>
lane_loops narrow_best_loops() {
  return {fold_narrow_rows<Word>, fold_columns_of<best_lanes<Word, false>>, nullptr};
}

template <class Word>
void to_items(const lane_order& order, std::int64_t count, const void* keys, void* items,
              bool past_caches) {
  best_lanes<Word, false>(order, {}).to_items(count, static_cast<const Word*>(keys),
                                              static_cast<Word*>(items), past_caches);
}

template <class Word>
lane_answers answers_of() {
  return {to_items<Word>, divide_to_doubles, divide_to_floats,
          add_exactly,    find_spread,       join_states};
}

lane_loops find_lanes(lane_fold what, dtype type) {
  const int bytes = monofold::info(type).size_bytes;
  if (what == lane_fold::first_best) {
    return bytes == 4 ? first_best_loops<std::int32_t>() : first_best_loops<std::int64_t>();
  }
  if (what == lane_fold::best) {
    if (bytes == 1) return narrow_best_loops<std::int8_t>();
    if (bytes == 2) return narrow_best_loops<std::int16_t>();
    return bytes == 4 ? loops_of<best_lanes<std::int32_t, false>>()
                      : loops_of<best_lanes<std::int64_t, false>>();
  }
  if (what == lane_fold::moments) {
    if (type == dtype::float32) {
      return {fold_row_moments<float>, fold_column_moments<float>, widen_items};
    }
    if (type != dtype::float64) return {};
    return {fold_row_moments<double>, fold_column_moments<double>, widen_items};
  }
  if (type == dtype::float32) {
    return what == lane_fold::plain_sum
               ? loops_of<plain_lanes<float>>()
               : lane_loops{fold_float_rows, fold_float_columns, widen_items};
  }
  if (type == dtype::int32) return loops_of<whole_lanes<std::int32_t>>();
  if (type == dtype::uint32) return loops_of<whole_lanes<std::uint32_t>>();
  if (type != dtype::float64) return {};
  return what == lane_fold::plain_sum
             ? loops_of<plain_lanes<double>>()
             : lane_loops{fold_double_rows, fold_double_columns, widen_items};
}

lane_answers find_answers(dtype type) {
  switch (monofold::info(type).size_bytes) {
    case 1: return answers_of<std::int8_t>();
    case 2: return answers_of<std::int16_t>();
    case 4: return answers_of<std::int32_t>();
    default: return answers_of<std::int64_t>();
  }
}

template <class From, class To>
void copy_numbers(const void* items, std::int64_t count, void* to, bool past_caches) {
  const lane_tag<To> d;
  const hn::Rebind<From, lane_tag<To>> item_tag;
  const auto* const from = static_cast<const From*>(items);
  auto* const out = static_cast<To*>(to);
  const auto number = [&](hn::Vec<hn::Rebind<From, lane_tag<To>>> x) {
    hn::Vec<lane_tag<To>> y;
    if constexpr (sizeof(From) == sizeof(To)) {
      y = x;
    } else {
      y = hn::PromoteTo(d, x);
    }
    return hn::IfThenElse(hn::IsNaN(y), hn::Set(d, std::numeric_limits<To>::quiet_NaN()), y);
  };
  const std::int64_t ahead =
      ahead_in_order(prefetch_bytes) / static_cast<std::int64_t>(sizeof(From));
  store_numbers(d, count, out, past_caches, [&](std::int64_t i, std::int64_t n) HWY_ATTR {
    if (ahead != no_prefetch) __builtin_prefetch(from + i + ahead);
    return number(n == lanes_v<To> ? hn::LoadU(item_tag, from + i)
                                   : load_first(item_tag, from + i, n, hn::Zero(item_tag)));
  });
}

lane_copy find_copy(dtype from, dtype to) {
  if (from == dtype::float32 && to == dtype::float32) return copy_numbers<float, float>;
  if (from == dtype::float32 && to == dtype::float64) return copy_numbers<float, double>;
  return from == dtype::float64 && to == from ? copy_numbers<double, double> : nullptr;
}

#else

lane_loops find_lanes(lane_fold, dtype) { return {}; }
lane_copy find_copy(dtype, dtype) { return nullptr; }
lane_answers find_answers(dtype) { return {}; }

#endif

}  // namespace
}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace monofold::runtime {

lane_loops find_lane_loops(lane_fold what, dtype type) {
  return MONOFOLD_CHOOSE_LOOP(find_lanes)(what, type);
}
lane_answers find_lane_answers(dtype type) { return MONOFOLD_CHOOSE_LOOP(find_answers)(type); }
lane_copy find_lane_copy(dtype from, dtype to) { return MONOFOLD_CHOOSE_LOOP(find_copy)(from, to); }

}  // namespace monofold::runtime
#endif
