/// runtime/simd_integers-inl: sums of small integers, of their squares and magnitudes, and both ends, in vectors.

// Included once for each instruction set: see highway's foreach_target.h.
#if defined(MONOFOLD_RUNTIME_SIMD_INTEGERS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MONOFOLD_RUNTIME_SIMD_INTEGERS_INL
#undef MONOFOLD_RUNTIME_SIMD_INTEGERS_INL
#else
#define MONOFOLD_RUNTIME_SIMD_INTEGERS_INL
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime/prefetch.hpp"
#include "runtime/simd_extrema-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

/// What is wanted of a block besides its sum.
enum class extras { none, squares, squares_and_extrema };

/// Sum, sum of squares and both ends of a block, exactly.
template <class Item>
struct block_sums {
  std::int64_t sum = 0;
  unsigned __int128 squares = 0;
  Item low = 0;
  Item high = 0;
};

template <class Item>
inline constexpr bool has_block_sums_v = HWY_TARGET != HWY_EMU128&& HWY_TARGET !=
                                             HWY_SCALAR&& std::is_integral_v<Item> &&
                                         sizeof(Item) <= 4;

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

namespace hn = hwy::HWY_NAMESPACE;

/// The sum of words of 32 bits in 64.
template <class D32>
HWY_INLINE std::int64_t wide_sum_of_lanes(D32 d, hn::Vec<D32> words) {
  alignas(64) std::int32_t lanes[16];
  hn::Store(words, d, lanes);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) sum += lanes[i];
  return sum;
}

/// Blocks of bytes (a multiple of 64, at most 2^16 items).
///
/// Bytes u are made unsigned by flipping the sign bit: u = x + 128. Sums: eight bytes are added by
/// one instruction. Squares: those of even and of odd bytes are added in pairs of at most
/// 2 x 255^2 < 2^17, and 2^16 items are 2^11 vectors of 32 or fewer: a lane stays below 2^28.
/// Then x^2 = u^2 - 256 u + 2^14.
template <extras wanted, class Item>
HWY_INLINE block_sums<Item> sum_bytes(const Item* items, std::int64_t count, std::ptrdiff_t ahead) {
  constexpr bool squares = wanted != extras::none;
  constexpr int offset = std::is_signed_v<Item> ? 128 : 0;
  const hn::CappedTag<std::uint8_t, 64> d;
  const hn::Repartition<std::uint64_t, decltype(d)> d64;
  const hn::RepartitionToWide<hn::RebindToSigned<decltype(d)>> d16;
  const hn::RepartitionToWide<decltype(d16)> d32;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(items);
  const auto flip = hn::Set(d, static_cast<std::uint8_t>(offset));
  const auto even_bytes = hn::Set(d16, 0xff);
  auto total = hn::Zero(d64);
  auto q0 = hn::Zero(d32), q1 = q0, q2 = q0, q3 = q0;
  auto low = hn::Set(d, 255), high = hn::Zero(d);
#pragma GCC unroll 2
  for (std::int64_t at = 0; at < count; at += n) {
    prefetch_ahead<vector_bytes>(bytes + at, ahead);
    const auto u = hn::Xor(hn::LoadU(d, bytes + at), flip);
    total = hn::Add(total, hn::SumsOf8(u));
    if constexpr (wanted == extras::squares_and_extrema) {
      low = hn::Min(low, u);
      high = hn::Max(high, u);
    }
    if constexpr (squares) {
      const auto pairs = hn::BitCast(d16, u);
      const auto even = hn::And(pairs, even_bytes);
      const auto odd = hn::BitCast(
          d16, hn::ShiftRight<8>(hn::BitCast(hn::RebindToUnsigned<decltype(d16)>(), u)));
      q0 = hn::ReorderWidenMulAccumulate(d32, even, even, q0, q1);
      q2 = hn::ReorderWidenMulAccumulate(d32, odd, odd, q2, q3);
    }
  }
  block_sums<Item> out;
  const auto sum = static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(d64, total)));
  out.sum = sum - offset * count;
  if constexpr (wanted == extras::squares_and_extrema) {
    out.low = static_cast<Item>(extremum_of_lanes<true>(d, low) - offset);
    out.high = static_cast<Item>(extremum_of_lanes<false>(d, high) - offset);
  }
  if constexpr (squares) {
    // Each lane is below 2^28, the four together below 2^30: their sum over lanes is taken in 64 bits.
    const auto q = hn::Add(hn::Add(q0, q1), hn::Add(q2, q3));
    const std::int64_t all = wide_sum_of_lanes(d32, q);
    out.squares = static_cast<std::uint64_t>(all - 2 * offset * sum + offset * offset * count);
  }
  return out;
}

