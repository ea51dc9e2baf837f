#pragma once
/// plan/launch: how a GPU grid shares out the tiles. Arithmetic only; it changes no bit of a result.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "monofold/plan/tiles.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold {

/// What a launch has to know of a fold.
struct launch_facts {
  int state_bytes;
  int tile_state_bytes;   // that a block keeps for each of its tiles; 0: a state a warp is enough
  int warp_state_bytes;   // that it keeps for each of its warps
  int accumulator_bytes;  // of a lane, at a time
  bool is_staged;         // runs of items come through shared memory
  int members = 1;        // that warps may share out
};

/// A block takes 2^block_level neighbouring tiles, a node of the tree: tile j goes to warp j mod warps.
/// Neighbouring warps then read neighbouring tiles, which keeps pages of memory open.
struct tile_launch {
  std::int64_t tiles;
  std::int64_t blocks;
  int threads;
  int block_level;
  bool is_few;     // so few tiles that latency counts
  bool is_mailed;  // blocks meet by mail, else by a ticket
};

/// The states of a block's tiles may take so much shared memory, and all of a block's together so much:
/// a launch may have 48 KiB without asking, and the parts are rounded up.
inline constexpr int max_tile_states_bytes = 12 * 1024;
inline constexpr int max_shared_bytes = 47 * 1024;

/// Whether the states of so many tiles fit.
constexpr bool fits_in_shared(const launch_facts& facts, int warps, int tiles) {
  const int staging = facts.is_staged ? warps * tile_rows * tile_lanes * lane_bytes : 0;
  const int states = tiles * facts.tile_state_bytes;
  return states <= max_tile_states_bytes &&
         staging + states + warps * facts.warp_state_bytes <= max_shared_bytes;
}

/// The largest state that a block can hold for its warps and tiles.
inline constexpr int max_state_bytes = 8 * 1024;

/// The most threads a block may have. Half of 64 Ki registers a multiprocessor for 512 threads are 64
/// a thread: 32 for a tile in flight, the rest for accumulators. Where those take more, 256 threads.
constexpr int max_block_threads(const launch_facts& facts) {
  if (facts.state_bytes > 512) return 64;
  if (facts.is_staged || facts.accumulator_bytes > 32 || facts.state_bytes > 32) return 256;
  return 512;
}

/// The same of a kernel for few tiles, whose blocks may have a multiprocessor each.
constexpr int max_few_threads(const launch_facts& facts) {
  const int most = max_block_threads(facts);
  return facts.members > 1 && most == 256 && !facts.is_staged ? 2 * most : most;
}

/// Two blocks a multiprocessor: one loads while the other joins.
inline constexpr int min_resident_blocks = 2;

/// Ranges of up to so many tiles are spread thin: latency counts, and no multiprocessor should have to
/// fetch much. So many blocks at most, which then meet by mail: the last block has a thread for each.
///
/// source     measured on an H100: from 13 MiB on 128 blocks of 512 threads take 0.72 to 1.04 of the time of 256 of 256
inline constexpr int max_thin_tiles = 4096;
inline constexpr int max_thin_tiles_of_8_warps = 3328;
constexpr int max_thin_blocks(std::int64_t tiles, int warps) {
  return tiles <= 1024 || warps > 8 ? 128 : 256;
}

/// Whether a state of so many bytes goes by mail: larger ones in words, one a lane.
inline constexpr int max_mailed_bytes = 128;
constexpr bool goes_by_mail(std::size_t bytes) {
  return bytes <= 16 || (bytes <= max_mailed_bytes && bytes % 4 == 0);
}

/// The states of up to so many blocks go by mail, a word for each 4 bytes; those of more would wait for each
/// other longer than it takes to store and read them.
inline constexpr std::int64_t max_mail_blocks = 1024;
inline constexpr std::int64_t max_mail_words = max_mail_blocks * max_mailed_bytes / 4;
MONOFOLD_HD_CALL constexpr bool may_mail(std::int64_t blocks) {
  return blocks > 1 && blocks <= max_mail_blocks;
}
constexpr bool meets_by_mail(std::int64_t blocks, const launch_facts& facts) {
  return may_mail(blocks) && goes_by_mail(static_cast<std::size_t>(facts.state_bytes));
}

