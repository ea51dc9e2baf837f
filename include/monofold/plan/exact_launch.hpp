#pragma once
/// plan/exact_launch: how a GPU grid shares out the tiles of an exact sum. Arithmetic only; it changes no
/// bit of a result.

#include <cstdint>

namespace monofold {

inline constexpr int exact_warps = 8;
inline constexpr int exact_threads = exact_warps * 32;

/// Blocks on a multiprocessor at a time: 768 threads of 80 registers, each with eight loads of 16 bytes on
/// their way. Four blocks of 64 registers spill, and take 1.06 to 1.3 times as long.
inline constexpr int exact_resident_blocks = 3;

/// One block takes up to so many tiles, two a warp: then no blocks have to meet.
inline constexpr std::int64_t max_exact_block_tiles = 16;

/// The blocks for so many tiles of 4 KiB: all stay until the end, and their warps take tiles in turn.
constexpr std::int64_t exact_blocks_for(std::int64_t tiles, int multiprocessors) {
  if (tiles <= max_exact_block_tiles) return 1;
  const std::int64_t wanted = (tiles + exact_warps - 1) / exact_warps;
  const std::int64_t most = std::int64_t{multiprocessors} * exact_resident_blocks;
  return wanted < most ? wanted : most;
}

}  // namespace monofold
