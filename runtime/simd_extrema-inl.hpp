/// runtime/simd_extrema-inl: the extrema of a block in vectors, and where they are.

// Included once for each instruction set: see highway's foreach_target.h.
#if defined(MONOFOLD_RUNTIME_SIMD_EXTREMA_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MONOFOLD_RUNTIME_SIMD_EXTREMA_INL
#undef MONOFOLD_RUNTIME_SIMD_EXTREMA_INL
#else
#define MONOFOLD_RUNTIME_SIMD_EXTREMA_INL
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "monofold/fold/extrema.hpp"
#include "runtime/prefetch.hpp"
#include "runtime/slow_ways.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

namespace hn = hwy::HWY_NAMESPACE;

inline constexpr int vector_bytes = HWY_TARGET == HWY_AVX3 ? 64 : 32;

template <class Item>
inline constexpr bool has_half_keys_v =
    std::is_same_v<Item, float16> || std::is_same_v<Item, bfloat16>;

/// A vector type whose own min and max order the items, but for NaN and the sign of zero.
template <class Item>
using lane_of = std::conditional_t<std::is_same_v<Item, bool>, std::uint8_t,
                                   std::conditional_t<has_half_keys_v<Item>, std::int16_t, Item>>;

/// The smallest and the largest item of a block; of one that is not asked for, what a search for it starts from.
template <class Item>
struct block_extrema {
  lane_of<Item> low;  // the keys of 16-bit floats
  lane_of<Item> high;
  bool may_have_nan;  // floats of 32 and 64 bits: the extrema are then those of the numbers
};

/// Vectors of 16-bit floats become their `nan_low` (or `nan_high`) keys; others stay.
template <class Item, bool nan_low, class V>
HWY_INLINE V to_order(V v) {
  if constexpr (has_half_keys_v<Item>) {
    const hn::DFromV<V> d;
    const hn::RebindToUnsigned<decltype(d)> du;
    const auto negative = hn::ShiftRight<15>(v);  // all ones below zero
    const auto magnitude = hn::BitCast(d, hn::ShiftRight<1>(hn::BitCast(du, negative)));
    const auto turn = hn::Set(d, static_cast<std::int16_t>(order_key<Item>::nan_patterns));
    const auto flipped = hn::Xor(v, magnitude);
    return nan_low ? hn::Add(flipped, turn) : hn::Sub(flipped, turn);
  } else {
    return v;
  }
}

/// What no item is above (or below).
template <class Item, bool lowest>
constexpr lane_of<Item> end_of_range() {
  using limits = std::numeric_limits<lane_of<Item>>;
  if constexpr (std::is_floating_point_v<Item>) {
    return lowest ? -limits::infinity() : limits::infinity();
  } else {
    return lowest ? limits::min() : limits::max();
  }
}

/// The smallest (or largest) of the lanes.
template <bool smallest, class D, class V>
HWY_INLINE hn::TFromD<D> extremum_of_lanes(D d, V v) {
  constexpr int count = 64 / sizeof(hn::TFromD<D>);  // a fixed one makes a loop of vectors
  alignas(64) hn::TFromD<D> lane[count];
  hn::Store(v, d, lane);
  if (hn::Lanes(d) * 2 == count) hn::Store(v, d, lane + count / 2);
  for (int width = count / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) {
      const bool other = smallest ? lane[i + width] < lane[i] : lane[i] < lane[i + width];
      lane[i] = other ? lane[i + width] : lane[i];
    }
  }
  return lane[0];
}

