#pragma once
/// engine/gpu/segment/double_rows: how warps add rows of one length by doubles, see double_sums.
///
/// A warp, or a team of warps that take turns, has a row. Pages of rows are copied to shared memory, see coming_pages.
/// What the first and last chunks of a row have of other rows is copied with them, and cleared where it is read.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/segment/coming_pages.cuh"
#include "monofold/engine/gpu/segment/double_sums.cuh"
#include "monofold/engine/gpu/segment/exact_team.cuh"
#include "monofold/engine/gpu/segment/job.cuh"
#include "monofold/engine/gpu/segment/lane_doubles.cuh"
#include "monofold/engine/gpu/segment/tile_range.cuh"
#include "monofold/engine/gpu/segment/warp_team.cuh"
#include "monofold/engine/gpu/thread_copy.cuh"
#include "monofold/fold/exact/term.hpp"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/grid.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/double_row_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Rows of fewer than 2^30 items, as many in each: the first one, and how far one lies behind the other.
template <class Item>
struct even_rows {
  const Item* first;
  std::int64_t apart;
  int length;
};

/// The pages of a row, from one of them on.
template <class Item>
class row_pages {
 public:
  static constexpr int chunk_items = static_cast<int>(sizeof(bytes16) / sizeof(Item));
  static constexpr int row_items = chunk_items * warp_lanes;
  static constexpr int rows = page_rows;
  static constexpr int page_items = rows * row_items;

  MONOFOLD_GPU row_pages(const Item* first, int length, int page) {
    const auto range = aligned_range_of(first, length);
    base_ = range.base;
    first_ = static_cast<int>(range.first);
    end_ = static_cast<int>(range.end);
    go_on(page);
  }

  MONOFOLD_GPU bool is_there() const { return end_ > 0; }
  MONOFOLD_GPU bool is_whole() const { return first_ <= 0 && page_items <= end_; }
  /// Whether some lanes have chunks in this row of 32.
  MONOFOLD_GPU bool has_chunks(int r) const { return r * row_items < end_; }
  MONOFOLD_GPU void go_on(int pages) {
    base_ += pages * page_items;
    first_ -= pages * page_items;
    end_ -= pages * page_items;
  }

  /// Begins to copy the lane's chunks of the page; `to`: the first one's place. All items lie between `begin` and
  /// `behind`.
  MONOFOLD_GPU void start(const Item* begin, const Item* behind, bytes16* to,
                          std::uint64_t policy) const {
    const auto* const from = reinterpret_cast<const bytes16*>(base_) + lane_rank();
    if (is_whole()) {
      MONOFOLD_UNROLL
      for (int r = 0; r < rows; ++r) start_copy(to + r * warp_lanes, from + r * warp_lanes, policy);
      return;
    }
    const int end = end_ - lane_rank() * chunk_items;
    const bool ends_inside = base_ + (end_ + chunk_items - 1) / chunk_items * chunk_items <= behind;
    if (base_ >= begin && (ends_inside || end_ >= page_items)) {
      MONOFOLD_UNROLL
      for (int r = 0; r < rows; ++r) {
        if (r * row_items < end) start_copy(to + r * warp_lanes, from + r * warp_lanes, policy);
      }
      return;
    }
    // A chunk is read up to where the array ends.
    const int first = first_ - lane_rank() * chunk_items;
    const aligned_range<Item> own{base_ + lane_rank() * chunk_items, first, end};
    MONOFOLD_ROLL
    for (int r = 0; r < rows; ++r) {
      to[r * warp_lanes] = part_of_chunk(own, r * row_items, chunk_of_nothing<Item>());
    }
  }
  /// Loads what was copied, once that is there, with items that change no sum in the place of those of other rows.
  MONOFOLD_GPU void load(const bytes16* own, bytes16 (&raw)[rows]) const {
    if (is_whole()) {
      MONOFOLD_UNROLL
      for (int r = 0; r < rows; ++r) raw[r] = own[r * warp_lanes];
      return;
    }
    const bytes16 nothing = chunk_of_nothing<Item>();
    const int end = end_ - lane_rank() * chunk_items;
    MONOFOLD_UNROLL
    for (int r = 0; r < rows; ++r) {
      raw[r] = nothing;
      if (r * row_items < end) raw[r] = own[r * warp_lanes];
    }
    if (first_ <= 0 && end_ % chunk_items == 0) return;
    const int first = first_ - lane_rank() * chunk_items;
    constexpr int word_items = chunk_items / 4;
    MONOFOLD_UNROLL
    for (int r = 0; r < rows; ++r) {
      MONOFOLD_UNROLL
      for (int w = 0; w < 4; ++w) {
        std::uint32_t kept = 0;
        MONOFOLD_UNROLL
        for (int v = 0; v < word_items; ++v) {
          const int place = r * row_items + w * word_items + v;
          const std::uint32_t bits = word_items == 1 ? ~0u : 0xffffu << 16 * v;
          if (place >= first && place < end) kept |= bits;
        }
        raw[r].word[w] = (raw[r].word[w] & kept) | (nothing.word[w] & ~kept);
      }
    }
  }

