/// runtime/simd_integers-inl: sums and sums of squares of small integers in vectors.

// Included once for each instruction set: see highway's foreach_target.h.
#if defined(MONOFOLD_RUNTIME_SIMD_INTEGERS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MONOFOLD_RUNTIME_SIMD_INTEGERS_INL
#undef MONOFOLD_RUNTIME_SIMD_INTEGERS_INL
#else
#define MONOFOLD_RUNTIME_SIMD_INTEGERS_INL
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "runtime/prefetch.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

/// Sum and sum of squares of a block, exactly.
struct block_sums {
  std::int64_t sum;
  unsigned __int128 squares;
};

template <class Item>
inline constexpr bool has_block_sums_v = HWY_TARGET != HWY_EMU128&& HWY_TARGET != HWY_SCALAR &&
                                         (sizeof(Item) == 1 ||
                                          (sizeof(Item) == 4 && std::is_integral_v<Item>));

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

namespace hn = hwy::HWY_NAMESPACE;

/// Blocks of bytes (a multiple of 64, at most 2^16 items).
///
/// Sums: bytes are made unsigned by flipping the sign bit (adding 128), and eight at a time added
/// by one instruction. Squares: 16-bit products added in pairs, each pair at most 2^15 signed or
/// 2 x 255^2 < 2^17 unsigned; 2^16 items in 16 lanes or fewer are 2^13 pairs a lane at most:
/// below 2^30.
template <bool squares, class Item>
HWY_INLINE block_sums sum_bytes(const Item* items, std::int64_t count, std::ptrdiff_t ahead) {
  using byte = std::conditional_t<std::is_signed_v<Item>, std::int8_t, std::uint8_t>;
  const hn::CappedTag<std::uint8_t, 64> d;
  const hn::Repartition<std::uint64_t, decltype(d)> d64;
  const hn::RepartitionToWide<hn::RebindToSigned<decltype(d)>> d16;
  const hn::RepartitionToWide<decltype(d16)> d32;
  const hn::Rebind<byte, decltype(d16)> half;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(items);
  const auto flip = hn::Set(d, std::is_signed_v<Item> ? 0x80 : 0);
  auto total = hn::Zero(d64);
  auto q0 = hn::Zero(d32), q1 = q0, q2 = q0, q3 = q0;
#pragma GCC unroll 4
  for (std::int64_t at = 0; at < count; at += n) {
    hwy::Prefetch(bytes + at + ahead);
    total = hn::Add(total, hn::SumsOf8(hn::Xor(hn::LoadU(d, bytes + at), flip)));
    if constexpr (squares) {
      const auto* const p = reinterpret_cast<const byte*>(bytes + at);
      const auto a = hn::PromoteTo(d16, hn::LoadU(half, p));
      const auto b = hn::PromoteTo(d16, hn::LoadU(half, p + n / 2));
      q0 = hn::ReorderWidenMulAccumulate(d32, a, a, q0, q1);
      q2 = hn::ReorderWidenMulAccumulate(d32, b, b, q2, q3);
    }
  }
  const auto offset = std::is_signed_v<Item> ? 128 * count : 0;
  block_sums out{static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(d64, total))) - offset, 0};
  if constexpr (squares) {
    // Each 32-bit lane is below 2^30; their sum is taken in 64 bits.
    alignas(64) std::int32_t lanes[4][64 / 4];
    hn::Store(q0, d32, lanes[0]);
    hn::Store(q1, d32, lanes[1]);
    hn::Store(q2, d32, lanes[2]);
    hn::Store(q3, d32, lanes[3]);
    std::uint64_t all = 0;
    for (const auto& part : lanes) {
      for (std::int64_t i = 0; i < n / 4; ++i) all += static_cast<std::uint32_t>(part[i]);
    }
    out.squares = all;
  }
  return out;
}

/// Blocks of 32-bit integers (a multiple of 16, at most 2^16 items).
///
/// A sum S of numbers x is kept twice: L = S modulo 2^w in the lane itself, and H = the sum of
/// x >> h. Then S = H 2^h + (the sum of the low halves), which is below 2^w and so equals
/// (L - H 2^h) modulo 2^w. For x: w = 32, h = 16, at most 2^16 / 8 items a lane, low halves below
/// 2^29. For squares: w = 64, h = 32. That saves the masks.
template <bool squares, class Item>
HWY_INLINE block_sums sum_words(const Item* items, std::int64_t count, std::ptrdiff_t ahead) {
  const hn::CappedTag<Item, 16> d;
  const hn::RepartitionToWide<decltype(d)> wide;
  const hn::RebindToUnsigned<decltype(wide)> d64;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  auto low = hn::Zero(d), high = hn::Zero(d);
  auto even_low = hn::Zero(d64), even_high = even_low, odd_low = even_low, odd_high = even_low;
#pragma GCC unroll 4
  for (std::int64_t at = 0; at < count; at += n) {
    hwy::Prefetch(reinterpret_cast<const char*>(items + at) + ahead);
    const auto x = hn::LoadU(d, items + at);
    low = hn::Add(low, x);
    high = hn::Add(high, hn::ShiftRight<16>(x));
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
  block_sums out{0, 0};
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

template <bool squares, class Item>
HWY_INLINE block_sums sum_block(const Item* items, std::int64_t count, std::ptrdiff_t ahead) {
  if constexpr (sizeof(Item) == 1) {
    return sum_bytes<squares>(items, count, ahead);
  } else {
    return sum_words<squares>(items, count, ahead);
  }
}

#endif  // not the portable targets

}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MONOFOLD_RUNTIME_SIMD_INTEGERS_INL
