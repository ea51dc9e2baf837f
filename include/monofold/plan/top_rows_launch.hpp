#pragma once
/// plan/top_rows_launch: how a GPU shares out the rows in each of which it looks for the k best items. Arithmetic only;
/// it changes no bit.

#include <cstdint>

#include "monofold/plan/segment_launch.hpp"
#include "monofold/plan/top_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold {

/// A warp looks for up to so many items in rows of up to a tile, and four warps share a longer row. A block that looks
/// for more is one warp, whose candidates take 16 KiB and more.
inline constexpr int max_warp_top_items = 128;
inline constexpr int top_row_warps = 4;
MONOFOLD_HD_CALL constexpr int warps_of_top_row(int k) {
  return k <= max_warp_top_items ? top_row_warps : 1;
}

/// Places for the candidates of a warp: those that are left when they are thinned out, and 32 that come at once.
MONOFOLD_HD constexpr int top_pool_places(int k) { return k <= max_warp_top_items ? 256 : 2048; }
static_assert(top_survivors(max_warp_top_items) + 32 <= top_pool_places(max_warp_top_items));
static_assert(top_survivors(max_top_items) + 32 <= top_pool_places(max_top_items));

/// So many candidates are thinned out behind a tile, which gives a better bound for the next: it costs about what
/// adding 32 of them does.
MONOFOLD_HD constexpr int top_pool_settled(int k) { return top_survivors(k) + 32; }

/// What kernels are started with. A warp takes rows of up to `short_tiles` (0: none), a block longer ones.
struct top_rows_launch {
  segment_launch list;
  std::int32_t short_tiles;
};

/// The launch for so many segments on a device of so many multiprocessors, with room for some 8 blocks each.
///
/// Segments of up to two nodes go whole to a block; longer ones in nodes of like size.
/// `may_fail`: rows of k items or more may be without an answer, which the second kernel tells.
constexpr top_rows_launch top_rows_launch_for(const segment_facts& facts, int k, bool may_fail,
                                              int multiprocessors) {
  segment_launch plan{};
  plan.segments = facts.segments;
  plan.is_even = true;
  plan.max_nodes = 2048;
  const std::int64_t blocks = std::int64_t{8} * multiprocessors;
  const std::int64_t tiles = facts.items / facts.tile_items + 1;
  // As many nodes as blocks, but of two tiles a warp or more: what is left to do when the last node ends is less.
  int level = 3;
  while (level < 7 && (std::int64_t{2} << level) * blocks <= tiles) ++level;
  plan.node_level = level;
  plan.medium_tiles = std::int64_t{2} << level;
  plan.long_blocks = static_cast<std::int32_t>(blocks);
  // A row costs a block some microseconds beside its tiles. A warp takes several tiles where there are so many that
  // each of some 24 a multiprocessor has 8 such rows.
  const auto short_tiles = k > max_warp_top_items
                               ? 0
                               : static_cast<std::int32_t>(floor_power(
                                     tiles / (std::int64_t{multiprocessors} * 24 * 8), 1, 16));
  const bool is_fixed = facts.fixed_length >= 0;
  const bool is_short = facts.fixed_length <= short_tiles * facts.tile_items;
  if (is_fixed && is_short && facts.fixed_length >= k && !may_fail) plan.long_blocks = 0;
  // Rows of up to 32 items go together; of longer ones as few a warp as keep all warps at work. What is only listed
  // is looked at 32 at a time.
  const std::int64_t each = facts.items / (facts.segments + 1) + 1;
  const std::int64_t enough = std::int64_t{multiprocessors} * 32 * 4;
  plan.group =
      is_fixed && !is_short
          ? 32
          : static_cast<std::int32_t>(floor_power(facts.segments / enough, each <= 32 ? 8 : 1, 32));
  plan.groups = 1;
  plan.warps = (facts.segments + plan.group - 1) / plan.group;
  return {plan, short_tiles};
}

}  // namespace monofold
