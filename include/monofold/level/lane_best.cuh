#pragma once
/// level/lane_best: the smallest (or largest) key among a lane's items of a tile.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "monofold/fold/extrema.hpp"
#include "monofold/level/load.cuh"
#include "monofold/level/slot_array.hpp"
#include "monofold/level/warp_tile.cuh"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::detail {

// Hardware comparisons follow IEEE 754-2019: -0 below +0, and NaN wins (minimum, maximum) or loses
// (minimumNumber, maximumNumber), which is what order keys do.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define MONOFOLD_PICK(name, registers, type)                                                  \
  template <bool smallest, bool nan_wins>                                                     \
  MONOFOLD_GPU type pick_##name(type a, type b) {                                             \
    type out;                                                                                 \
    if constexpr (smallest && nan_wins) {                                                     \
      asm("min.NaN." #name " %0, %1, %2;" : "=" registers(out) : registers(a), registers(b)); \
    } else if constexpr (smallest) {                                                          \
      asm("min." #name " %0, %1, %2;" : "=" registers(out) : registers(a), registers(b));     \
    } else if constexpr (nan_wins) {                                                          \
      asm("max.NaN." #name " %0, %1, %2;" : "=" registers(out) : registers(a), registers(b)); \
    } else {                                                                                  \
      asm("max." #name " %0, %1, %2;" : "=" registers(out) : registers(a), registers(b));     \
    }                                                                                         \
    return out;                                                                               \
  }
MONOFOLD_PICK(f32, "f", float)
MONOFOLD_PICK(f16x2, "r", std::uint32_t)
MONOFOLD_PICK(bf16x2, "r", std::uint32_t)
#undef MONOFOLD_PICK
#endif

/// The best key of 16 bytes of items, by comparing keys.
template <class Fold, class Item, int count>
MONOFOLD_GPU typename Fold::key best_of(typename Fold::key own,
                                        const slot_array<Item, count>& items) {
  MONOFOLD_UNROLL
  for (int v = 0; v < count; ++v) {
    const auto k = Fold::key_of(items[v]);
    own = Fold::better(k, own) ? k : own;
  }
  return own;
}

/// The best key among the items of a lane in a whole, held tile.
template <class Fold, class Tile>
MONOFOLD_GPU typename Fold::key best_in_lane(const Tile& tile) {
  using key = typename Fold::key;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  using item = typename Tile::item;
  constexpr bool smallest = Fold::picks_smallest;
  constexpr bool nan_wins = Fold::nan_below == smallest;
  if constexpr (std::is_same_v<item, float>) {
    float own = tile.template get<true>(0)[0];
    MONOFOLD_UNROLL
    for (int k = 0; k < tile_rows; ++k) {
      const auto items = tile.template get<true>(k);
      MONOFOLD_UNROLL
      for (int v = k == 0 ? 1 : 0; v < 4; ++v) own = pick_f32<smallest, nan_wins>(own, items[v]);
    }
    return Fold::key_of(own);
  } else if constexpr (std::is_same_v<item, float16> || std::is_same_v<item, bfloat16>) {
    std::uint32_t own = tile.raw(0).word[0];
    MONOFOLD_UNROLL
    for (int k = 0; k < tile_rows; ++k) {
      const bytes16 raw = tile.raw(k);
      MONOFOLD_UNROLL
      for (int v = k == 0 ? 1 : 0; v < 4; ++v) {
        if constexpr (std::is_same_v<item, float16>) {
          own = pick_f16x2<smallest, nan_wins>(own, raw.word[v]);
        } else {
          own = pick_bf16x2<smallest, nan_wins>(own, raw.word[v]);
        }
      }
    }
    const key low = Fold::key_of(bits_as<item>(static_cast<std::uint16_t>(own)));
    const key high = Fold::key_of(bits_as<item>(static_cast<std::uint16_t>(own >> 16)));
    return Fold::better(high, low) ? high : low;
  } else
#endif
  {
    key own = Fold::key_of(tile.template get<true>(0)[0]);
    MONOFOLD_UNROLL
    for (int k = 0; k < tile_rows; ++k) own = best_of<Fold>(own, tile.template get<true>(k));
    return own;
  }
}

}  // namespace monofold::detail
