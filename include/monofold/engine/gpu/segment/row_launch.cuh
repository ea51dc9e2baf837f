#pragma once
/// engine/gpu/segment/row_launch: which rows of one length are folded by whole chunks, and by how many warps.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/segment/exact_row.cuh"
#include "monofold/engine/gpu/segment/exact_team.cuh"
#include "monofold/engine/gpu/segment/moment_row.cuh"
#include "monofold/engine/gpu/tree/warp_fold.cuh"
#include "monofold/engine/gpu/tree/warp_tile.cuh"
#include "monofold/fold/fold.hpp"
#include "monofold/level/shuffle.cuh"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/shape/view.hpp"

namespace monofold::detail {

/// Whether a row's exact sums are added as doubles: those of its items, or of their squares, too.
template <class F, class Term>
inline constexpr bool folds_as_doubles_v = sums_as_double_v<Term>;
template <class F, class Item>
inline constexpr bool folds_as_doubles_v<F, moments_term<Item>> =
    adds_by_doubles_v<F, moments_term<Item>>;

/// Whether rows may be folded by whole chunks: the items of a chunk are those that the plan gives to the slots of one
/// lane.
template <class F, class View>
inline constexpr bool folds_chunks_v = false;
template <class F, contiguous_item_view View>
inline constexpr bool folds_chunks_v<F, View> = folds_as_doubles_v<F, segment_term_t<F, View>> ||
                                                (std::is_void_v<segment_term_t<F, View>> &&
                                                 is_commutative_v<F> && !may_repeat_v<F> &&
                                                 !is_all_fold<F>::value && warp_tile<View>::held &&
                                                 !is_large_v<F, typename View::item_type> &&
                                                 sizeof(accumulator_t<F>) <= 32);

/// Whether several rows may lie in one chunk: each item must have a slot of its own.
template <class F, class View>
inline constexpr bool folds_shared_chunks_v =
    std::is_void_v<segment_term_t<F, View>>&& slot_shape<F, typename View::item_type>::chains ==
    tile_shape<typename View::item_type>::items_per_lane;

/// Whether chunks may have 8 bytes: then an item of two lanes' chunks has the slot that it has in one lane's.
template <class F, class View>
inline constexpr bool folds_half_chunks_v = sizeof(typename View::item_type) <= 4 &&
                                            (folds_shared_chunks_v<F, View> ||
                                             !std::is_void_v<segment_term_t<F, View>>);

/// How rows of up to a tile lie in the lanes of a warp.
///
/// A row of up to 32 chunks is folded by a team of 2^level lanes, and a warp has several teams. A longer row is folded
/// by the warp; each lane has 2 to 8 chunks of it, 32 apart. Several short rows may lie in one chunk: then one lane
/// folds them all. Rows of 8-byte chunks, up to 32, go as those of 16-byte ones.
struct row_launch {
  std::int64_t rows;
  std::int64_t warps;
  std::int32_t chunks;          // of a row; 0: rows share chunks
  std::int32_t rows_per_chunk;  // then
  std::int32_t level;
  std::int32_t chunks_per_lane;  // 1, 2, 4 or 8
  bool are_halves;               // chunks have 8 bytes
};

inline constexpr int row_chunks_in_flight = 8;
inline constexpr int row_block_warps = 8;

/// The launch for rows of `length` items. It has no warps where this kernel cannot fold them.
template <class Item>
constexpr row_launch row_launch_for(std::int64_t rows, std::int64_t length, int multiprocessors) {
  constexpr int chunk_items = tile_shape<Item>::items_per_lane;
  // Half a chunk of small items; for larger ones a divisor that is not 0.
  constexpr int half_items = chunk_items < 2 ? 1 : chunk_items / 2;
  row_launch plan{rows, 0, 0, 0, 0, 1, false};
  std::int64_t rows_at_once = 0;
  if (length > 0 && length < chunk_items && chunk_items % length == 0) {
    plan.rows_per_chunk = static_cast<std::int32_t>(chunk_items / length);
    if (rows % plan.rows_per_chunk != 0) return plan;
    rows_at_once = row_chunks_in_flight * warp_lanes * plan.rows_per_chunk;
  } else if (length > 0 && length % chunk_items == 0 && length <= tile_items_v<Item>) {
    plan.chunks = static_cast<std::int32_t>(length / chunk_items);
  } else if (sizeof(Item) <= 4 && length > chunk_items && length % half_items == 0 &&
             length <= warp_lanes * half_items) {
    plan.are_halves = true;
    plan.chunks = static_cast<std::int32_t>(length / half_items);
  } else {
    return plan;
  }
  if (plan.chunks > 0) {
    while (plan.level < 5 && (1 << plan.level) < plan.chunks) ++plan.level;
    while (plan.chunks_per_lane * warp_lanes < plan.chunks) plan.chunks_per_lane *= 2;
    rows_at_once = row_chunks_in_flight / plan.chunks_per_lane * (warp_lanes >> plan.level);
  }
  const std::int64_t wanted = (rows + rows_at_once - 1) / rows_at_once;
  const std::int64_t most = std::int64_t{multiprocessors} * 32 * 8;
  plan.warps = wanted < most ? wanted : most;
  return plan;
}

}  // namespace monofold::detail
