#pragma once
/// plan/top_launch: how a GPU grid shares out the tiles when it looks for the k best items. Arithmetic
/// only; it changes no bit of a result.

#include <cstdint>

#include "monofold/plan/launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold {

/// The most items a GPU picks: twice as many candidates, of 16 bytes, fit in the 48 KiB of shared memory
/// that a launch may have without asking.
inline constexpr std::int64_t max_top_items = 1024;

/// Two blocks of 512 threads for each of 132 multiprocessors (an H200).
inline constexpr int max_top_blocks = 264;
inline constexpr int top_threads = 512;
inline constexpr int top_warps = top_threads / 32;

/// A *chunk* is 16 tiles, one for each warp of a block. Blocks begin with chunks that lie evenly in the range, the
/// first and the last among them; the others follow in order, to all blocks in turns. So of items that ascend or
/// descend few tiles have news. (With a counter of tiles for all warps 64 MiB took 1.4 times as long.) If tiles are
/// few, some warps of each block take one, and there are more blocks, each of which has less to fetch.
struct top_launch {
  std::int64_t tiles;
  std::uint32_t chunks;      // of 16 KiB or more, so that 2^32 are more than any memory has
  std::uint32_t chunk_step;  // between those that blocks begin with
  int chunk_warps;           // that take a tile
  int blocks;
  int index_shift;  // positions shifted right by it fit 32 bits
  bool is_mailed;   // blocks meet by mail, else by a ticket

  /// Whether blocks have further chunks.
  MONOFOLD_HD_CALL constexpr bool has_rounds() const {
    return chunks > static_cast<std::uint32_t>(blocks);
  }
};

/// The chunk that comes at a turn.
MONOFOLD_HD_CALL constexpr std::uint32_t top_chunk_at(const top_launch& plan, std::uint32_t turn) {
  if (!plan.has_rounds()) return turn;
  const auto begun = static_cast<std::uint32_t>(plan.blocks) - 1;  // chunks 0, step, 2 step, ..
  if (turn < begun) return turn * plan.chunk_step;
  if (turn == begun) return plan.chunks - 1;
  const std::uint32_t rest = turn - begun - 1;
  const std::uint32_t between = plan.chunk_step - 1;
  return rest < begun * between ? rest + rest / between + 1 : rest + begun;
}

/// The tile of a warp at a turn; `tiles`, or one behind it, is none.
MONOFOLD_HD_CALL constexpr std::int64_t top_tile_at(const top_launch& plan, std::uint32_t turn,
                                                    int warp) {
  if (warp >= plan.chunk_warps) return plan.tiles;
  return std::int64_t{top_chunk_at(plan, turn)} * plan.chunk_warps + warp;
}

/// Up to so many items, blocks find a bound among the bests of lanes, and meet by mail.
inline constexpr std::int64_t max_few_top_items = 32;

/// How many warps of a block take tiles. Each block has the less to fetch of few tiles the more blocks there are.
constexpr int top_chunk_warps(std::int64_t tiles, std::int64_t k) {
  constexpr int thin_blocks = 128;
  constexpr int least = 4;  // with fewer tiles a block there is more to mail than that saves
  if (k > max_few_top_items || tiles <= top_warps ||
      tiles > std::int64_t{top_warps} * thin_blocks) {
    return top_warps;
  }
  const auto warps = static_cast<int>((tiles + thin_blocks - 1) / thin_blocks);
  return warps < least ? least : warps;
}

/// The words of an entry in the mail: of a score, and of a position that is not in it.
inline constexpr int most_entry_words = 3;

/// The launch for so many tiles of `tile_items` positions each, on up to `most_blocks` blocks.
constexpr top_launch top_launch_for(std::int64_t tiles, int tile_items, std::int64_t k,
                                    int most_blocks = max_top_blocks) {
  const int warps = top_chunk_warps(tiles, k);
  const auto chunks = static_cast<std::uint32_t>(tiles > 0 ? (tiles + warps - 1) / warps : 1);
  const int blocks =
      chunks < static_cast<unsigned>(most_blocks) ? static_cast<int>(chunks) : most_blocks;
  const std::uint32_t step = blocks > 1 ? (chunks - 1) / (static_cast<unsigned>(blocks) - 1) : 1;
  int shift = 0;
  while ((tiles * tile_items) >> shift > 0xffffffff) ++shift;
  // A mailed position has 32 bits.
  const bool is_mailed = blocks > 1 && shift == 0 && k <= max_few_top_items;
  static_assert(max_top_blocks * max_few_top_items * most_entry_words <= max_mail_words);
  return {tiles, chunks, step, warps, blocks, shift, is_mailed};
}

/// How many candidates a block may be left with: some more than k, so that a bound needs no exact
/// search.
MONOFOLD_HD_CALL constexpr int top_survivors(int k) { return k + k / 4 + 16; }

}  // namespace monofold