/// One block takes up to so many tiles; of an `all`, up to so many states of them.
///
/// source     measured on an H100: eight statistics of 8 tiles by a block a tile take 0.69 (bfloat16), 0.82 (float32) and
///            0.87 (float64) of one block's time, of 4 tiles of float32 1.05
inline constexpr int max_block_tiles = 16;
inline constexpr int max_block_members = 24;
static_assert(max_block_tiles <= max_block_members, "of a fold alone the tiles decide");

/// How far warps of a launch of many tiles take more tiles each: up to 2^most_level, while so many blocks are left.
struct tile_share {
  int most_level;
  std::int64_t least_blocks;
};

/// source     measured on an H100 and an H200 (132 multiprocessors). Two blocks of 512 threads a multiprocessor are
///            264: folds of a state a warp do best where these fold all. Where part of the array stays in the
///            second-level cache, up to 128 MiB, two tiles a warp do
constexpr tile_share share_of(std::int64_t tiles, const launch_facts& facts, int warps) {
  if (warps <= 8) return {facts.tile_state_bytes == 0 ? 6 : 5, 512};
  if (tiles < 32768) return {1, 256};
  if (facts.tile_state_bytes == 0) return {24, 256};
  return {tiles <= 65536 ? 4 : 3, 512};
}

/// The launch for this many tiles.
///
/// source     measured on an H200 (132 multiprocessors): one block of up to 16 tiles
constexpr tile_launch launch_for(std::int64_t tiles, const launch_facts& facts) {
  const int most_warps = max_block_threads(facts) / tile_lanes;
  const bool may_meet = goes_by_mail(static_cast<std::size_t>(facts.state_bytes));
  if (tiles <= most_warps && tiles <= max_block_tiles &&
      (facts.members * tiles <= max_block_members || !may_meet)) {
    int level = 0;
    while (1 << level < tiles) ++level;
    int warps = 1 << level;
    while (2 * warps <= most_warps && warps < facts.members << level &&
           fits_in_shared(facts, 2 * warps, 1 << level)) {
      warps *= 2;
    }
    return {tiles, 1, warps * tile_lanes, level, true, false};
  }
  if (tiles <= max_thin_tiles && most_warps >= 8) {
    const bool has_more = tiles > max_thin_tiles_of_8_warps && facts.members == 1;
    const int warps = has_more ? most_warps : 8;
    int level = 0;
    while ((tiles + (std::int64_t{1} << level) - 1) >> level > max_thin_blocks(tiles, warps)) {
      ++level;
    }
    if (fits_in_shared(facts, warps, 1 << level)) {
      const std::int64_t blocks = (tiles + (std::int64_t{1} << level) - 1) >> level;
      // Members that share out tiles take one each a warp.
      const bool is_few = facts.members == 1 || 1 << level <= warps;
      return {tiles, blocks, warps * tile_lanes, level, is_few, meets_by_mail(blocks, facts)};
    }
  }
  const int warps = most_warps;
  const tile_share share = share_of(tiles, facts, warps);
  int level = 0;  // 2^level tiles a warp
  while (level < share.most_level && (share.least_blocks * warps << (level + 1)) <= tiles &&
         fits_in_shared(facts, warps, (2 * warps) << level)) {
    ++level;
  }
  const int block_level =
      static_cast<int>(std::bit_width(static_cast<unsigned>(warps))) - 1 + level;
  const std::int64_t block_tiles = std::int64_t{1} << block_level;
  const std::int64_t blocks = (tiles + block_tiles - 1) / block_tiles;
  return {tiles, blocks, warps * tile_lanes, block_level, false, meets_by_mail(blocks, facts)};
}

/// The same launch with twice as many warps a block, among which the last block shares out what many others mailed of the
/// members of an `all`. Where there are fewer multiprocessors than blocks, some wait for others: it takes longer, no more.
///
/// source     measured on an H200, eight plain statistics in a stream: 512 KiB take 0.90 of the time, 4 MiB 0.81 (bfloat16)
///            to 0.87; of 64 blocks and fewer 1.0
constexpr tile_launch widened(tile_launch plan, const launch_facts& facts) {
  const bool is_wider = facts.members > 1 && plan.is_few && plan.is_mailed && plan.blocks > 64 &&
                        plan.blocks <= 128 && 2 * plan.threads <= max_few_threads(facts) &&
                        fits_in_shared(facts, 2 * plan.threads / tile_lanes, 1 << plan.block_level);
  if (is_wider) plan.threads *= 2;
  return plan;
}

}  // namespace monofold