/// `extrema_of`, in the order of keys.
template <bool want_low, bool want_high, nan_rule rule, bool only_numbers, class Item>
HWY_NOINLINE block_extrema<Item> extrema_by_keys(const Item* items, std::int64_t count,
                                                 std::ptrdiff_t ahead) {
  using lane = lane_of<Item>;
  constexpr bool may_be_nan = std::is_floating_point_v<Item> && !only_numbers;
  constexpr bool nan_wins = rule == nan_rule::propagate;
  const hn::CappedTag<lane, 64> d;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  const auto* p = reinterpret_cast<const lane*>(items);
  const auto load = [&](std::int64_t at) HWY_ATTR { return hn::LoadU(d, p + at); };

  auto low0 = hn::Set(d, end_of_range<Item, false>()), low1 = low0, low2 = low0, low3 = low0;
  auto high0 = hn::Set(d, end_of_range<Item, true>()), high1 = high0, high2 = high0, high3 = high0;
  auto suspect = hn::MaskFromVec(hn::Zero(d));
  const auto step = [&](auto& low, auto& high, decltype(low0) x) HWY_ATTR {
    // The second operand is what x86 gives where one is NaN.
    if constexpr (want_low) low = hn::Min(to_order<Item, nan_wins>(x), low);
    if constexpr (want_high) high = hn::Max(to_order<Item, !nan_wins>(x), high);
  };
#pragma GCC unroll 2
  for (std::int64_t at = 0; at < count; at += 4 * n) {
    prefetch_ahead<4 * vector_bytes>(p + at, ahead);
    const auto a = load(at), b = load(at + n), c = load(at + 2 * n), e = load(at + 3 * n);
    step(low0, high0, a);
    step(low1, high1, b);
    step(low2, high2, c);
    step(low3, high3, e);
    if constexpr (may_be_nan) {
      // A sum is NaN where an item is. It may also be where infinities meet: the items decide.
      const auto sum = hn::Add(hn::Add(a, b), hn::Add(c, e));
      suspect = hn::Or(suspect, hn::IsNaN(sum));
    }
  }
  const auto low = hn::Min(hn::Min(low0, low1), hn::Min(low2, low3));
  const auto high = hn::Max(hn::Max(high0, high1), hn::Max(high2, high3));
  block_extrema<Item> out{};
  if constexpr (want_low) out.low = extremum_of_lanes<true>(d, low);
  if constexpr (want_high) out.high = extremum_of_lanes<false>(d, high);
  if constexpr (may_be_nan) out.may_have_nan = !hn::AllFalse(d, suspect);
  return out;
}

/// The extrema of 16-bit floats by their bits, and whether some are NaN: then they are not the extrema.
struct half_extrema {
  std::uint16_t low;
  std::uint16_t high;
  bool any_nan;
};

/// Without keys: of numbers below zero the smallest has the largest bits, and others are in order as signed integers.
/// `infinity`: its bits.
HWY_NOINLINE inline half_extrema extrema_by_bits(const void* items, std::int64_t count,
                                                 int infinity, std::ptrdiff_t ahead) {
  const hn::CappedTag<std::int16_t, 64> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  const auto* const p = static_cast<const std::int16_t*>(items);
  auto low0 = hn::Set(d, 32767), low1 = low0;
  auto high0 = hn::Set(d, -32768), high1 = high0;
  auto top0 = hn::Zero(du), top1 = top0;
  const auto step = [&](auto& low, auto& high, auto& top, decltype(low0) x) HWY_ATTR {
    low = hn::Min(low, x);
    high = hn::Max(high, x);
    top = hn::Max(top, hn::BitCast(du, x));
  };
  for (std::int64_t at = 0; at < count; at += 4 * n) {
    // With AVX2 asking whether to ask takes a seventh of the time.
    if constexpr (vector_bytes == 64) prefetch_ahead<4 * vector_bytes>(p + at, ahead);
    const auto a = hn::LoadU(d, p + at), b = hn::LoadU(d, p + at + n);
    const auto c = hn::LoadU(d, p + at + 2 * n), e = hn::LoadU(d, p + at + 3 * n);
    step(low0, high0, top0, a);
    step(low1, high1, top1, b);
    step(low0, high0, top0, c);
    step(low1, high1, top1, e);
  }
  const std::int16_t low = hn::GetLane(hn::MinOfLanes(d, hn::Min(low0, low1)));
  const std::int16_t high = hn::GetLane(hn::MaxOfLanes(d, hn::Max(high0, high1)));
  const std::uint16_t top = hn::GetLane(hn::MaxOfLanes(du, hn::Max(top0, top1)));
  return {low < 0 ? top : static_cast<std::uint16_t>(low),
          static_cast<std::uint16_t>(high < 0 ? low : high),
          high > infinity || top > 0x8000 + infinity};
}

