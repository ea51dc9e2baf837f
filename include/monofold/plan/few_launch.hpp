#pragma once
/// plan/few_launch: when an exact sum is of few items, and how a GPU grid shares them out. Arithmetic only; it changes no
/// bit of a result.

#include <cstddef>
#include <cstdint>

namespace monofold {

inline constexpr int few_warps = 8;
inline constexpr int few_threads = few_warps * 32;

/// Each warp takes one tile: four chunks of 16 bytes a lane.
inline constexpr std::int64_t few_tile_bytes = 4 * 32 * 16;

/// Up to so many bytes items are few, for sums of items, or also of their squares.
///
/// source     measured on an H200, calls of normal data in a stream, time over that of the kernel for any number of
///            items. Answers of sums: 0.55 at 1 KiB, 0.70 (float32) to 0.92 (float16) at 64 KiB, 0.91 (float16) at 256
///            KiB, 0.88 and 0.83 (float32) at 2 and 4 MiB, 1.0 at 512 KiB (float16, float64). States of sums: 0.61 to 0.68
///            at 1 KiB, 0.75 to 0.88 at 64 KiB, 0.90 and 0.85 (float32) at 2 and 4 MiB. States of squares too: 0.50 to
///            0.56 at 1 KiB, 0.49 (float16) to 0.80 (bfloat16) at 64 KiB, 0.68 to 0.81 at 2 MiB, which are one block a
///            multiprocessor; answers of float64: 0.40, 0.64, 0.75. Where all exponents differ sums of 16 KiB take up to
///            1.6, statistics of float64 up to 1.5, states of variances of float64 up to 1.7
constexpr std::int64_t most_few_bytes(std::size_t item_bytes, bool with_squares) {
  constexpr std::int64_t kib = 1024;
  if (with_squares) return 2048 * kib;
  return (item_bytes == 8 ? 256 : item_bytes == 4 ? 4096 : 512) * kib;
}

/// The tiles of so many bytes from a boundary of 16 on.
constexpr int few_tiles_for(std::int64_t bytes) {
  return static_cast<int>((bytes + few_tile_bytes - 1) / few_tile_bytes);
}

/// The blocks for so many tiles: of four tiles, or eight where that would be more than 128 blocks, which are twice as many
/// where these have not enough warps. Sums of up to eight are one block's; not if extrema are looked for too, by the other
/// half of the warps.
///
/// source     measured on an H200: of 16 to 512 tiles of float32 and bfloat16 two, four and eight a block differ by up
///            to 4 %
constexpr int few_blocks_for(int tiles, bool with_extrema) {
  if (tiles <= (with_extrema ? few_warps / 2 : few_warps)) return 1;
  const int thin = (tiles + 3) / 4;
  if (thin <= 128) return thin;
  return tiles <= 128 * few_warps ? 128 : 256;
}

}  // namespace monofold
