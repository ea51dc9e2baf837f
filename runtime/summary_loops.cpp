/// runtime/summary_loops: everything that `stats` prints in one loop.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/summary_loops.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstdint>
#include <type_traits>

#include "monofold/platform/strict_arithmetic.hpp"
#include "runtime/loops-inl.hpp"
#include "runtime/simd_extrema-inl.hpp"
#include "runtime/simd_integers-inl.hpp"
#include "runtime/simd_sums-inl.hpp"
#include "runtime/summary_fold.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

/// The extrema and the NaN of a block, of which vectors know nothing.
template <class Item>
HWY_INLINE void add_extrema_and_nans(auto& parts, const Item* items, std::int64_t count,
                                     std::int64_t index) {
  absorb_slowly(extrema_fold<Item>{}, summary<Item>::extrema(parts).held, items, count, index);
  if constexpr (is_floating_v<Item>) {
    absorb_slowly(nan_count_fold<Item>{}, summary<Item>::nans(parts).held, items, count, index);
  }
}

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

HWY_NOINLINE bool has_strict_arithmetic() {
  const strict_arithmetic arithmetic;
  return arithmetic.was_strict();
}

/// The extrema of a block without NaN.
template <class Item>
HWY_INLINE void add_known_extrema(auto& parts, lane_of<Item> low, lane_of<Item> high,
                                  const Item* items, std::int64_t count, std::int64_t index) {
  auto& extrema = summary<Item>::extrema(parts).held;
  take_extremum<typename extrema_fold<Item>::low>(extrema.min, low, false, items, count, index);
  take_extremum<typename extrema_fold<Item>::high>(extrema.max, high, false, items, count, index);
}

// Sixteen bits have keys that vectors compare as fast as they add.
template <class Item>
using bounds_of = std::conditional_t<sizeof(Item) == 2, no_bounds, vector_bounds<Item>>;

/// Whole tiles; returns how many items they are.
template <class Item>
HWY_INLINE std::int64_t add_tiles(auto& parts, const Item* items, std::int64_t count,
                                  std::int64_t index, std::ptrdiff_t ahead) {
  constexpr int tile = tile_items_v<Item>;
  using moments = moments_fold<Item>;
  // Bounds are exact where subnormal numbers count.
  bool may_have_nan = !has_strict_arithmetic();
  bounds_of<Item> bounds;
  std::int64_t done = 0;
  for (; done + tile <= count; done += tile) {
    const auto all = sum_tile<powers::first_and_second, false>(items + done, 0.0, ahead, bounds);
    summary<Item>::total(parts).held.push(float_sum_fold<Item, double>{}, all.sum);
    summary<Item>::moments(parts).held.push(
        moments{}, tile_loop<moments, Item>::finish(moments{}, items + done, all));
    // A NaN makes the sum NaN. So do two infinities: then the items decide.
    may_have_nan = may_have_nan || is_nan(all.sum);
  }
  if (done == 0) return done;
  if (may_have_nan) {
    add_extrema_and_nans(parts, items, done, index);
  } else {
    if constexpr (sizeof(Item) == 2) {
      const auto extrema = extrema_of<true, true, nan_rule::propagate>(items, done, no_prefetch);
      add_known_extrema(parts, extrema.low, extrema.high, items, done, index);
    } else {
      add_known_extrema(parts, bounds.low(), bounds.high(), items, done, index);
    }
  }
  return done;
}

/// Whole vectors; returns how many items they are.
template <class Item>
HWY_INLINE std::int64_t add_vectors(auto& parts, const Item* items, std::int64_t count,
                                    std::int64_t index, std::ptrdiff_t ahead) {
  const std::int64_t whole = count / 256 * 256;
  if (whole == 0) return 0;
  auto& moments = summary<Item>::moments(parts).held;
  if constexpr (has_block_sums_v<Item>) {
    // Bytes soon reach both ends of their range; then no block can improve them.
    using fold = extrema_fold<Item>;
    const auto& extrema = summary<Item>::extrema(parts).held;
    const bool all_known = sizeof(Item) == 1 && extrema.min.index >= 0 &&
                           extrema.min.key == fold::low::best &&
                           extrema.max.key == fold::high::best;
    const auto block = all_known ? sum_block<extras::squares>(items, whole, ahead)
                                 : sum_block<extras::squares_and_extrema>(items, whole, ahead);
    moments.count += whole;
    moments.sum += block.sum;
    moments.squares = monofold::add(moments.squares, widen(block.squares));
    if (!all_known) add_known_extrema(parts, block.low, block.high, items, whole, index);
  } else {
    integer_moments_fold<Item>{}.absorb_run(moments, items, whole, index);
    const auto extrema = extrema_of<true, true, nan_rule::propagate>(items, whole, no_prefetch);
    add_known_extrema(parts, extrema.low, extrema.high, items, whole, index);
  }
  return whole;
}

#endif  // not the portable targets

template <class Item>
HWY_INLINE void add_floats(auto& parts, const Item* items, std::int64_t count, std::int64_t index,
                           std::ptrdiff_t ahead) {
  constexpr int tile = tile_items_v<Item>;
  std::int64_t done = 0;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  done = add_tiles(parts, items, count, index, ahead);
#else
  static_cast<void>(ahead);
#endif
  for (; done < count; done += tile) {
    const int n = count - done < tile ? static_cast<int>(count - done) : tile;
    const float_sum_fold<Item, double> sum;
    const moments_fold<Item> moments;
    summary<Item>::total(parts).held.push(sum, fold_last_tile(sum, items + done, n, index + done));
    summary<Item>::moments(parts).held.push(moments,
                                            fold_last_tile(moments, items + done, n, index + done));
    add_extrema_and_nans(parts, items + done, n, index + done);
  }
}

template <class Item>
HWY_INLINE void add_integers(auto& parts, const Item* items, std::int64_t count, std::int64_t index,
                             std::ptrdiff_t ahead) {
  std::int64_t done = 0;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  done = add_vectors(parts, items, count, index, ahead_in_order(ahead));
#else
  static_cast<void>(ahead);
#endif
  if (done == count) return;
  absorb_slowly(integer_moments_fold<Item>{}, summary<Item>::moments(parts).held, items + done,
                count - done, index + done);
  add_extrema_and_nans(parts, items + done, count - done, index + done);
}

template <class Item, class... Folds>
struct item_loop<all_fold<Folds...>, Item> {
  using fold = all_fold<Folds...>;

  HWY_INLINE static void add(const fold&, partial<fold, Item>& own, const Item* items,
                             std::int64_t count, std::int64_t index, std::ptrdiff_t ahead) {
    if constexpr (is_floating_v<Item>) {
      add_floats(own.held, items, count, index, ahead);
    } else {
      add_integers(own.held, items, count, index, ahead);
    }
  }
};

namespace {

member_folder::loop find(const member_request& what) {
  using enum family;
  return loop_of<items_of::any_type, summary>(what);
}

}  // namespace
}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
MONOFOLD_EXPORT_LOOPS(find_summary_loop)
#endif
