#pragma once
/// engine/gpu/segment/double_rows: how warps add rows of half a tile and more by doubles, see double_sums.
///
/// A warp takes pages of 2 KiB, and has the next one on its way while it adds one, also where that is of its next row:
/// pages of a tile would need more registers than there are. What the last chunks of a row have of other rows is loaded
/// with them and cleared afterwards, so that no load is waited for alone.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/segment/double_sums.cuh"
#include "monofold/engine/gpu/segment/exact_team.cuh"
#include "monofold/engine/gpu/segment/job.cuh"
#include "monofold/engine/gpu/segment/tile_range.cuh"
#include "monofold/fold/exact/term.hpp"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/grid.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Which of a lane's items of a page belong to its row, by their places from the lane's first one.
struct own_items {
  int first;
  int end;
  bool has_others;  // else all do, or others are no items already
};

/// The pages of a row that a warp takes. The row is one stretch of memory of fewer than 2^30 items.
template <class Job>
class row_pages {
 public:
  using item = typename Job::item;
  using total = double_sum<segment_term_t<typename Job::fold, typename Job::view_type>>;
  static constexpr int chunk_items = static_cast<int>(sizeof(bytes16) / sizeof(item));
  static constexpr int row_items = chunk_items * warp_lanes;
  static constexpr int rows = 4;
  static constexpr int page_items = rows * row_items;

  MONOFOLD_GPU row_pages(const Job& job, std::int64_t row) {
    const segment_ends ends = job.ends_of(row);
    const auto range = aligned_range_of(job.view.data() + ends.begin, ends.count());
    base_ = range.base;
    first_ = static_cast<int>(range.first);
    end_ = static_cast<int>(range.end);
  }

  MONOFOLD_GPU bool is_there() const { return end_ > 0; }
  MONOFOLD_GPU void go_on() {
    base_ += page_items;
    first_ -= page_items;
    end_ -= page_items;
  }

  /// sync       all lanes of the warp
  MONOFOLD_GPU own_items load(const Job& job, bytes16 (&raw)[rows]) const {
    const item* const own = base_ + lane_rank() * chunk_items;
    if (first_ <= 0 && page_items <= end_) {
      MONOFOLD_UNROLL
      for (int r = 0; r < rows; ++r) raw[r] = load_16(own + r * row_items);
      return {0, 0, false};
    }
    // What lies around the row is loaded with it, up to the ends of the view.
    const int first = first_ - lane_rank() * chunk_items;
    const int end = end_ - lane_rank() * chunk_items;
    const item* const begin = job.view.data();
    const item* const behind = begin + job.size;
    int cut = -1;  // a chunk that is in the view in part
    MONOFOLD_UNROLL
    for (int r = 0; r < rows; ++r) {
      const int place = r * row_items;
      raw[r] = total::filler();
      if (place >= end || place + chunk_items <= first) continue;
      if (own + place >= begin && own + place + chunk_items <= behind) {
        raw[r] = load_16(own + place);
      } else {
        cut = r;
      }
    }
    if (any_lane(cut >= 0)) {
      const bytes16 part =
          part_of_chunk(aligned_range<item>{own, first, end}, cut * row_items, total::filler());
      MONOFOLD_UNROLL
      for (int r = 0; r < rows; ++r) {
        MONOFOLD_UNROLL
        for (int w = 0; w < 4; ++w) raw[r].word[w] = r == cut ? part.word[w] : raw[r].word[w];
      }
    }
    return {first, end, true};
  }
  /// Puts items that change no sum in the place of those of other rows.
  MONOFOLD_GPU static void clear_others(bytes16 (&raw)[rows], const own_items& own) {
    if (!own.has_others) return;
    constexpr int word_items = chunk_items / 4;
    const bytes16 filler = total::filler();
    MONOFOLD_UNROLL
    for (int r = 0; r < rows; ++r) {
      MONOFOLD_UNROLL
      for (int w = 0; w < 4; ++w) {
        std::uint32_t kept = 0;
        MONOFOLD_UNROLL
        for (int v = 0; v < word_items; ++v) {
          const int place = r * row_items + w * word_items + v;
          const std::uint32_t bits = word_items == 1 ? ~0u : 0xffffu << 16 * v;
          if (place >= own.first && place < own.end) kept |= bits;
        }
        raw[r].word[w] = (raw[r].word[w] & kept) | (filler.word[w] & ~kept);
      }
    }
  }

 private:
  const item* base_;  // of the page, a boundary of 16 bytes
  int first_;         // the row's first item, from there
  int end_;
};

/// Whether there is a kernel that adds rows by doubles: for sums of items whose answers may be narrower than these. That
/// for variances needs more registers than there are, had pages in local memory, and took up to 1.8 times as long as bins.
template <class F, class View>
inline constexpr bool has_double_rows_v = [] {
  if constexpr (rounds_sums_v<F> && contiguous_item_view<View>) {
    using term = segment_term_t<F, View>;
    return sums_as_double_v<term> && std::is_same_v<term, value_term<typename View::item_type>>;
  } else {
    return false;
  }
}();

/// How many warps a block has that add rows by doubles.
inline constexpr int double_row_warps = 8;

