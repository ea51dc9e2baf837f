#pragma once
/// engine/gpu/segment/short_across: short rows whose items lie apart: a lane takes several of them.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/segment/across_slots.cuh"
#include "monofold/engine/gpu/segment/lane_columns.cuh"
#include "monofold/engine/gpu/segment/row_place.cuh"
#include "monofold/fold/fold.hpp"
#include "monofold/level/grid.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

inline constexpr int across_threads = 128;

/// Bits of the rows that a lane has from `row` on.
template <class Job>
MONOFOLD_GPU std::uint32_t lane_rows_from(const Job& job, std::int64_t row) {
  std::uint32_t rows = 0;
  MONOFOLD_ROLL
  for (int c = 0; c < job.lane_rows; ++c) {
    if (row + c * job.rows_apart < job.rows.num_rows) rows |= 1u << c;
  }
  return rows;
}

/// Whether lanes of a job may have several short rows.
template <class Job>
inline constexpr bool has_lane_rows_v =
    Job::has_one_axis&& std::is_same_v<typename Job::first_item, const typename Job::item*>&&
        has_short_columns_v<typename Job::fold, typename Job::item>;

/// Several rows a lane, a warp's lanes apart, of unit `rank`.
///
/// shape      job.lane_rows: most_lane_rows
template <class Job>
MONOFOLD_GPU void fold_short_across(const Job& job, std::int64_t rank) {
  using fold = typename Job::fold;
  using item = typename Job::item;
  const std::int64_t row = rank * most_lane_rows * warp_lanes + lane_rank();
  const std::uint32_t rows = lane_rows_from(job, row);
  const row_place place = place_of_row(job.rows, rows != 0 ? row : 0);
  const auto count = static_cast<int>(job.rows.row_items);
  const across_slots<fold, item, most_lane_rows> own(
      job.f, {job.first + place.offset, job.rows.reduced[0].stride,
              job.rows.inner().stride * warp_lanes, count, rows});
  MONOFOLD_UNROLL
  for (int c = 0; c < most_lane_rows; ++c) {
    if ((rows >> c & 1) == 0) continue;
    job.sinks.of(place.number + c * warp_lanes)(
        job.f, fold_access<fold, item>::flush(job.f, own.total(c), count));
  }
}

/// Whether it is worth it that lanes load items of neighbouring rows together: for folds by the plan's tree. Extrema, of
/// which each item gets an index, take twice as long that way.
template <class F>
inline constexpr bool loads_wide_v = !has_any_order_v<F>;

/// Whether lanes may have neighbouring rows whose items they load together.
template <class Job>
inline constexpr bool has_wide_rows_v = has_lane_rows_v<Job>&& loads_wide_v<typename Job::fold>;

/// Loads neighbouring items, 4, 8 or 16 bytes of them at a boundary of as many; `is_kept`: see is_partly_kept.
template <bool is_kept, int count, class Item>
MONOFOLD_GPU void load_neighbours(const Item* place, Item (&out)[count]) {
  constexpr int bytes = count * static_cast<int>(sizeof(Item));
  static_assert(bytes == 4 || bytes == 8 || bytes == 16);
  if constexpr (bytes == 16) {
    const bytes16 raw = is_kept ? load_kept_16(place) : load_16(place);
    std::memcpy(static_cast<void*>(out), &raw, bytes);
  } else {
    using word = std::conditional_t<bytes == 4, std::uint32_t, std::uint64_t>;
    const word raw = load_item(reinterpret_cast<const word*>(place));
    std::memcpy(static_cast<void*>(out), &raw, bytes);
  }
}

/// How many neighbouring rows a lane takes whose items it loads together: those of 16 bytes, or less where their
/// accumulators would take too many registers.
template <class F, class Item>
inline constexpr int wide_rows = [] {
  int most = sizeof(Item) == 1 ? 8 : lane_bytes / static_cast<int>(sizeof(Item));
  while (most * static_cast<int>(sizeof(accumulator_t<F>)) > 64) most /= 2;
  return most;
}();

/// How lanes and warps share wide rows: 2^level groups of lanes, of `sharing` warps, have a part of the same rows. A part
/// is a node of the plan's tree; of across_node items, so that a lane has all its loads on their way, or of twice as many.
struct wide_shape {
  std::int32_t level;
  std::int32_t sharing;

  static constexpr wide_shape of(std::int64_t row_items, int warps) {
    if (row_items <= across_node) return {0, 1};
    if (row_items <= 2 * across_node) return {1, 1};
    if (row_items <= warps * across_node) return {0, warps};
    return {row_items <= 2 * warps * across_node ? 1 : 2, warps};
  }
};
inline constexpr int most_wide_items = 2 * across_node * 4 * (across_threads / warp_lanes);

/// The rows of a block whose items are loaded some rows at a time. Totals move to the lanes that store neighbours side by
/// side, and parts meet, in shared memory.
template <class Job>
class wide_across {
 public:
  using fold = typename Job::fold;
  using item = typename Job::item;
  using access = fold_access<fold, item>;
  using own_type = accumulator_t<fold>;
  static constexpr int lane_rows = wide_rows<fold, item>;
  static constexpr int warps = across_threads / warp_lanes;
  static constexpr int most_rows = lane_rows * warp_lanes;  // of a warp
  static constexpr int shared_bytes = warps * most_rows * static_cast<int>(sizeof(own_type));

