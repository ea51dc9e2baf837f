/// runtime/simd_factors-inl: sums of products of the integers of two arrays, in vectors.

// Included once for each instruction set: see highway's foreach_target.h.
#if defined(MONOFOLD_RUNTIME_SIMD_FACTORS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MONOFOLD_RUNTIME_SIMD_FACTORS_INL
#undef MONOFOLD_RUNTIME_SIMD_FACTORS_INL
#else
#define MONOFOLD_RUNTIME_SIMD_FACTORS_INL
#endif  // MONOFOLD_RUNTIME_SIMD_FACTORS_INL

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "monofold/platform/numbers.hpp"
#include "monofold/platform/wide_int.hpp"
#include "runtime/prefetch.hpp"
#include "runtime/simd_extrema-inl.hpp"
#include "runtime/simd_integers-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

/// Factors in two arrays (a multiple of 64, at most 2^14): bytes become shorts, and two products of at most 2^16 are
/// added by one instruction: a lane stays below 2^31.
template <class Item>
requires(sizeof(Item) == 1) HWY_INLINE uint256
    dot_factors(const Item* left, const Item* right, std::int64_t count, std::ptrdiff_t ahead) {
  const hn::CappedTag<std::int16_t, 32> d16;
  const hn::Rebind<Item, decltype(d16)> d;
  const hn::RepartitionToWide<decltype(d16)> d32;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d16));
  auto sum = hn::Zero(d32), more = sum;
  for (std::int64_t at = 0; at < count; at += n) {
    prefetch_ahead<vector_bytes>(left + at, ahead);
    prefetch_ahead<vector_bytes>(right + at, ahead);
    const auto x = hn::PromoteTo(d16, hn::LoadU(d, left + at));
    const auto y = hn::PromoteTo(d16, hn::LoadU(d, right + at));
    sum = hn::ReorderWidenMulAccumulate(d32, x, y, sum, more);
  }
  return monofold::detail::extended(wide_sum_of_lanes(d32, hn::Add(sum, more)));
}

/// Shorts, where signs of unsigned ones are flipped: that subtracts 2^15. One instruction adds two products modulo 2^32.
/// Their sum is from 2^16 - 2^31 to 2^31, so that it is known once `lift` makes it no less than 0.
template <class Item>
requires(sizeof(Item) == 2) HWY_INLINE uint256
    dot_factors(const Item* left, const Item* right, std::int64_t count, std::ptrdiff_t ahead) {
  constexpr bool is_signed = std::is_signed_v<Item>;
  constexpr std::int64_t lift = (std::int64_t{1} << 31) - (std::int64_t{1} << 16);
  const hn::CappedTag<std::int16_t, 32> d;
  const hn::RepartitionToWide<decltype(d)> d32;
  const hn::Repartition<std::uint64_t, decltype(d)> d64;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  const auto flip = hn::Set(d, is_signed ? std::int16_t{0} : std::int16_t{-0x8000});
  const auto one = hn::Set(d, std::int16_t{1});
  const auto up = hn::Set(d32, static_cast<std::int32_t>(lift));
  const auto half = hn::Set(d64, 0xffffffff);
  const auto none = hn::Zero(d32);
  auto even = hn::Zero(d64), odd = even;
  auto sum = none;
  [[maybe_unused]] auto unused = none;
  for (std::int64_t at = 0; at < count; at += n) {
    prefetch_ahead<vector_bytes>(left + at, ahead);
    prefetch_ahead<vector_bytes>(right + at, ahead);
    const auto load = [&](const Item* from) HWY_ATTR {
      return hn::Xor(hn::LoadU(d, reinterpret_cast<const std::int16_t*>(from)), flip);
    };
    const auto x = load(left + at), y = load(right + at);
    const auto pairs =
        hn::BitCast(d64, hn::Add(hn::ReorderWidenMulAccumulate(d32, x, y, none, unused), up));
    even = hn::Add(even, hn::And(pairs, half));
    odd = hn::Add(odd, hn::ShiftRight<32>(pairs));
    if constexpr (!is_signed) {
      sum = hn::ReorderWidenMulAccumulate(d32, x, one, sum, unused);
      sum = hn::ReorderWidenMulAccumulate(d32, y, one, sum, unused);
    }
  }
  auto all = static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(d64, hn::Add(even, odd)))) -
             count / 2 * lift;
  if constexpr (!is_signed) {
    all += wide_sum_of_lanes(d32, sum) * (1 << 15) + (count << 30);
  }
  return monofold::detail::extended(all);
}

