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

/// Up to so many bytes items are few.
///
/// source     measured on an H200, sums of normal data in a stream, against the kernel for any number of items: 0.55 of its
///            time at 1 KiB, 0.71 to 0.84 at 64 KiB, 0.81 to 0.93 at 256 KiB; of float32 0.93 at 1 MiB, of others 1.03 to
///            1.05. Where all exponents differ it is the slower one from 4 KiB on, up to 1.5 times
constexpr std::int64_t most_few_bytes(std::size_t item_bytes) {
  return std::int64_t{item_bytes == 4 ? 1024 : 256} << 10;
}

/// The tiles of so many bytes from a boundary of 16 on.
constexpr int few_tiles_for(std::int64_t bytes) {
  return static_cast<int>((bytes + few_tile_bytes - 1) / few_tile_bytes);
}

/// The blocks for so many tiles: up to 128.
///
/// source     measured on an H200: of float32 and bfloat16 two, four and eight tiles a block differ by up to 4 %
constexpr int few_blocks_for(int tiles) { return tiles <= few_warps ? 1 : (tiles + 3) / 4; }

}  // namespace monofold
