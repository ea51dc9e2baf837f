#pragma once
/// plan/exact_launch: how a GPU grid shares out the tiles of an exact sum. Arithmetic only; it changes no
/// bit of a result.

#include <cstdint>

#include "monofold/platform/host_device.hpp"

namespace monofold {

inline constexpr int exact_warps = 8;
inline constexpr int exact_threads = exact_warps * 32;

/// Blocks on a multiprocessor at a time: 512 threads of up to 128 registers, each with eight loads of 16
/// bytes on their way. Three blocks of 80 registers spill: sums are as fast, products take 1.2 times as
/// long, variances 1.7 times.
inline constexpr int exact_resident_blocks = 2;

/// Warps that take no more tiles than this keep all of them in their own words.
inline constexpr int few_exact_tiles = 4;

/// Whether the warps of so many blocks do.
MONOFOLD_HD constexpr bool takes_few_tiles(std::int64_t tiles, std::int64_t blocks) {
  return tiles <= blocks * exact_warps * few_exact_tiles;
}

/// One block takes up to so many tiles, one a warp: then no blocks have to meet.
inline constexpr std::int64_t max_exact_block_tiles = exact_warps;

/// So few tiles, two a warp of 256 blocks, are spread thin: latency counts, and blocks meet by mail.
inline constexpr std::int64_t max_thin_exact_tiles = 4096;
/// Then no more blocks than these, whose warps take the tiles in turn.
///
/// source     measured on an H100: isolated sums of 48 to 128 KiB take 0.92 to 0.99 of the time of a tile a block
constexpr std::int64_t max_thin_exact_blocks(std::int64_t tiles) {
  return tiles <= 32 ? (tiles + 1) / 2 : tiles <= 1024 ? 128 : 256;
}

/// No grid has more blocks.
inline constexpr std::int64_t max_exact_blocks = 1024;

/// The blocks for so many tiles of 4 KiB: all stay until the end, and their warps take tiles in turn.
constexpr std::int64_t exact_blocks_for(std::int64_t tiles, int multiprocessors) {
  if (tiles <= max_exact_block_tiles) return 1;
  if (tiles <= max_thin_exact_tiles) {
    return tiles < max_thin_exact_blocks(tiles) ? tiles : max_thin_exact_blocks(tiles);
  }
  const std::int64_t wanted = (tiles + exact_warps - 1) / exact_warps;
  const std::int64_t resident = std::int64_t{multiprocessors} * exact_resident_blocks;
  const std::int64_t most = resident < max_exact_blocks ? resident : max_exact_blocks;
  return wanted < most ? wanted : most;
}

}  // namespace monofold
