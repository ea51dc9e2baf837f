#pragma once
/// plan/top_launch: how a GPU grid shares out the tiles when it looks for the k best items. Arithmetic
/// only; it changes no bit of a result.

#include <cstdint>

#include "monofold/platform/host_device.hpp"

namespace monofold {

/// The most items a GPU picks: twice as many candidates, of 16 bytes, fit in the 48 KiB of shared memory
/// that a launch may have without asking.
inline constexpr std::int64_t max_top_items = 1024;

/// Two blocks of 512 threads for each of 132 multiprocessors (an H200). Where there are fewer
/// multiprocessors, blocks that start late find little left to do.
inline constexpr int max_top_blocks = 264;
inline constexpr int top_threads = 512;
inline constexpr int top_warps = top_threads / 32;

/// A *ticket* is a warp's share of a *chunk*: of 16 tickets, whose warps read neighbouring tiles at
/// about the same time, which keeps pages of memory open. Chunks come in the order 0, s, 2 s, .. modulo
/// their number, so that ascending items look shuffled and few tiles have news.
struct top_launch {
  std::int64_t tiles;
  std::int64_t chunks;
  std::int64_t chunk_step;  // s, without a common divisor with `chunks`
  std::uint32_t tickets;    // of 4 KiB or more, so that 2^31 are more than any memory has
  int tiles_per_ticket;
  int blocks;
  int index_shift;  // positions shifted right by it fit 32 bits

  std::int64_t chunk_tiles() const { return std::int64_t{top_warps} * tiles_per_ticket; }
};

/// The tile that a ticket begins with; its next ones are 16 tiles apart. Tiles may lie behind the last.
MONOFOLD_HD_CALL constexpr std::int64_t first_top_tile(std::uint32_t ticket, std::int64_t chunks,
                                                       std::int64_t chunk_step,
                                                       int tiles_per_ticket) {
  const std::uint64_t turn = ticket / top_warps;
  const auto chunk = static_cast<std::int64_t>(turn * static_cast<std::uint64_t>(chunk_step) %
                                               static_cast<std::uint64_t>(chunks));
  return chunk * top_warps * tiles_per_ticket + ticket % top_warps;
}

/// The largest quotient of Euclid's algorithm for the two numbers; 0 where they have a common divisor.
constexpr std::int64_t largest_quotient(std::int64_t n, std::int64_t step) {
  std::int64_t largest = 0;
  while (step != 0) {
    largest = n / step > largest ? n / step : largest;
    const std::int64_t rest = n % step;
    n = step;
    step = rest;
  }
  return n == 1 ? largest : 0;
}

/// A step of about 0.618 n, without a common divisor with n, whose multiples lie evenly modulo n: those
/// of the golden ratio lie so best, since all its quotients are 1. A quotient q leaves a stretch of q
/// multiples in a row, each a little above the last: q times the best items so far.
constexpr std::int64_t golden_step(std::int64_t n) {
  constexpr std::int64_t low = 4;  // some eight steps are tried until all quotients are so low
  auto step = static_cast<std::int64_t>(0.6180339887498949 * static_cast<double>(n));
  if (step < 1) step = 1;
  std::int64_t best = 0;
  std::int64_t best_quotient = 0;
  for (int tries = 0; tries < 64 || best == 0; ++tries, ++step) {
    const std::int64_t largest = largest_quotient(n, step);
    if (largest == 0 || (best != 0 && largest >= best_quotient)) continue;
    best = step;
    best_quotient = largest;
    if (largest <= low) break;
  }
  return best;
}

/// The tiles of a ticket. It costs one atomic operation on one address, of which some 1.5 a nanosecond can
/// be done; a tile takes about 1 ns. Fewer tiles a ticket let warps end together.
constexpr int top_tiles_per_ticket(std::int64_t tiles) {
  return tiles >= 262144 ? 4 : tiles >= 32768 ? 2 : 1;
}
constexpr std::int64_t top_chunks_for(std::int64_t tiles) {
  const std::int64_t chunk_tiles = std::int64_t{top_warps} * top_tiles_per_ticket(tiles);
  return tiles > 0 ? (tiles + chunk_tiles - 1) / chunk_tiles : 1;
}
constexpr int top_blocks_for(std::int64_t tiles) {
  const std::int64_t chunks = top_chunks_for(tiles);
  return static_cast<int>(chunks < max_top_blocks ? chunks : max_top_blocks);
}

/// The launch for so many tiles of `tile_items` positions each.
constexpr top_launch top_launch_for(std::int64_t tiles, int tile_items) {
  const std::int64_t chunks = top_chunks_for(tiles);
  int shift = 0;
  while ((tiles * tile_items) >> shift > 0xffffffff) ++shift;
  return {tiles,
          chunks,
          golden_step(chunks),
          static_cast<std::uint32_t>(chunks * top_warps),
          top_tiles_per_ticket(tiles),
          top_blocks_for(tiles),
          shift};
}

/// How many candidates a block may be left with: some more than k, so that a bound needs no exact
/// search.
MONOFOLD_HD_CALL constexpr int top_survivors(int k) { return k + k / 4 + 16; }

}  // namespace monofold