/// Rows of a job, each added by one warp.
template <class Job>
class double_rows {
 public:
  using term = segment_term_t<typename Job::fold, typename Job::view_type>;
  using total = double_sum<term>;
  using pages = row_pages<Job>;
  using by_warp = job_tiles<Job>;
  using state = typename Job::state;
  static constexpr int warps = double_row_warps;
  static constexpr int slots_bytes = in_chunks_of_16(warp_lanes * static_cast<int>(sizeof(total)));
  static constexpr int spare_at = slots_bytes + by_warp::scratch_bytes;
  static constexpr int warp_bytes = spare_at + in_chunks_of_16(static_cast<int>(sizeof(state)));

  /// Adds rows `row`, `row` + `apart`, .. below `end`, and stores their answers.
  ///
  /// shape      shared: warp_bytes of this warp
  /// sync       all lanes of the warp
  MONOFOLD_GPU static void fold(const Job& job, std::int64_t row, std::int64_t apart,
                                std::int64_t end, char* shared) {
    auto* const sums = reinterpret_cast<total*>(shared);
    const std::int64_t at_once = warp_lanes * apart;
    MONOFOLD_ROLL
    for (; row < end; row += at_once) {
      const std::int64_t left = (end - row + apart - 1) / apart;
      const int count = left < warp_lanes ? static_cast<int>(left) : warp_lanes;
      add(job, row, apart, count, sums);
      sync_warp();  // sums written above are read below
      const std::int64_t own = row + lane_rank() * apart;
      const bool is_done = lane_rank() >= count || store(job, own, sums[lane_rank()]);
      MONOFOLD_ROLL
      for (std::uint32_t rest = lanes_with(!is_done); rest != 0; rest &= rest - 1) {
        add_exactly(job, row + lowest_lane(rest) * apart, shared);
      }
      sync_warp();  // sums read above are overwritten by the next ones
    }
  }

 private:
  /// How many additions an item of a row goes through at most: those of a lane, half of them by each of two chains, and
  /// those where lanes meet.
  MONOFOLD_GPU static std::int64_t additions_of(std::int64_t count) {
    constexpr int of_ends = pages::rows * pages::chunk_items;  // two pages are not whole
    return count / (2 * warp_lanes) + of_ends + 8;
  }

  /// Adds `count` rows. Not inlined: kernels have other things in registers.
  MONOFOLD_GPU_CALL static void add(const Job& job, std::int64_t row, std::int64_t apart, int count,
                                    total* sums) {
    bytes16 raw[pages::rows];
    own_items here{};
    lane_doubles<term> sum;
    pages coming(job, row);
    bool is_any = false;  // in raw
    bool is_last = false;
    MONOFOLD_ROLL
    while (is_any || count > 0) {
      bytes16 next[pages::rows];
      own_items there{};
      if (count > 0) there = coming.load(job, next);
      if (is_any) {
        pages::clear_others(raw, here);
        MONOFOLD_UNROLL
        for (int r = 0; r < pages::rows; ++r) sum.add(raw[r]);
        if (is_last) {
          const total all = sum.own().over_lanes();
          if (lane_rank() == 0) *sums = all;
          ++sums;
          sum = {};
        }
      }
      is_any = count > 0;
      if (!is_any) break;
      MONOFOLD_UNROLL
      for (int r = 0; r < pages::rows; ++r) raw[r] = next[r];
      here = there;
      coming.go_on();
      is_last = !coming.is_there();
      if (is_last) {
        row += apart;
        if (--count > 0) coming = pages(job, row);
      }
    }
  }

  MONOFOLD_GPU_CALL static bool store(const Job& job, std::int64_t row, const total& sum) {
    const std::int64_t count = job.ends_of(row).count();
    return sum.finish(job.f, count, additions_of(count), *job.sinks.of(row).out);
  }
  /// Not inlined, since it is rare.
  MONOFOLD_GPU_CALL static void add_exactly(const Job& job, std::int64_t row, char* shared) {
    const segment_ends ends = job.ends_of(row);
    by_warp::store_total(job.f, job.range_of(ends), ends.count(), shared + slots_bytes,
                         reinterpret_cast<state*>(shared + spare_at), job.sinks.of(row));
  }
};

/// Folds rows of one length: warps go from row to row.
///
/// errors     traps where the host's compiler lays out its arguments otherwise
template <class Job>
__global__ void __launch_bounds__(double_rows<Job>::warps* warp_lanes, 2)
    fold_double_rows_kernel(MONOFOLD_GRID_CONSTANT const Job job, const std::int64_t rows) {
  let_next_launch_begin();
  if (job.layout != handed_layout_of<typename Job::fold, typename Job::view_type>()) trap();
  wait_for_launches_before();
  using of_warp = double_rows<Job>;
  const std::int64_t warp = block_rank() * of_warp::warps + warp_rank();
  of_warp::fold(job, warp, blocks_in_grid() * of_warp::warps, rows,
                reinterpret_cast<char*>(dynamic_shared()) + warp_rank() * of_warp::warp_bytes);
}

}  // namespace monofold::detail
