#pragma once
/// engine/gpu/segment/double_column_path: which columns are added by doubles, and starts the kernel.

#include <cstdint>

#include "monofold/engine/gpu/launch.cuh"
#include "monofold/engine/gpu/segment/double_columns.cuh"
#include "monofold/plan/double_row_launch.hpp"
#include "monofold/plan/launch.hpp"
#include "monofold/plan/tiles.hpp"
#include "monofold/shape/axes.hpp"

namespace monofold::detail {

/// Whether neighbouring columns lie in whole chunks of 16 bytes, in each row of memory; so many of them, which are whole
/// chunks, lie side by side.
template <class Item>
bool are_columns_in_chunks(const Item* first, const array_rows& rows, int neighbours) {
  constexpr int each = tile_shape<Item>::items_per_lane;
  if (rows.num_reduced != 1 || rows.num_kept == 0 || rows.inner().stride != 1) return false;
  bool are_whole = reinterpret_cast<std::uintptr_t>(first) % sizeof(bytes16) == 0 &&
                   rows.inner().extent % neighbours == 0 && rows.reduced[0].stride % each == 0;
  for (int k = 0; k < rows.num_kept - 1; ++k) {
    if (rows.kept[k].stride % each != 0) are_whole = false;
  }
  return are_whole;
}

/// Whether columns lie so, and are enough.
template <class Item>
bool may_be_double_columns(const Item* first, const array_rows& rows, bool has_squares,
                           int multiprocessors) {
  return are_columns_in_chunks(first, rows, column_chunks<Item>::columns) &&
         adds_columns_by_doubles(column_chunks<Item>{rows}.groups(), rows.row_items, sizeof(Item),
                                 has_squares, multiprocessors);
}

template <class Job>
failure start_double_columns(const device_stream& on, const Job& job, int multiprocessors) {
  using columns = double_columns<Job>;
  static_assert(columns::block_bytes <= max_shared_bytes);
  const std::int64_t groups = column_chunks<typename Job::item>{job.rows}.groups();
  const int level =
      double_team_level(groups, (job.rows.row_items + page_rows - 1) / page_rows, multiprocessors);
  return launch_early(fold_double_columns_kernel<Job>,
                      double_team_blocks(groups, level, multiprocessors),
                      columns::warps * warp_lanes, columns::block_bytes, on, job, level);
}

}  // namespace monofold::detail