/// Words of 32 bits: a sum S is kept as L = S modulo 2^64 and H = the sum of upper halves, as in simd_integers-inl.
template <class Item>
requires(sizeof(Item) == 4) HWY_INLINE uint256
    dot_factors(const Item* left, const Item* right, std::int64_t count, std::ptrdiff_t ahead) {
  const hn::CappedTag<Item, 16> d;
  const hn::RepartitionToWide<decltype(d)> wide;
  const hn::RebindToUnsigned<decltype(wide)> d64;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  auto low = hn::Zero(wide), high = low;
  for (std::int64_t at = 0; at < count; at += n) {
    prefetch_ahead<vector_bytes>(left + at, ahead);
    prefetch_ahead<vector_bytes>(right + at, ahead);
    const auto x = hn::LoadU(d, left + at), y = hn::LoadU(d, right + at);
    const auto odd = [&](auto v) HWY_ATTR {
      return hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(d64, v)));
    };
    const auto even_product = hn::MulEven(x, y), odd_product = hn::MulEven(odd(x), odd(y));
    low = hn::Add(low, hn::Add(even_product, odd_product));
    high = hn::Add(high, hn::ShiftRight<32>(even_product));
    high = hn::Add(high, hn::ShiftRight<32>(odd_product));
  }
  alignas(64) hn::TFromD<decltype(wide)> l[8], h[8];
  hn::Store(low, wide, l);
  hn::Store(high, wide, h);
  int128 all = 0;
  for (std::int64_t i = 0; i < n / 2; ++i) {
    const auto upper = static_cast<std::uint64_t>(h[i]);
    all += (static_cast<int128>(h[i]) << 32) + (static_cast<std::uint64_t>(l[i]) - (upper << 32));
  }
  return monofold::detail::extended(all);
}

/// Words of 64 bits by their halves a and b: x = 2^32 a + b, where the sign bit of signed ones is flipped: that adds
/// 2^63. Sums of products of halves, and of x and y for what that added, are kept as L and H.
template <class Item>
requires(sizeof(Item) == 8) HWY_INLINE uint256
    dot_factors(const Item* left, const Item* right, std::int64_t count, std::ptrdiff_t ahead) {
  constexpr bool is_signed = std::is_signed_v<Item>;
  const hn::CappedTag<std::uint64_t, 8> d;
  const hn::Repartition<std::uint32_t, decltype(d)> d32;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  const auto flip = hn::Set(d, is_signed ? std::uint64_t{1} << 63 : 0);
  const auto none = hn::Zero(d);
  // Sums of b d, a d, b c, a c, x, y, where y = 2^32 c + d.
  auto low0 = none, low1 = none, low2 = none, low3 = none, low4 = none, low5 = none;
  auto high0 = none, high1 = none, high2 = none, high3 = none, high4 = none, high5 = none;
  const auto add_to = [&](auto& low, auto& high, auto v) HWY_ATTR {
    low = hn::Add(low, v);
    high = hn::Add(high, hn::ShiftRight<32>(v));
  };
  for (std::int64_t at = 0; at < count; at += n) {
    prefetch_ahead<vector_bytes>(left + at, ahead);
    prefetch_ahead<vector_bytes>(right + at, ahead);
    const auto x = hn::Xor(hn::LoadU(d, reinterpret_cast<const std::uint64_t*>(left + at)), flip);
    const auto y = hn::Xor(hn::LoadU(d, reinterpret_cast<const std::uint64_t*>(right + at)), flip);
    const auto a = hn::ShiftRight<32>(x), c = hn::ShiftRight<32>(y);
    const auto times = [&](auto u, auto v) HWY_ATTR {
      return hn::MulEven(hn::BitCast(d32, u), hn::BitCast(d32, v));
    };
    add_to(low0, high0, times(x, y));
    add_to(low1, high1, times(a, y));
    add_to(low2, high2, times(x, c));
    add_to(low3, high3, times(a, c));
    if constexpr (is_signed) {
      low4 = hn::Add(low4, x);
      high4 = hn::Add(high4, a);
      low5 = hn::Add(low5, y);
      high5 = hn::Add(high5, c);
    }
  }
  const auto total = [&](auto low, auto high) HWY_ATTR {
    alignas(64) std::uint64_t l[8], h[8];
    hn::Store(low, d, l);
    hn::Store(high, d, h);
    uint128 all = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      all += (static_cast<uint128>(h[i]) << 32) + (l[i] - (h[i] << 32));
    }
    return all;
  };
  const uint128 mid = total(low1, high1) + total(low2, high2);
  const uint128 upper = total(low3, high3);
  const auto shifted = [](uint128 v, int bits) { return multiply(v, uint128{1} << bits); };
  uint256 out = monofold::add(widen(total(low0, high0)), shifted(mid, 32));
  out = monofold::add(out, shifted(upper, 64));
  if constexpr (is_signed) {
    // (x - 2^63)(y - 2^63) = x y - 2^63 (x + y) + 2^126
    out = monofold::subtract(out, shifted(total(low4, high4) + total(low5, high5), 63));
    out = monofold::add(out, shifted(static_cast<uint128>(count), 126));
  }
  return out;
}

#endif  // not the portable targets

}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MONOFOLD_RUNTIME_SIMD_FACTORS_INL