 private:
  const Item* base_;  // of the page, a boundary of 16 bytes
  int first_;         // the row's first item, from there
  int end_;
};

/// Whether there is a kernel that adds rows by doubles: for sums, and for sums of squares too, of items whose answers may
/// be narrower than doubles.
template <class F, class View>
inline constexpr bool has_double_rows_v = [] {
  if constexpr (rounds_sums_v<F> && contiguous_item_view<View>) {
    using term = segment_term_t<F, View>;
    using item = typename View::item_type;
    return sizeof(item) <= 4 &&
           (std::is_same_v<term, value_term<item>> || std::is_same_v<term, moments_term<item>>);
  } else {
    return false;
  }
}();

/// The pages of some rows, one after the other, for a warp that takes every `team`th one.
template <class Item>
class pages_of_rows {
 public:
  using pages = row_pages<Item>;

  /// shape      view: that all rows lie in
  MONOFOLD_GPU pages_of_rows(const contiguous_view<Item>& view, const even_rows<Item>& rows,
                             int count, int first_page, int team)
      : begin_(view.data()),
        behind_(begin_ + view.size()),
        rows_(rows),
        left_(count),
        first_page_(first_page),
        team_(team),
        next_(rows.first, rows.length, first_page) {
    find_page();
  }

  MONOFOLD_GPU bool is_there() const { return left_ > 0; }
  MONOFOLD_GPU void start(bytes16* to, std::uint64_t policy) const {
    next_.start(begin_, behind_, to, policy);
  }
  MONOFOLD_GPU void go_on() {
    next_.go_on(team_);
    find_page();
  }

 private:
  /// Some rows have no page for this warp.
  MONOFOLD_GPU void find_page() {
    MONOFOLD_ROLL
    while (left_ > 0 && !next_.is_there()) {
      if (--left_ == 0) return;
      rows_.first += rows_.apart;
      next_ = pages(rows_.first, rows_.length, first_page_);
    }
  }

  const Item* begin_;
  const Item* behind_;
  even_rows<Item> rows_;  // from that on of which the next page is
  int left_;              // with that one
  int first_page_;
  int team_;
  pages next_;
};

/// Rows of a job.
template <class Job>
class double_rows {
 public:
  using term = segment_term_t<typename Job::fold, typename Job::view_type>;
  using total = double_sum<term>;
  using item = typename Job::item;
  using pages = row_pages<item>;
  static constexpr int warps = 1 << log2_double_row_warps;
  static constexpr int sums_bytes = warp_lanes * static_cast<int>(sizeof(total));
  static constexpr int pages_bytes = coming_pages<pages_of_rows<item>>::bytes;
  static constexpr int digits_bytes = in_chunks_of_16(digits_scratch_bytes<Job>);
  static constexpr int warp_bytes =
      sums_bytes + (pages_bytes > digits_bytes ? pages_bytes : digits_bytes);
  static constexpr int block_bytes = warps * warp_bytes;

  /// Folds `rows` rows; 2^level warps share one.
  ///
  /// shape      shared: block_bytes
  /// sync       all threads of the block
  MONOFOLD_GPU static void fold(const Job& job, std::int64_t rows, int level, char* shared) {
    const int teams = warps >> level;
    const std::int64_t apart = blocks_in_grid() * teams;
    // The block's first row of those that are finished together: all its warps go the same way.
    std::int64_t first = block_rank() * teams;
    MONOFOLD_ROLL
    for (; first < rows; first += warp_lanes * apart) {
      const warp_team team{level, log2_double_row_warps};
      const std::int64_t row = first + (warp_rank() >> level);
      const std::int64_t left = row < rows ? (rows - row + apart - 1) / apart : 0;
      const int count = left < warp_lanes ? static_cast<int>(left) : warp_lanes;
      if (count > 0) add(job, row, apart, count, team, shared);
      sync(level);  // sums written above are read below
      finish(job, row, apart, count, team, shared);
      sync(level);  // sums read above are overwritten by the next ones
    }
  }

 private:
  MONOFOLD_GPU static void sync(int level) {
    if (level == 0) {
      sync_warp();
    } else {
      sync_block();
    }
  }
  MONOFOLD_GPU static total* sums_of(char* shared, int warp) {
    return reinterpret_cast<total*>(shared + warp * warp_bytes);
  }