  MONOFOLD_GPU wide_across(const Job& job, char* shared)
      : job_(job),
        parts_(reinterpret_cast<own_type*>(shared)),
        count_(static_cast<int>(job.rows.row_items)),
        rows_(most_rows >> job.wide.level),
        first_((job.wide.sharing > 1 ? block_rank() : block_rank() * warps + warp_rank()) * rows_) {
    const std::int64_t left = job.rows.num_rows - first_;
    if (left < rows_) rows_ = left > 0 ? static_cast<int>(left) : 0;
    each_ = across_node;
    while (each_ * job.wide.sharing << job.wide.level < count_) each_ *= 2;
  }

  /// Stores the answers of the block's rows.
  ///
  /// sync       all threads of the block
  template <bool is_kept>
  MONOFOLD_GPU void fold_rows() const {
    const int part = job_.wide.sharing > 1 ? warp_rank() : 0;
    own_type* const own = parts_ + warp_rank() * most_rows;
    fold_part<is_kept>(part, own);
    if (job_.wide.sharing > 1) return store_together();
    sync_warp();  // totals written above are read below
    MONOFOLD_ROLL
    for (int row = lane_rank(); row < rows_; row += warp_lanes) store(row, own[row]);
  }

 private:
  /// Joins the parts of the block's warps.
  ///
  /// sync       all threads of the block
  MONOFOLD_GPU void store_together() const {
    sync_block();  // totals written before are read below
    const int step = each_ << job_.wide.level;
    MONOFOLD_ROLL
    for (int row = thread_rank(); row < rows_; row += across_threads) {
      own_type part[warps];
      MONOFOLD_UNROLL
      for (int w = 0; w < warps; ++w) part[w] = parts_[w * most_rows + row];
      MONOFOLD_UNROLL
      for (int width = 1; width < warps; width *= 2) {
        MONOFOLD_UNROLL
        for (int w = 0; w < warps; w += 2 * width) {
          if ((w + width) * step < count_) part[w] = access::join(job_.f, part[w], part[w + width]);
        }
      }
      store(row, part[0]);
    }
  }

  /// Leaves in shared memory what part `part` of the rows comes to; each group of lanes takes a part of that.
  ///
  /// sync       all lanes of the warp
  template <bool is_kept>
  MONOFOLD_GPU void fold_part(int part, own_type* out) const {
    const int level = job_.wide.level;
    const int member = lane_rank() & ((warp_lanes >> level) - 1);
    const int group = lane_rank() >> (5 - level);
    const int from = ((part << level) + group) * each_;
    const std::int64_t stride = job_.rows.reduced[0].stride;
    // A fold is asked for no item that there is not: it may look something up by it.
    const bool is_there = member * lane_rows < rows_;
    const int here = is_there ? count_ - from : 0;  // or less, or none
    const item* const at = job_.first + first_ + member * lane_rows + from * stride;
    own_type own[lane_rows];
    MONOFOLD_ROLL
    for (int k = 0; k < each_; k += across_node) {
      item x[across_node][lane_rows];
      MONOFOLD_UNROLL
      for (int i = 0; i < across_node; ++i) {
        if (k + i < here) load_neighbours<is_kept>(at + (k + i) * stride, x[i]);
      }
      MONOFOLD_UNROLL
      for (int c = 0; c < lane_rows; ++c) {
        const own_type total = fold_node(job_.f, x, c, from + k, from + here);
        // There are two nodes at most, the second one behind the first.
        own[c] = k == 0 ? total : k < here ? access::join(job_.f, own[c], total) : own[c];
      }
    }
    MONOFOLD_ROLL
    for (int i = 0; i < level; ++i) {
      const bool has_more = (each_ << i) < here;
      MONOFOLD_UNROLL
      for (int c = 0; c < lane_rows; ++c) {
        const own_type more = shuffle_down(own[c], warp_lanes >> level << i);
        if (has_more) own[c] = access::join(job_.f, own[c], more);
      }
    }
    if (group != 0) return;
    MONOFOLD_UNROLL
    for (int c = 0; c < lane_rows; ++c) out[member * lane_rows + c] = own[c];
  }

  MONOFOLD_GPU void store(int row, const own_type& total) const {
    job_.sinks.of(first_ + row)(job_.f, access::flush(job_.f, total, count_));
  }

  const Job& job_;
  own_type* parts_;
  int count_;           // items of a row
  int each_;            // of a part
  int rows_;            // of a warp, or of the block whose warps share them: those that there are
  std::int64_t first_;  // the first of them
};

/// Neighbouring short rows, some a lane.
///
/// shape      job.wide.sharing: 1, or all warps of a block
/// sync       all threads of the block
template <class Job>
MONOFOLD_GPU void fold_wide_across(const Job& job) {
  alignas(16) __shared__ char shared[wide_across<Job>::shared_bytes];
  const wide_across<Job> own(job, shared);
  constexpr int item_bytes = static_cast<int>(sizeof(typename Job::item));
  if (is_partly_kept(job.rows.num_rows * job.rows.row_items * item_bytes)) {
    own.template fold_rows<true>();
  } else {
    own.template fold_rows<false>();
  }
}

}  // namespace monofold::detail