/// One read of `count` items (a multiple of 256) for either extremum or both. `rule`: where NaN of 16 bits lie.
/// `only_numbers`: of more than 16 bits there are none.
template <bool want_low, bool want_high, nan_rule rule, bool only_numbers = false, class Item>
HWY_INLINE block_extrema<Item> extrema_of(const Item* items, std::int64_t count,
                                          std::ptrdiff_t ahead) {
  if constexpr (has_half_keys_v<Item> && want_low && want_high) {
    using key = order_key<Item>;
    const half_extrema extrema = extrema_by_bits(items, count, key::infinity, ahead);
    const auto low = std::bit_cast<Item>(extrema.low), high = std::bit_cast<Item>(extrema.high);
    if (!extrema.any_nan) {
      if constexpr (rule == nan_rule::propagate) {
        return {key::nan_low(low), key::nan_high(high), false};
      } else {
        return {key::nan_high(low), key::nan_low(high), false};
      }
    }
  }
  return extrema_by_keys<want_low, want_high, rule, only_numbers>(items, count, ahead);
}

/// The place of the first of `count` items (a multiple of 256) that has these bits; `count`: of none.
template <class Bits>
HWY_NOINLINE std::int64_t first_equal(const void* items, std::int64_t count, Bits wanted) {
  const hn::CappedTag<Bits, 64> d;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  const auto* const p = static_cast<const Bits*>(items);
  const auto sought = hn::Set(d, wanted);
  for (std::int64_t at = 0; at < count; at += 4 * n) {
    const auto hit = [&](int i) HWY_ATTR {
      return hn::VecFromMask(d, hn::Eq(hn::LoadU(d, p + at + i * n), sought));
    };
    const auto any = hn::Or(hn::Or(hit(0), hit(1)), hn::Or(hit(2), hit(3)));
    if (hn::AllFalse(d, hn::MaskFromVec(any))) continue;
    for (int i = 0;; ++i) {
      const auto place = hn::FindFirstTrue(d, hn::MaskFromVec(hit(i)));
      if (place >= 0) return at + i * n + static_cast<std::int64_t>(place);
    }
  }
  return count;
}

/// Bits from `first` on, so many.
template <class Bits>
struct bit_range {
  Bits first = 0;
  Bits count = 0;
};
template <class Bits>
struct two_ranges {
  bit_range<Bits> a, b;  // b is mostly empty
};