/// Blocks of 16-bit integers (a multiple of 32, at most 2^16 items).
///
/// Unsigned ones are made signed by flipping the sign bit: x = s + 2^15, x^2 = s^2 + 2^16 s + 2^30. One
/// instruction adds two products: of s and 1 a lane stays below 2^28, of s and s they are at most 2^31.
template <extras wanted, class Item>
HWY_INLINE block_sums<Item> sum_shorts(const Item* items, std::int64_t count,
                                       std::ptrdiff_t ahead) {
  constexpr bool squares = wanted != extras::none;
  constexpr std::int64_t offset = std::is_signed_v<Item> ? 0 : 1 << 15;
  const hn::CappedTag<std::int16_t, 32> d;
  const hn::RepartitionToWide<decltype(d)> d32;
  const hn::Repartition<std::uint64_t, decltype(d)> d64;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  const auto* const p = reinterpret_cast<const std::int16_t*>(items);
  const auto flip = hn::Set(d, static_cast<std::int16_t>(offset == 0 ? 0 : -32768));
  const auto one = hn::Set(d, 1);
  const auto low_half = hn::Set(d64, 0xffffffffu);
  auto total = hn::Zero(d32), none = total;
  auto low = hn::Zero(d64), high = low;
  auto least = hn::Set(d, 32767), greatest = hn::Set(d, -32768);
#pragma GCC unroll 2
  for (std::int64_t at = 0; at < count; at += n) {
    prefetch_ahead<vector_bytes>(p + at, ahead);
    const auto x = hn::Xor(hn::LoadU(d, p + at), flip);
    total = hn::ReorderWidenMulAccumulate(d32, x, one, total, none);
    if constexpr (wanted == extras::squares_and_extrema) {
      least = hn::Min(least, x);
      greatest = hn::Max(greatest, x);
    }
    if constexpr (squares) {
      const auto pairs =
          hn::BitCast(d64, hn::ReorderWidenMulAccumulate(d32, x, x, hn::Zero(d32), none));
      low = hn::Add(low, hn::And(pairs, low_half));
      high = hn::Add(high, hn::ShiftRight<32>(pairs));
    }
  }
  const std::int64_t sum = wide_sum_of_lanes(d32, total);
  block_sums<Item> out;
  out.sum = sum + offset * count;
  if constexpr (wanted == extras::squares_and_extrema) {
    out.low = static_cast<Item>(hn::GetLane(hn::MinOfLanes(d, least)) + offset);
    out.high = static_cast<Item>(hn::GetLane(hn::MaxOfLanes(d, greatest)) + offset);
  }
  if constexpr (squares) {
    const auto all =
        static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(d64, hn::Add(low, high))));
    out.squares = static_cast<std::uint64_t>(all + 2 * offset * sum + offset * offset * count);
  }
  return out;
}

