#pragma once
/// level/lanes: what the values of a warp's lanes come to, in all of them.

#include <cstdint>
#include <type_traits>

#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/wide_int.hpp"

// sync: all 32 lanes of the warp call each of these together.

// Devices from compute capability 8.0 on add and compare 32-bit words of lanes by one instruction.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define MONOFOLD_REDUCES_LANES 1
#else
#define MONOFOLD_REDUCES_LANES 0
#endif

namespace monofold::detail {

/// The values joined in any order.
template <class T, class Join>
MONOFOLD_GPU T join_all_lanes(T own, const Join& join) {
  MONOFOLD_UNROLL
  for (int distance = 1; distance < warp_lanes; distance *= 2) {
    own = join(own, shuffle_from(own, lane_rank() ^ distance));
  }
  return own;
}

/// The lanes that say yes, as bits; how many they are.
MONOFOLD_GPU std::uint32_t lanes_with(bool yes) { return __ballot_sync(all_lanes, yes ? 1 : 0); }
MONOFOLD_GPU int count_bits(std::uint32_t lanes) {
#if defined(__CUDA_ARCH__)
  return __popc(lanes);
#else
  return __builtin_popcount(lanes);
#endif
}
MONOFOLD_GPU int count_lanes(bool yes) { return count_bits(lanes_with(yes)); }

/// The lowest of some lanes, given as bits.
MONOFOLD_GPU int lowest_lane(std::uint32_t lanes) {
#if defined(__CUDA_ARCH__)
  return __ffs(static_cast<int>(lanes)) - 1;
#else
  return __builtin_ctz(lanes);
#endif
}

/// The sum of words, modulo 2^32.
MONOFOLD_GPU std::uint32_t sum_of_lanes(std::uint32_t own) {
#if MONOFOLD_REDUCES_LANES
  return __reduce_add_sync(all_lanes, own);
#else
  return join_all_lanes(own, [](std::uint32_t a, std::uint32_t b) { return a + b; });
#endif
}
MONOFOLD_GPU int sum_of_lanes(int own) {
  return static_cast<int>(sum_of_lanes(static_cast<std::uint32_t>(own)));
}

/// The sum of integers below 2^57 in magnitude.
MONOFOLD_GPU std::int64_t sum_of_lanes(std::int64_t own) {
#if MONOFOLD_REDUCES_LANES
  // In unsigned pieces of 26 bits, 32 of which add up to less than 2^32.
  constexpr std::uint64_t lift = std::uint64_t{1} << 57;
  constexpr std::uint32_t piece = (1u << 26) - 1;
  const std::uint64_t up = static_cast<std::uint64_t>(own) + lift;
  const std::uint64_t low = sum_of_lanes(static_cast<std::uint32_t>(up) & piece);
  const std::uint64_t middle = sum_of_lanes(static_cast<std::uint32_t>(up >> 26) & piece);
  const std::uint64_t high = sum_of_lanes(static_cast<std::uint32_t>(up >> 52));
  return static_cast<std::int64_t>((high << 52) + (middle << 26) + low - warp_lanes * lift);
#else
  return join_all_lanes(own, [](std::int64_t a, std::int64_t b) { return a + b; });
#endif
}

/// The sum of words, modulo 2^64.
MONOFOLD_GPU std::uint64_t sum_of_lanes(std::uint64_t own) {
#if MONOFOLD_REDUCES_LANES
  // In pieces of 26 bits, 32 of which add up to less than 2^32.
  constexpr std::uint32_t piece = (1u << 26) - 1;
  const std::uint64_t low = sum_of_lanes(static_cast<std::uint32_t>(own) & piece);
  const std::uint64_t middle = sum_of_lanes(static_cast<std::uint32_t>(own >> 26) & piece);
  const std::uint64_t high = sum_of_lanes(static_cast<std::uint32_t>(own >> 52));
  return (high << 52) + (middle << 26) + low;
#else
  return join_all_lanes(own, [](std::uint64_t a, std::uint64_t b) { return a + b; });
#endif
}

/// The sum of integers, modulo 2^128.
MONOFOLD_GPU int128 sum_of_lanes(int128 own) {
#if MONOFOLD_REDUCES_LANES
  // In unsigned pieces of 26 bits, 32 of which add up to less than 2^32, and one of 24.
  constexpr std::uint32_t piece = (1u << 26) - 1;
  const auto bits = static_cast<uint128>(own);
  uint128 sum = 0;
  MONOFOLD_UNROLL
  for (int p = 0; p < 4; ++p) {
    const std::uint32_t part = static_cast<std::uint32_t>(bits >> (26 * p)) & piece;
    sum += uint128{sum_of_lanes(part)} << (26 * p);
  }
  const auto high = static_cast<std::uint32_t>(static_cast<std::int32_t>(own >> 104));
  return static_cast<int128>(sum + (static_cast<uint128>(sum_of_lanes(high)) << 104));
#else
  return join_all_lanes(own, [](int128 a, int128 b) {
    return static_cast<int128>(static_cast<uint128>(a) + static_cast<uint128>(b));
  });
#endif
}

/// The sum of integers, modulo 2^256.
MONOFOLD_GPU uint256 sum_of_lanes(const uint256& own) {
  constexpr std::uint64_t half = 0xffffffffu;
  uint256 out{};
  uint128 carried = 0;
  MONOFOLD_UNROLL
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t low = sum_of_lanes(own.limb[i] & half);
    carried += (uint128{sum_of_lanes(own.limb[i] >> 32)} << 32) + low;
    out.limb[i] = static_cast<std::uint64_t>(carried);
    carried >>= 64;
  }
  return out;
}