/// The place of the first item from `begin` on whose bits lie in a range; `count`: of none.
///
/// One range covers both, with nothing between them but NaN of one sign: what lies outside it is passed over.
template <class Bits>
HWY_NOINLINE std::int64_t first_within(const void* items, std::int64_t begin, std::int64_t count,
                                       const two_ranges<Bits>& wanted, std::ptrdiff_t ahead) {
  // x is within where (x - first) mod 2^w < count; of signed numbers where both sides are 2^(w-1) less.
  using word = std::make_signed_t<Bits>;
  using tag = hn::CappedTag<word, 64 / sizeof(word)>;
  using vector = hn::Vec<tag>;
  const tag d;
  constexpr auto n = static_cast<std::int64_t>(hn::MaxLanes(tag()));
  constexpr auto turn = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  const auto* const p = static_cast<const word*>(items);
  const auto turned = [](Bits x) { return static_cast<word>(static_cast<Bits>(x + turn)); };
  const Bits covered = wanted.b.count == 0
                           ? wanted.a.count
                           : static_cast<Bits>(wanted.b.first + wanted.b.count - wanted.a.first);
  const vector first_a = hn::Set(d, turned(wanted.a.first)),
               end_a = hn::Set(d, turned(wanted.a.count));
  const vector first_b = hn::Set(d, turned(wanted.b.first)),
               end_b = hn::Set(d, turned(wanted.b.count));
  const vector end_covered = hn::Set(d, turned(covered));
  const auto first_in_vector = [&](std::int64_t at) HWY_ATTR {
    const vector x = hn::LoadU(d, p + at);
    const auto in_a = hn::Lt(hn::Sub(x, first_a), end_a);
    return hn::FindFirstTrue(d, hn::Or(in_a, hn::Lt(hn::Sub(x, first_b), end_b)));
  };
  std::int64_t at = begin;
  // Behind an item between lines the next ones are whole lines again.
  for (; at + 4 * n <= count; at = (at | (4 * n - 1)) + 1) {
    const auto* const own = p + at;
    prefetch_ahead<4 * vector_bytes>(own, ahead);
    const auto distance = [&](int i)
                              HWY_ATTR { return hn::Sub(hn::LoadU(d, own + i * n), first_a); };
    const vector least =
        hn::Min(hn::Min(distance(0), distance(1)), hn::Min(distance(2), distance(3)));
    if (hn::AllFalse(d, hn::Lt(least, end_covered))) continue;
    for (int i = 0; i < 4; ++i) {
      const auto place = first_in_vector(at + i * n);
      if (place >= 0) return at + i * n + static_cast<std::int64_t>(place);
    }
  }
  for (; at + n <= count; at += n) {
    const auto place = first_in_vector(at);
    if (place >= 0) return at + static_cast<std::int64_t>(place);
  }
  const auto is_in = [](Bits x, bit_range<Bits> range) {
    return static_cast<Bits>(x - range.first) < range.count;
  };
  for (; at < count; ++at) {
    const auto x = static_cast<Bits>(p[at]);
    if (is_in(x, wanted.a) || is_in(x, wanted.b)) break;
  }
  return at;
}

template <int bytes>
using bits_of_bytes = std::conditional_t<
    bytes == 1, std::uint8_t,
    std::conditional_t<bytes == 2, std::uint16_t,
                       std::conditional_t<bytes == 4, std::uint32_t, std::uint64_t>>>;

/// first_equal for an item.
template <class Item>
HWY_INLINE std::int64_t first_of(const Item* items, std::int64_t count, Item wanted) {
  using bits = bits_of_bytes<sizeof(Item)>;
  return first_equal<bits>(items, count, std::bit_cast<bits>(wanted));
}

/// An extremum of a block that is zero: -0 counts as the smallest, +0 as the largest.
template <bool smallest, class Item>
HWY_INLINE Item signed_zero(const Item* items, std::int64_t count) {
  const Item better = smallest ? Item(-0.0) : Item(0.0);
  return first_of(items, count, better) < count ? better : -better;
}

/// Joins `own` and the extremum of a block as `absorb_run` of an extremum_fold does.
template <class Fold, class Item>
HWY_INLINE void take_extremum(typename Fold::state& own, lane_of<Item> extremum, bool may_have_nan,
                              const Item* items, std::int64_t count, std::int64_t index) {
  constexpr bool nan_wins = Fold::nan_below == Fold::picks_smallest;
  typename Fold::key found{};
  if constexpr (std::is_floating_point_v<Item>) {
    const bool slow = nan_wins ? may_have_nan && has_nan(items, count)
                               : extremum == end_of_range<Item, !Fold::picks_smallest>();
    if (slow) return absorb_slowly(Fold{}, own, items, count, index);
    if (extremum == 0) extremum = signed_zero<Fold::picks_smallest>(items, count);
    found = Fold::key_of(extremum);
  } else {
    found = extremum;
  }
  // Most blocks do not improve the result.
  if (own.index >= 0 && own.index < index && !Fold::better(found, own.key)) return;
  if constexpr (has_half_keys_v<Item>) {
    if (Fold::is_nan_key(found)) return absorb_slowly(Fold{}, own, items, count, index);
  }
  own = Fold{}.combine(own, {found, index + first_of(items, count, Fold::item_of(found))});
}

#endif  // not the portable targets

}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MONOFOLD_RUNTIME_SIMD_EXTREMA_INL
