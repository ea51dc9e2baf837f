#pragma once
/// engine/gpu/segment/double_column_path: which columns are added by doubles, and starts the kernel.

#include <cstdint>

#include "monofold/engine/gpu/launch.cuh"
#include "monofold/engine/gpu/segment/double_columns.cuh"
#include "monofold/plan/double_row_launch.hpp"
#include "monofold/plan/launch.hpp"
#include "monofold/shape/axes.hpp"

namespace monofold::detail {

/// Groups of 32 chunks of 16 bytes of neighbouring columns.
template <class Item>
std::int64_t groups_of_columns(const array_rows& rows) {
  constexpr int each = warp_lanes * static_cast<int>(sizeof(bytes16) / sizeof(Item));
  return (rows.num_rows + each - 1) / each;
}

/// Whether columns lie in whole chunks of 16 bytes, in each row of memory, and are enough.
template <class Item>
bool may_be_double_columns(const Item* first, const array_rows& rows, bool has_squares,
                           int multiprocessors) {
  constexpr int each = static_cast<int>(sizeof(bytes16) / sizeof(Item));
  if (rows.num_reduced != 1 || rows.num_kept == 0 || rows.inner().stride != 1) return false;
  bool are_whole = reinterpret_cast<std::uintptr_t>(first) % sizeof(bytes16) == 0 &&
                   rows.inner().extent % each == 0 && rows.reduced[0].stride % each == 0;
  for (int k = 0; k < rows.num_kept - 1; ++k) {
    if (rows.kept[k].stride % each != 0) are_whole = false;
  }
  return are_whole && adds_columns_by_doubles(groups_of_columns<Item>(rows), rows.row_items,
                                              sizeof(Item), has_squares, multiprocessors);
}

template <class Job>
failure start_double_columns(const device_stream& on, const Job& job, int multiprocessors) {
  using columns = double_columns<Job>;
  static_assert(columns::block_bytes <= max_shared_bytes);
  const std::int64_t blocks = std::int64_t{double_row_blocks} * multiprocessors;
  const std::int64_t groups = groups_of_columns<typename Job::item>(job.rows);
  const int level = double_team_level(groups, (job.rows.row_items + page_rows - 1) / page_rows,
                                      blocks << log2_double_row_warps);
  const std::int64_t each = columns::warps >> level;
  const std::int64_t needed = (groups + each - 1) / each;
  return launch_early(fold_double_columns_kernel<Job>, needed < blocks ? needed : blocks,
                      columns::warps * warp_lanes, columns::block_bytes, on, job, level);
}

}  // namespace monofold::detail
