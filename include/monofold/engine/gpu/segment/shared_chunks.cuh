#pragma once
/// engine/gpu/segment/shared_chunks: folds rows of which several lie in one 16-byte chunk.

#include <cstdint>

#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/segment/row_launch.cuh"
#include "monofold/fold/fold.hpp"
#include "monofold/level/slot_array.hpp"
#include "monofold/level/thread.cuh"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Folds rows of which several lie in one chunk: a lane folds those of its chunk.
template <class Job>
MONOFOLD_GPU void fold_rows_in_chunks(const Job& job, const row_launch& plan, std::int64_t warp) {
  using item = typename Job::item;
  using access = fold_access<typename Job::fold, item>;
  constexpr int chunk_items = tile_shape<item>::items_per_lane;
  using chunk = slot_array<item, chunk_items>;
  const std::int64_t chunks = plan.rows / plan.rows_per_chunk;
  constexpr std::int64_t at_once = row_chunks_in_flight * warp_lanes;
  MONOFOLD_ROLL
  for (std::int64_t from = warp * at_once; from < chunks; from += plan.warps * at_once) {
    bytes16 raw[row_chunks_in_flight];
    const std::int64_t first = from + lane_rank();
    MONOFOLD_UNROLL
    for (int r = 0; r < row_chunks_in_flight; ++r) {
      const std::int64_t at = first + r * warp_lanes;
      if (at < chunks) raw[r] = load_16(job.view.data() + at * chunk_items);
    }
    MONOFOLD_UNROLL
    for (int r = 0; r < row_chunks_in_flight; ++r) {
      const std::int64_t at = first + r * warp_lanes;
      if (at >= chunks) break;
      const auto items = bits_as<chunk>(raw[r]);
      slot_array<accumulator_t<typename Job::fold>, chunk_items> own;
      const int length = chunk_items / plan.rows_per_chunk;
      MONOFOLD_UNROLL
      for (int v = 0; v < chunk_items; ++v) own[v] = access::open(job.f, items[v], v % length);
      MONOFOLD_UNROLL
      for (int width = 1; width < chunk_items; width *= 2) {
        if (width >= length) break;
        MONOFOLD_UNROLL
        for (int v = 0; v + width < chunk_items; v += 2 * width) {
          own[v] = access::join(job.f, own[v], own[v + width]);
        }
      }
      MONOFOLD_UNROLL
      for (int v = 0; v < chunk_items; ++v) {
        if (v % length != 0) continue;
        const std::int64_t row = at * plan.rows_per_chunk + v / length;
        job.sink_of(row, job.ends_of(row))(job.f, access::flush(job.f, own[v], length));
      }
    }
  }
}

}  // namespace monofold::detail
