/// runtime/simd_extrema-inl: the best keys of a block in vectors.

// Included once for each instruction set: see highway's foreach_target.h.
#if defined(MONOFOLD_RUNTIME_SIMD_EXTREMA_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MONOFOLD_RUNTIME_SIMD_EXTREMA_INL
#undef MONOFOLD_RUNTIME_SIMD_EXTREMA_INL
#else
#define MONOFOLD_RUNTIME_SIMD_EXTREMA_INL
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "monofold/fold/extrema.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

/// The best keys of a block, as extremum_fold<Item, true> and <Item, false> define them.
template <class Item>
struct block_keys {
  typename order_key<Item>::type low;
  typename order_key<Item>::type high;
};

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

namespace hn = hwy::HWY_NAMESPACE;

/// A vector type whose own min and max order the items, but for NaN and the sign of zero.
template <class Item>
using lane_of = std::conditional_t<
    std::is_same_v<Item, bool>, std::uint8_t,
    std::conditional_t<std::is_same_v<Item, float16> || std::is_same_v<Item, bfloat16>,
                       std::int16_t, Item>>;

/// Vectors of 16-bit floats become their `nan_low` (or `nan_high`) keys; others stay.
template <class Item, bool low, class V>
HWY_INLINE V to_order(V v) {
  if constexpr (std::is_same_v<Item, float16> || std::is_same_v<Item, bfloat16>) {
    const hn::DFromV<V> d;
    const hn::RebindToUnsigned<decltype(d)> du;
    const auto negative = hn::ShiftRight<15>(v);  // all ones below zero
    const auto magnitude = hn::BitCast(d, hn::ShiftRight<1>(hn::BitCast(du, negative)));
    const auto turn = hn::Set(d, static_cast<std::int16_t>(order_key<Item>::nan_patterns));
    const auto flipped = hn::Xor(v, magnitude);
    return low ? hn::Add(flipped, turn) : hn::Sub(flipped, turn);
  } else {
    return v;
  }
}

template <class Item>
HWY_INLINE bool has_nan(const Item* items, std::int64_t count) {
  int found = 0;
  for (std::int64_t i = 0; i < count; ++i) found |= is_nan(items[i]) ? 1 : 0;
  return found != 0;
}

/// Which zero a block has that has one: -0 counts as the smallest, +0 as the largest.
template <bool smallest, class Item>
HWY_INLINE Item signed_zero(const Item* items, std::int64_t count) {
  using bits = std::conditional_t<sizeof(Item) == 4, std::uint32_t, std::uint64_t>;
  const Item better = smallest ? Item(-0.0) : Item(0.0);
  int hits = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    hits |= std::bit_cast<bits>(items[i]) == std::bit_cast<bits>(better) ? 1 : 0;
  }
  return hits != 0 ? better : -better;
}

/// One read of `count` items (a multiple of 256) for either end or both.
template <bool want_low, bool want_high, class Item>
HWY_INLINE block_keys<Item> best_keys(const Item* items, std::int64_t count) {
  using lane = lane_of<Item>;
  using low_fold = extremum_fold<Item, true>;
  using high_fold = extremum_fold<Item, false>;
  constexpr bool is_float = std::is_floating_point_v<Item>;
  constexpr bool keyed = is_floating_v<Item> && !is_float;
  const hn::CappedTag<lane, 64> d;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  const auto* p = reinterpret_cast<const lane*>(items);
  const auto load = [&](std::int64_t at) HWY_ATTR { return hn::LoadU(d, p + at); };

  auto v = load(0);
  auto low0 = to_order<Item, true>(v), low1 = low0, low2 = low0, low3 = low0;
  auto high0 = to_order<Item, false>(v), high1 = high0, high2 = high0, high3 = high0;
  auto suspect = hn::Zero(d);
  const auto step = [&](auto& low, auto& high, decltype(v) x) HWY_ATTR {
    if constexpr (want_low) low = hn::Min(low, to_order<Item, true>(x));
    if constexpr (want_high) high = hn::Max(high, to_order<Item, false>(x));
  };
#pragma GCC unroll 2
  for (std::int64_t at = 0; at < count; at += 4 * n) {
    const auto a = load(at), b = load(at + n), c = load(at + 2 * n), e = load(at + 3 * n);
    step(low0, high0, a);
    step(low1, high1, b);
    step(low2, high2, c);
    step(low3, high3, e);
    if constexpr (is_float) {
      // A sum is NaN where an item is. It may also be where infinities meet; then the exact test
      // below says no.
      const auto sum = hn::Add(hn::Add(a, b), hn::Add(c, e));
      suspect = hn::Or(suspect, hn::VecFromMask(d, hn::IsNaN(sum)));
    }
  }
  const auto low = hn::Min(hn::Min(low0, low1), hn::Min(low2, low3));
  const auto high = hn::Max(hn::Max(high0, high1), hn::Max(high2, high3));
  if constexpr (is_float) {
    if (!hn::AllFalse(d, hn::MaskFromVec(suspect)) && has_nan(items, count)) {
      return {low_fold::best, high_fold::best};
    }
  }
  lane lows[64 / sizeof(lane)];
  lane highs[64 / sizeof(lane)];
  hn::StoreU(low, d, lows);
  hn::StoreU(high, d, highs);
  lane least = lows[0];
  lane greatest = highs[0];
  for (std::int64_t i = 1; i < n; ++i) {
    least = lows[i] < least ? lows[i] : least;
    greatest = highs[i] > greatest ? highs[i] : greatest;
  }
  if constexpr (keyed || std::is_same_v<Item, bool>) {
    return {least, greatest};
  } else if constexpr (is_float) {
    if (want_low && least == 0) least = signed_zero<true>(items, count);
    if (want_high && greatest == 0) greatest = signed_zero<false>(items, count);
    return {low_fold::key_of(least), high_fold::key_of(greatest)};
  } else {
    return {least, greatest};
  }
}

#endif  // not the portable targets

}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MONOFOLD_RUNTIME_SIMD_EXTREMA_INL