/// Blocks of 32-bit integers (a multiple of 16, at most 2^16 items).
///
/// A sum S of numbers x is kept twice: L = S modulo 2^w in the lane itself, and H = the sum of
/// x >> h. Then S = H 2^h + (the sum of the low halves), which is below 2^w and so equals
/// (L - H 2^h) modulo 2^w. For x: w = 32, h = 16, at most 2^16 / 8 items a lane, low halves below
/// 2^29. For squares: w = 64, h = 32. That saves the masks.
template <extras wanted, class Item>
HWY_INLINE block_sums<Item> sum_words(const Item* items, std::int64_t count, std::ptrdiff_t ahead) {
  constexpr bool squares = wanted != extras::none;
  const hn::CappedTag<Item, 16> d;
  const hn::RepartitionToWide<decltype(d)> wide;
  const hn::RebindToUnsigned<decltype(wide)> d64;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  auto low = hn::Zero(d), high = hn::Zero(d);
  auto least = hn::Set(d, std::numeric_limits<Item>::max());
  auto greatest = hn::Set(d, std::numeric_limits<Item>::min());
  auto even_low = hn::Zero(d64), even_high = even_low, odd_low = even_low, odd_high = even_low;
#pragma GCC unroll 4
  for (std::int64_t at = 0; at < count; at += n) {
    prefetch_ahead<vector_bytes>(items + at, ahead);
    const auto x = hn::LoadU(d, items + at);
    low = hn::Add(low, x);
    high = hn::Add(high, hn::ShiftRight<16>(x));
    if constexpr (wanted == extras::squares_and_extrema) {
      least = hn::Min(least, x);
      greatest = hn::Max(greatest, x);
    }
    if constexpr (squares) {
      const auto odd = hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(d64, x)));
      const auto e = hn::BitCast(d64, hn::MulEven(x, x));
      const auto o = hn::BitCast(d64, hn::MulEven(odd, odd));
      if constexpr (std::is_signed_v<Item>) {
        const auto both = hn::Add(e, o);  // at most 2^62 each
        even_low = hn::Add(even_low, both);
        even_high = hn::Add(even_high, hn::ShiftRight<32>(both));
      } else {
        even_low = hn::Add(even_low, e);
        odd_low = hn::Add(odd_low, o);
        even_high = hn::Add(even_high, hn::ShiftRight<32>(e));
        odd_high = hn::Add(odd_high, hn::ShiftRight<32>(o));
      }
    }
  }
  alignas(64) Item l[16];
  alignas(64) Item h[16];
  hn::Store(low, d, l);
  hn::Store(high, d, h);
  block_sums<Item> out;
  if constexpr (wanted == extras::squares_and_extrema) {
    out.low = hn::GetLane(hn::MinOfLanes(d, least));
    out.high = hn::GetLane(hn::MaxOfLanes(d, greatest));
  }
  for (std::int64_t i = 0; i < n; ++i) {
    const auto rest = static_cast<std::uint32_t>(static_cast<std::uint32_t>(l[i]) -
                                                 (static_cast<std::uint32_t>(h[i]) << 16));
    out.sum += static_cast<std::int64_t>(h[i]) * 65536 + rest;
  }
  if constexpr (squares) {
    alignas(64) std::uint64_t ql[8];
    alignas(64) std::uint64_t qh[8];
    for (const bool odd : {false, true}) {
      hn::Store(odd ? odd_low : even_low, d64, ql);
      hn::Store(odd ? odd_high : even_high, d64, qh);
      for (std::int64_t i = 0; i < n / 2; ++i) {
        const std::uint64_t rest = ql[i] - (qh[i] << 32);
        out.squares += (static_cast<unsigned __int128>(qh[i]) << 32) + rest;
      }
    }
  }
  return out;
}

template <extras wanted, class Item>
HWY_NOINLINE block_sums<Item> sum_block(const Item* items, std::int64_t count,
                                        std::ptrdiff_t ahead) {
  if constexpr (sizeof(Item) == 1) {
    return sum_bytes<wanted>(items, count, ahead);
  } else if constexpr (sizeof(Item) == 2) {
    return sum_shorts<wanted>(items, count, ahead);
  } else {
    return sum_words<wanted>(items, count, ahead);
  }
}

/// The sum of the magnitudes of integers (a multiple of 64), of which that of the least one is a number where there is
/// no sign. Eight bytes are added by one instruction: the sum of shorts is that of all bytes and 255 times that of the
/// upper ones. A lane adds two words, L, and the upper ones once more, H: the lower ones are L - 2^32 H.
template <class Item>
HWY_INLINE std::uint64_t sum_magnitudes(const Item* items, std::int64_t count,
                                        std::ptrdiff_t ahead) {
  const hn::CappedTag<Item, 64 / sizeof(Item)> d;
  const hn::Repartition<std::uint8_t, decltype(d)> d8;
  const hn::Repartition<std::uint64_t, decltype(d)> d64;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  const auto upper_bytes = hn::Set(d64, 0xff00ff00ff00ff00u);
  auto total = hn::Zero(d64), upper = total;
  for (std::int64_t at = 0; at < count; at += n) {
    prefetch_ahead<vector_bytes>(items + at, ahead);
    auto x = hn::LoadU(d, items + at);
    if constexpr (std::is_signed_v<Item>) x = hn::Abs(x);
    const auto words = hn::BitCast(d64, x);
    if constexpr (sizeof(Item) == 4) {
      total = hn::Add(total, words);
      upper = hn::Add(upper, hn::ShiftRight<32>(words));
    } else {
      total = hn::Add(total, hn::SumsOf8(hn::BitCast(d8, words)));
      if constexpr (sizeof(Item) == 2) {
        upper = hn::Add(upper, hn::SumsOf8(hn::BitCast(d8, hn::And(words, upper_bytes))));
      }
    }
  }
  if constexpr (sizeof(Item) == 4) {
    total = hn::Add(hn::Sub(total, hn::ShiftLeft<32>(upper)), upper);
  } else if constexpr (sizeof(Item) == 2) {
    total = hn::Add(total, hn::Sub(hn::ShiftLeft<8>(upper), upper));
  }
  return hn::GetLane(hn::SumOfLanes(d64, total));
}

#endif  // not the portable targets

}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MONOFOLD_RUNTIME_SIMD_INTEGERS_INL
