#pragma once
/// plan/segment_launch: how a GPU shares out the segments of a view. Arithmetic only; it changes no bit.

#include <cstdint>

#include "monofold/platform/host_device.hpp"

namespace monofold {

/// A warp takes `group` neighbouring segments, `groups` times, and folds those of up to a tile; what is longer
/// goes to the second kernel: up to medium_tiles to a warp, else in nodes of 2^node_level tiles, or more, to
/// blocks. Rows of one length, of several tiles, go there at once: each, or a node of it, to a team of warps.
struct segment_launch {
  std::int64_t segments;
  std::int64_t warps;  // of the first kernel; 0: it is not started
  std::int64_t medium_tiles;
  std::int32_t group;
  std::int32_t groups;
  std::int32_t node_level;
  std::int32_t long_blocks;  // of the second kernel; 0: it is not started
  std::int32_t max_nodes;    // of a segment: as many states as a block joins at once
  std::int32_t team_level;   // of rows of one length: 2^team_level warps of a block
  std::int64_t row_tiles;    // of each; 0: they have no length of their own, or up to a tile
  std::int32_t tiny_items;   // of rows of one length that lanes take as they are; 0: others
  std::int32_t row_nodes;    // of each row of one length; 0: as many as node_level says
  bool is_even;              // nodes of a segment have the same number of tiles, about 2^node_level