/// The sum over the lanes up to each one: of each, not of all.
MONOFOLD_GPU int sum_up_to_lane(int own) {
  MONOFOLD_UNROLL
  for (int distance = 1; distance < warp_lanes; distance *= 2) {
    const int from = lane_rank() - distance;
    const int other = shuffle_from(own, from < 0 ? lane_rank() : from);
    if (from >= 0) own += other;
  }
  return own;
}

/// The smallest (or largest) integer.
template <bool smallest, class Number>
MONOFOLD_GPU Number extreme_of_lanes(Number own) {
  static_assert(std::is_integral_v<Number> && sizeof(Number) <= 8);
#if MONOFOLD_REDUCES_LANES
  if constexpr (sizeof(Number) <= 4) {
    using word = std::conditional_t<std::is_signed_v<Number>, int, unsigned>;
    if constexpr (smallest) {
      return static_cast<Number>(__reduce_min_sync(all_lanes, static_cast<word>(own)));
    } else {
      return static_cast<Number>(__reduce_max_sync(all_lanes, static_cast<word>(own)));
    }
  } else {
    // High words first; then low words of those lanes that have the best.
    using high_word = std::conditional_t<std::is_signed_v<Number>, std::int32_t, std::uint32_t>;
    const auto high = static_cast<high_word>(own >> 32);
    const high_word best = extreme_of_lanes<smallest>(high);
    const std::uint32_t worst = smallest ? ~std::uint32_t{0} : 0;
    const std::uint32_t low =
        extreme_of_lanes<smallest>(high == best ? static_cast<std::uint32_t>(own) : worst);
    return static_cast<Number>(static_cast<std::uint64_t>(static_cast<std::uint32_t>(best)) << 32 |
                               low);
  }
#else
  return join_all_lanes(own, [](Number a, Number b) { return smallest == (b < a) ? b : a; });
#endif
}
template <class Number>
MONOFOLD_GPU Number smallest_of_lanes(Number own) {
  return extreme_of_lanes<true>(own);
}
template <class Number>
MONOFOLD_GPU Number largest_of_lanes(Number own) {
  return extreme_of_lanes<false>(own);
}

/// The first lane that says yes; one does.
MONOFOLD_GPU int first_lane_with(bool yes) { return lowest_lane(lanes_with(yes)); }

}  // namespace monofold::detail

#undef MONOFOLD_REDUCES_LANES