  MONOFOLD_GPU static std::uint64_t policy_of(const Job& job) {
    return cache_policy_of(job.size * static_cast<int>(sizeof(item)));
  }
  /// Adds this warp's pages of rows.
  MONOFOLD_GPU static void add(const Job& job, std::int64_t row, std::int64_t apart, int count,
                               const warp_team& team, char* shared) {
    total* sums = sums_of(shared, warp_rank());
    const segment_ends ends = job.ends_of(row);
    even_rows<item> rows{job.view.data() + ends.begin,
                         count > 1 ? job.ends_of(row + apart).begin - ends.begin : 0,
                         static_cast<int>(ends.count())};
    coming_pages<pages_of_rows<item>> coming({job.view, rows, count, team.rank(), team.warps()},
                                             reinterpret_cast<char*>(sums) + sums_bytes,
                                             policy_of(job));
    const int log2_items = bit_width_of(static_cast<std::uint64_t>(items_of_lane(rows.length)));
    MONOFOLD_ROLL
    for (; count > 0; --count) {
      lane_doubles<term> sum(log2_items);
      MONOFOLD_ROLL
      for (pages own(rows.first, rows.length, team.rank()); own.is_there();
           own.go_on(team.warps())) {
        bytes16 raw[pages::rows];
        own.load(coming.take(), raw);
        sum.begin_page(raw);
        if (own.is_whole()) {
          MONOFOLD_UNROLL
          for (int r = 0; r < pages::rows; ++r) sum.add(raw[r]);
        } else {
          MONOFOLD_UNROLL
          for (int r = 0; r < pages::rows; ++r) {
            if (own.has_chunks(r)) sum.add(raw[r]);
          }
        }
      }
      const total all = sum.own().over_lanes();
      if (lane_rank() == 0) *sums = all;
      ++sums;
      rows.first += rows.apart;
    }
  }
  /// Each warp of the team finishes some rows, a lane each.
  MONOFOLD_GPU static void finish(const Job& job, std::int64_t row, std::int64_t apart, int count,
                                  const warp_team& team, char* shared) {
    const int own = lane_rank() << team.level | team.rank();
    bool is_done = true;
    if (own < count) {
      total all = sums_of(shared, team.first_warp())[own];
      MONOFOLD_ROLL
      for (int i = 1; i < team.warps(); ++i) {
        all = all.joined(sums_of(shared, team.first_warp() + i)[own]);
      }
      is_done = store(job, row + own * apart, all.of_joined(team.level));
    }
    MONOFOLD_ROLL
    for (std::uint32_t rest = lanes_with(!is_done); rest != 0; rest &= rest - 1) {
      const int at = lowest_lane(rest) << team.level | team.rank();
      add_exactly(job, row + at * apart,
                  reinterpret_cast<char*>(sums_of(shared, warp_rank())) + sums_bytes);
    }
  }

  /// How many items of a row a lane adds at most. Two pages are not whole.
  MONOFOLD_GPU static std::int64_t items_of_lane(std::int64_t count) {
    return count / warp_lanes + 2 * pages::rows * pages::chunk_items;
  }
  /// How many additions an item of a row goes through at most: those of a lane, by two chains, and those where lanes and
  /// warps meet.
  MONOFOLD_GPU static std::int64_t additions_of(std::int64_t count) {
    return lane_doubles<term>::additions(items_of_lane(count) / 2) + warps + 8;
  }
  MONOFOLD_GPU static bool store(const Job& job, std::int64_t row, const total& sum) {
    const std::int64_t count = job.ends_of(row).count();
    std::uint32_t bits[1] = {};
    if (!sum.narrow(job.f, count, additions_of(count), bits[0])) {
      return finish_slowly(job, row, sum);
    }
    const auto sink = job.sinks.of(row);
    (*sink.out).put_bits(bits);
    return true;
  }
  MONOFOLD_GPU_CALL static bool finish_slowly(const Job& job, std::int64_t row, const total& sum) {
    const std::int64_t count = job.ends_of(row).count();
    return sum.finish(job.f, count, additions_of(count), *job.sinks.of(row).out);
  }
  /// Not inlined, since it is rare.
  MONOFOLD_GPU_CALL static void add_exactly(const Job& job, std::int64_t row, char* scratch) {
    add_by_digits(job, row, scratch);
  }
};

/// Folds rows of one length: teams of warps go from row to row. They need so many registers that no third block has room
/// on a multiprocessor: one of the next launch would take the first place that is free, and so some multiprocessors get
/// three blocks and others one.
///
/// errors     traps where the host's compiler lays out its arguments otherwise
template <class Job>
__global__ void __launch_bounds__(double_rows<Job>::warps* warp_lanes, double_row_blocks)
    fold_double_rows_kernel(MONOFOLD_GRID_CONSTANT const Job job, const std::int64_t rows,
                            const int level) {
  let_next_launch_begin();
  if (job.layout != handed_layout_of<typename Job::fold, typename Job::view_type>()) trap();
  wait_for_launches_before();
  double_rows<Job>::fold(job, rows, level, reinterpret_cast<char*>(dynamic_shared()));
}

}  // namespace monofold::detail