  MONOFOLD_HD constexpr int node_level_of(std::int64_t tiles) const {
    int level = node_level;
    while (tiles >> level >= max_nodes) ++level;
    return level;
  }
  MONOFOLD_HD constexpr std::int64_t nodes_of(std::int64_t tiles) const {
    const int level = node_level_of(tiles);
    if (!is_even) return (tiles + (std::int64_t{1} << level) - 1) >> level;
    const std::int64_t nearest = (tiles + (std::int64_t{1} << level) / 2) >> level;
    return nearest == 0 && tiles > 0 ? 1 : nearest;
  }
  /// The nodes of each row of one length. Apart from `nodes_of`, so that kernels of folds in order have no branch for it.
  MONOFOLD_HD constexpr std::int64_t nodes_of_row() const {
    return row_nodes > 0 ? row_nodes : nodes_of(row_tiles);
  }
};

/// So few segments need no list: each block of the second kernel finds its units among all of them. Where they may
/// overlap, each could have as many units as the view.
inline constexpr std::int64_t max_few_segments = 1024;
inline constexpr std::int64_t max_few_overlapping = 64;

/// So many rows of one length may be cut: each has a counter of blocks that are done.
inline constexpr std::int64_t max_cut_rows = 4096;

/// Exact sums of rows of so many tiles meet as integers, those of so many nodes.
inline constexpr std::int64_t most_short_row_tiles = std::int64_t{1} << 18;
inline constexpr int most_joined_sums = 512;
/// A warp adds up to so many tiles to one, of segments by offsets and of rows by itself up to half as many more. Squares
/// are added in tiles half as large, of which a short sum has room for 127: those beyond make words of it.
inline constexpr std::int64_t most_short_warp_tiles = 64;

/// What a host knows of segments.
struct segment_facts {
  std::int64_t segments;
  std::int64_t items;  // of the view
  std::int64_t tile_items;
  std::int64_t fixed_length;  // -1: lengths are on the device
  bool may_overlap;
  bool any_order;  // their tiles may be joined in any order
};

/// The largest power of two that is not above `number`, between two others.
MONOFOLD_HD constexpr std::int64_t floor_power(std::int64_t number, std::int64_t least,
                                               std::int64_t most) {
  std::int64_t power = least;
  while (2 * power <= number && power < most) power *= 2;
  return power;
}

/// The medium segments, and the units of longer ones, for which there is room.
constexpr std::int64_t medium_capacity_of(const segment_launch& plan, const segment_facts& facts) {
  if (plan.row_tiles > 0) return 0;
  const std::int64_t most = facts.items / facts.tile_items;
  return facts.may_overlap || most > plan.segments ? plan.segments : most;
}
constexpr std::int64_t unit_capacity_of(const segment_launch& plan, const segment_facts& facts) {
  const std::int64_t tiles = facts.items / facts.tile_items + 1;
  // Beyond the first level a segment of fewer tiles may have more nodes than one of all of them.
  const std::int64_t longest =
      plan.node_level_of(tiles) > plan.node_level ? plan.max_nodes : plan.nodes_of(tiles);
  if (plan.row_tiles > 0) {
    const std::int64_t nodes = plan.nodes_of_row();
    return nodes == 1 ? 0 : facts.segments * nodes;
  }
  if (plan.warps == 0 && facts.may_overlap) return facts.segments * longest;
  // A segment has a tile more than its items fill, and a node more than its tiles fill.
  if (plan.warps == 0) return ((tiles + facts.segments) >> plan.node_level) + facts.segments;
  // Each has more than medium_tiles, and a last node that is not whole.
  const std::int64_t once = (tiles >> plan.node_level) + tiles / plan.medium_tiles + 1;
  const std::int64_t all = facts.segments < once / longest ? facts.segments * longest : once;
  const std::int64_t least = std::int64_t{16} * plan.long_blocks;  // enough for all blocks
  return facts.may_overlap && all < least ? least : all;
}

/// The launch for so many segments on a device of so many multiprocessors.
constexpr segment_launch segment_launch_for(const segment_facts& facts, int multiprocessors) {
  segment_launch plan{};
  plan.segments = facts.segments;
  const bool is_fixed = facts.fixed_length >= 0;
  const std::int64_t total = is_fixed ? facts.segments * facts.fixed_length : facts.items;
  const std::int64_t tiles = total / facts.tile_items + 1;
  // What a warp folds by itself: a small part of the time that all take. A block has more to do beside its tiles.
  plan.medium_tiles = floor_power(tiles / (4 * multiprocessors), 1, 16);
  if (facts.any_order && plan.medium_tiles == 16) {
    plan.medium_tiles = floor_power(tiles / (8 * multiprocessors), 16, 64);
  }
  // 2 to 4 nodes a multiprocessor, which has room for some 2 blocks: a node costs microseconds beside its tiles. Exact
  // sums of no more than 1.5 * 2^7 of them are short.
  int level = 3;
  const std::int64_t few = facts.may_overlap ? max_few_overlapping : max_few_segments;
  const bool are_few = facts.segments <= few && !is_fixed;
  const int most_level = are_few && facts.any_order ? 9 : 7;
  while (level < most_level && (std::int64_t{2} << level) * 2 * multiprocessors <= tiles) ++level;
  plan.node_level = level;
  plan.long_blocks = 4 * multiprocessors;
  plan.max_nodes = 2048;
  plan.is_even = facts.any_order;
  if (are_few) {
    // No more blocks than run at once: each finds its nodes first.
    const std::int64_t nodes = unit_capacity_of(plan, facts);
    plan.long_blocks =
        static_cast<std::int32_t>(nodes < 2 * multiprocessors ? nodes : 2 * multiprocessors);
    if (plan.long_blocks == 0) plan.long_blocks = 1;
    return plan;
  }
  if (is_fixed && facts.fixed_length <= facts.tile_items) plan.long_blocks = 0;
  // Segments that fill a tile together; those of unknown lengths with a third to spare.
  const std::int64_t each = total / (facts.segments + 1) + 1;
  const std::int64_t spare = is_fixed ? 0 : each / 3;
  plan.group = static_cast<std::int32_t>(floor_power(facts.tile_items / (each + spare), 1, 1024));
  // A warp with long segments alone looks at 32 of them.
  if (!is_fixed && each > 2 * facts.tile_items) plan.group = 32;
  const std::int64_t groups = (facts.segments + plan.group - 1) / plan.group;
  plan.groups = static_cast<std::int32_t>(
      floor_power(groups / (std::int64_t{multiprocessors} * 32 * 8), 1, 4));
  plan.warps = (groups + plan.groups - 1) / plan.groups;
  return plan;
}

/// The same where a warp takes up to 32 segments at a time, whatever their lengths: as many as make a warp for each place
/// on the device, 32 a multiprocessor; of much work rather twice as many than a few more. No more than 8 tiles: of short
/// segments several lots, of up to two tiles together. Where most are long it only lists them.
///
/// source     on an H200, over 128 warps a multiprocessor: 0.3 to 0.9 of the time from 4 to 64 MiB; 4 lots of 60 to 100
///            items a warp take 1.2 to 1.4 times as long as one
constexpr segment_launch page_launch_for(segment_launch plan, const segment_facts& facts,
                                         int multiprocessors) {
  const std::int64_t total =
      facts.fixed_length >= 0 ? facts.segments * facts.fixed_length : facts.items;
  const std::int64_t each = total / (plan.segments + 1) + 1;
  const bool are_long = 4 * each > 5 * facts.tile_items;
  const std::int64_t most = are_long ? 32 : floor_power(8 * facts.tile_items / each, 2, 32);
  const std::int64_t places = std::int64_t{multiprocessors} * 32;
  const std::int64_t wanted = are_long ? most : plan.segments * 4 / (3 * places);
  plan.group = static_cast<std::int32_t>(floor_power(wanted, 2, most));
  const auto pages = [&] { return (plan.segments + plan.group - 1) / plan.group; };
  const bool is_much = plan.group * each >= facts.tile_items;
  if (is_much && !are_long && pages() > places && pages() < 2 * places) plan.group /= 2;
  const std::int64_t lots = 2 * facts.tile_items / (each * plan.group);
  const std::int64_t enough = pages() / (4 * places);
  plan.groups = static_cast<std::int32_t>(floor_power(lots < enough ? lots : enough, 1, 8));
  plan.warps = (pages() + plan.groups - 1) / plan.groups;
  return plan;
}

/// The same for rows of one length of a few items, which lanes take as they are: a warp has up to 256 rows before there
/// are more warps than run at once, and of exact sums, which begin with more instructions than 32 rows take, up to 2048.
constexpr segment_launch tiny_launch_for(segment_launch plan, const segment_facts& facts,
                                         int multiprocessors) {
  plan.tiny_items = static_cast<std::int32_t>(facts.fixed_length);
  const std::int64_t pages = (plan.segments + plan.group - 1) / plan.group;
  const std::int64_t places = std::int64_t{multiprocessors} * 32;
  const std::int64_t each = (pages + places - 1) / places;
  const std::int64_t most = facts.any_order ? 64 : 8;
  plan.groups = static_cast<std::int32_t>(each < most ? each : most);
  plan.warps = (pages + plan.groups - 1) / plan.groups;
  return plan;
}

/// Whether so many units leave few of so many places idle, in the last of the waves in which they come, too.
constexpr bool fill_places(std::int64_t units, std::int64_t places) {
  const std::int64_t waves = (units + places - 1) / places;
  return units * 8 >= waves * places * 7;
}

/// Into how many nodes a row is cut whose tiles may be joined in any order, each folded by a block of so many warps: few
/// enough for all blocks to run at once, or so many that hardly any place on the device is idle at the end.
constexpr std::int64_t even_row_nodes(std::int64_t rows, std::int64_t row_tiles, int block_warps,
                                      std::int64_t blocks_at_once, std::int64_t most) {
  const std::int64_t warp_rows = (row_tiles + block_warps - 1) / block_warps;  // a tile a warp
  const std::int64_t at_once = rows > 0 ? blocks_at_once / rows : 1;
  const std::int64_t least = (warp_rows + most_short_warp_tiles - 1) / most_short_warp_tiles;
  std::int64_t nodes = at_once > 1 ? at_once : 1;
  if (nodes > warp_rows) nodes = warp_rows;
  if (nodes < least) nodes = least;
  if (nodes >= most) return most;
  // Nodes of fewer than 16 tiles a warp cost more than places that are idle.
  for (std::int64_t more = nodes; more * 16 <= warp_rows && more <= most; ++more) {
    if (fill_places(more * rows, blocks_at_once)) return more;
  }
  return nodes;
}

/// The same for rows of one length that have several tiles, by blocks of so many warps, a power of two; so many run at
/// once on a multiprocessor.
constexpr segment_launch long_rows_launch_for(segment_launch plan, const segment_facts& facts,
                                              int block_warps, int warps_at_once,
                                              int multiprocessors) {
  plan.row_tiles = (facts.fixed_length + facts.tile_items - 1) / facts.tile_items;
  plan.warps = 0;
  // All warps at once, up to 16 tiles each.
  const std::int64_t at_once = std::int64_t{warps_at_once} * multiprocessors;
  std::int64_t each = 1;
  while (each < 16 && facts.segments * plan.row_tiles > each * at_once) each *= 2;
  // Exact sums are shared out evenly: rather a few tiles more a warp than twice as many warps, which must meet.
  const std::int64_t spare = plan.is_even ? plan.row_tiles / 8 : 0;
  // Warps that need not meet are never idle together: one goes from row to row.
  if (plan.is_even && plan.row_tiles <= most_short_warp_tiles * 3 / 2 &&
      fill_places(facts.segments, at_once)) {
    const std::int64_t blocks = at_once / block_warps;
    const std::int64_t needed = (facts.segments + block_warps - 1) / block_warps;
    plan.long_blocks = static_cast<std::int32_t>(needed < blocks ? needed : blocks);
    while (std::int64_t{1} << plan.node_level < plan.row_tiles) ++plan.node_level;
    plan.row_nodes = 1;
    return plan;
  }
  while (1 << plan.team_level < block_warps && each << plan.team_level < plan.row_tiles - spare) {
    ++plan.team_level;
  }
  const bool may_be_cut = facts.segments <= max_cut_rows;
  const std::int64_t node_tiles = may_be_cut ? each << plan.team_level : plan.row_tiles;
  plan.node_level = 0;
  while (std::int64_t{1} << plan.node_level < node_tiles) ++plan.node_level;
  if (plan.is_even && may_be_cut && 1 << plan.team_level == block_warps) {
    plan.row_nodes = static_cast<std::int32_t>(
        even_row_nodes(facts.segments, plan.row_tiles, block_warps, at_once / block_warps,
                       plan.max_nodes < most_joined_sums ? plan.max_nodes : most_joined_sums));
  }
  const std::int64_t warps = facts.segments * plan.nodes_of_row() << plan.team_level;
  plan.long_blocks = static_cast<std::int32_t>((warps + block_warps - 1) / block_warps);
  return plan;
}

}  // namespace monofold
