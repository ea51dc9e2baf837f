#pragma once
/// engine/gpu/segment/double_columns: how warps add many neighbouring columns by doubles, see double_sums.
///
/// A lane has a chunk of 16 bytes of neighbouring columns, and a warp 32 such chunks side by side. A page is the next 4
/// rows of memory. Warps of a block that share columns take turns in their pages.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/segment/across_cells.cuh"
#include "monofold/engine/gpu/segment/coming_pages.cuh"
#include "monofold/engine/gpu/segment/double_rows.cuh"
#include "monofold/engine/gpu/segment/double_sums.cuh"
#include "monofold/engine/gpu/segment/exact_lane.cuh"
#include "monofold/engine/gpu/segment/lane_doubles.cuh"
#include "monofold/engine/gpu/segment/row_place.cuh"
#include "monofold/engine/gpu/segment/warp_team.cuh"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/grid.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/double_row_launch.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/shape/axes.hpp"

namespace monofold::detail {

/// Chunks of 16 bytes of neighbouring columns.
template <class Item>
struct column_chunks {
  static constexpr int columns = static_cast<int>(sizeof(bytes16) / sizeof(Item));

  const array_rows& rows;

  MONOFOLD_HD std::int64_t count() const { return rows.num_rows / columns; }
  /// By 32.
  MONOFOLD_HD std::int64_t groups() const { return (count() + warp_lanes - 1) / warp_lanes; }
  MONOFOLD_GPU row_place place_of(std::int64_t chunk) const {
    return place_of_row(rows, chunk * columns);
  }
};

/// How many items a column has: fewer than 2^29, see adds_columns_by_doubles.
template <class Job>
MONOFOLD_GPU int length_of(const Job& job) {
  return static_cast<int>(job.rows.row_items);
}

/// The pages of some groups of columns, one after the other, for a warp that takes every `team`th one.
template <class Job>
class pages_of_columns {
 public:
  using item = typename Job::item;

  MONOFOLD_GPU pages_of_columns(const Job& job, std::int64_t group, std::int64_t apart, int count,
                                const warp_team& team)
      : job_(job),
        group_(group),
        apart_(apart),
        groups_left_(team.rank() * page_rows < job.rows.row_items ? count : 0),
        first_(team.rank() * page_rows),
        step_(team.warps() * page_rows) {
    if (groups_left_ > 0) set_group();
  }

  MONOFOLD_GPU bool is_there() const { return groups_left_ > 0; }
  MONOFOLD_GPU void start(bytes16* to, std::uint64_t policy) const {
    const std::int64_t stride = job_.rows.reduced[0].stride;
    const int left = length_of(job_) - row_;
    MONOFOLD_UNROLL
    for (int r = 0; r < page_rows; ++r) {
      if (has_chunk_ && r < left) {
        start_copy(to + r * warp_lanes, reinterpret_cast<const bytes16*>(at_ + r * stride), policy);
      }
    }
  }
  MONOFOLD_GPU void go_on() {
    row_ += step_;
    at_ += step_ * job_.rows.reduced[0].stride;
    if (row_ < length_of(job_)) return;
    group_ += apart_;
    if (--groups_left_ > 0) set_group();
  }

 private:
  MONOFOLD_GPU void set_group() {
    const column_chunks<item> chunks{job_.rows};
    const std::int64_t chunk = group_ * warp_lanes + lane_rank();
    has_chunk_ = chunk < chunks.count();
    row_ = first_;
    at_ = job_.first + (has_chunk_ ? chunks.place_of(chunk).offset : 0) +
          row_ * job_.rows.reduced[0].stride;
  }

  const Job& job_;
  std::int64_t group_;
  std::int64_t apart_;
  int groups_left_;
  int first_;
  int step_;
  const item* at_ = nullptr;
  int row_ = 0;  // of memory
  bool has_chunk_ = false;
};

/// Whether there is a kernel that adds columns by doubles.
template <class F, class Item>
inline constexpr bool has_double_columns_v = has_double_rows_v<F, contiguous_view<Item>>;

/// Columns of a job.
template <class Job>
class double_columns {
 public:
  using item = typename Job::item;
  using fold_type = typename Job::fold;
  using term = segment_term_t<fold_type, typename Job::term_view>;
  using total = double_sum<term>;
  using chunks = column_chunks<item>;
  static constexpr int columns = chunks::columns;
  static constexpr int warps = 1 << log2_double_row_warps;
  static constexpr int pages_bytes = coming_pages<pages_of_columns<Job>>::bytes;
  static constexpr int most_groups = 16;  // before what is left of them is added
  static constexpr int masks_bytes = most_groups * warp_lanes;
  static constexpr int warp_bytes = pages_bytes + masks_bytes + static_cast<int>(sizeof(bytes16));
  static constexpr int block_bytes = warps * warp_bytes;

  /// 2^level warps share a group of columns.
  ///
  /// shape      shared: block_bytes
  /// sync       all threads of the block
  MONOFOLD_GPU static void fold(const Job& job, int level, char* shared) {
    const int teams = warps >> level;
    const std::int64_t apart = blocks_in_grid() * teams;
    const std::int64_t groups = chunks{job.rows}.groups();
    // The block's first group of some: all its warps go the same way.
    std::int64_t first = block_rank() * teams;
    MONOFOLD_ROLL
    for (; first < groups; first += most_groups * apart) {
      const std::int64_t left = (groups - first + apart - 1) / apart;
      const int count = left < most_groups ? static_cast<int>(left) : most_groups;
      const std::int64_t group = first + (warp_rank() >> level);
      std::uint32_t rest = add(job, group, apart, count, {level, log2_double_row_warps}, shared);
      MONOFOLD_ROLL
      for (; rest != 0; rest &= rest - 1) {
        const int i = lowest_lane(rest);
        add_exactly(job, group + i * apart, masks(shared)[i * warp_lanes + lane_rank()]);
      }
    }
  }

 private:
  MONOFOLD_GPU static char* of_warp(char* shared, int warp) { return shared + warp * warp_bytes; }
  /// Which of a lane's columns are left, of each group.
  MONOFOLD_GPU static unsigned char* masks(char* shared) {
    return reinterpret_cast<unsigned char*>(of_warp(shared, warp_rank()) + pages_bytes);
  }

  /// Adds groups; bits of those that have columns left, whose masks are then in shared memory.
  MONOFOLD_GPU static std::uint32_t add(const Job& job, std::int64_t group, std::int64_t apart,
                                        int count, const warp_team& team, char* shared) {
    const chunks all{job.rows};
    const int items = length_of(job);
    const std::int64_t groups = all.groups();
    const int log2_items = bit_width_of(static_cast<std::uint64_t>(items));
    const int own_groups = group + (count - 1) * apart < groups ? count : count - 1;
    coming_pages<pages_of_columns<Job>> coming(
        {job, group, apart, own_groups, team}, of_warp(shared, warp_rank()),
        cache_policy_of(job.rows.num_rows * items * static_cast<int>(sizeof(item))));
    std::uint32_t rest = 0;
    MONOFOLD_ROLL
    for (int i = 0; i < count; ++i) {
      const std::int64_t chunk = (group + i * apart) * warp_lanes + lane_rank();
      const bool has_chunk = chunk < all.count();
      lane_doubles<term, columns> sum(log2_items);
      if (group + i * apart < groups) {
        MONOFOLD_ROLL
        for (int row = team.rank() * page_rows; row < items; row += team.warps() * page_rows) {
          const bytes16* const own = coming.take();
          bytes16 raw[page_rows];
          MONOFOLD_UNROLL
          for (bytes16& some : raw) some = chunk_of_nothing<item>();
          if (row + page_rows <= items) {
            if (has_chunk) {
              MONOFOLD_UNROLL
              for (int r = 0; r < page_rows; ++r) raw[r] = own[r * warp_lanes];
            }
            sum.begin_page(raw);
            MONOFOLD_UNROLL
            for (int r = 0; r < page_rows; ++r) sum.add(raw[r]);
          } else {
            MONOFOLD_UNROLL
            for (int r = 0; r < page_rows - 1; ++r) {
              if (has_chunk && row + r < items) raw[r] = own[r * warp_lanes];
            }
            sum.begin_page(raw);
            MONOFOLD_UNROLL
            for (int r = 0; r < page_rows - 1; ++r) {
              if (row + r < items) sum.add(raw[r]);
            }
          }
        }
      }
      const std::uint32_t left = team.level > 0
                                     ? finish_shared(job, chunk, sum, team, shared, coming.spare())
                                     : finish(job, chunk, sum);
      if (any_lane(left != 0)) {
        rest |= 1u << i;
        masks(shared)[i * warp_lanes + lane_rank()] = static_cast<unsigned char>(left);
      }
    }
    return rest;
  }

  /// Answers for a lane's columns, which no other warp has items of; bits of those that are left.
  MONOFOLD_GPU static std::uint32_t finish(const Job& job, std::int64_t chunk,
                                           const lane_doubles<term, columns>& sum) {
    const chunks all{job.rows};
    if (chunk >= all.count()) return 0;
    const std::int64_t items = job.rows.row_items;
    std::uint32_t bits[columns] = {};
    const std::uint32_t left = sum.narrow(job.f, items, additions_of(items, 1), bits);
    const row_place place = all.place_of(chunk);
    const std::int64_t apart = job.rows.inner().number;
    if (left == 0 && apart == 1) {
      (*job.sinks.of(place.number).out).put_bits(bits);
      return 0;
    }
    MONOFOLD_UNROLL
    for (int c = 0; c < columns; ++c) {
      if ((left >> c & 1) == 0) put(job, place.number + c * apart, bits[c]);
    }
    return left;
  }
  /// The same of columns that the warps of a team have items of; each warp finishes some.
  ///
  /// shape      spare: a page of this warp
  /// sync       all threads of the block
  MONOFOLD_GPU static std::uint32_t finish_shared(const Job& job, std::int64_t chunk,
                                                  const lane_doubles<term, columns>& sum,
                                                  const warp_team& team, char* shared,
                                                  char* spare) {
    const chunks all{job.rows};
    const bool has_chunk = chunk < all.count();
    const std::int64_t items = job.rows.row_items;
    const row_place place = all.place_of(has_chunk ? chunk : 0);
    // As many columns at once as a page holds.
    constexpr int at_once = double_row_page_bytes / (warp_lanes * static_cast<int>(sizeof(total)));
    std::uint32_t left = 0;
    // Warps have not taken the same number of pages.
    if (lane_rank() == 0) *spare_of(shared, warp_rank()) = static_cast<int>(spare - shared);
    MONOFOLD_UNROLL
    for (int first = 0; first < columns; first += at_once) {
      MONOFOLD_UNROLL
      for (int c = 0; c < at_once; ++c) {
        reinterpret_cast<total*>(spare)[c * warp_lanes + lane_rank()] = sum.own(first + c);
      }
      sync_block();  // slots written above are read below
      MONOFOLD_ROLL
      for (int c = team.rank(); c < at_once && has_chunk; c += team.warps()) {
        total own = slot(shared, team.first_warp(), c);
        MONOFOLD_ROLL
        for (int w = 1; w < team.warps(); ++w) {
          own = own.joined(slot(shared, team.first_warp() + w, c));
        }
        std::uint32_t bits = 0;
        if (own.of_joined(team.level)
                .narrow(job.f, items, additions_of(items, team.warps()), bits)) {
          put(job, place.number + (first + c) * job.rows.inner().number, bits);
        } else {
          left |= 1u << (first + c);
        }
      }
      sync_block();  // slots read above are overwritten by the next ones, or by pages
    }
    return left;
  }
  /// Where a warp's spare page is.
  MONOFOLD_GPU static int* spare_of(char* shared, int warp) {
    return reinterpret_cast<int*>(of_warp(shared, warp) + pages_bytes + masks_bytes);
  }
  /// What a warp has of a column.
  MONOFOLD_GPU static const total& slot(char* shared, int warp, int column) {
    return reinterpret_cast<const total*>(
        shared + *spare_of(shared, warp))[column * warp_lanes + lane_rank()];
  }
  MONOFOLD_GPU static void put(const Job& job, std::int64_t number, std::uint32_t own) {
    const std::uint32_t bits[1] = {own};
    (*job.sinks.of(number).out).put_bits(bits);
  }

  /// How many additions an item goes through at most: those of a column, and those where so many
  /// warps meet.
  MONOFOLD_GPU static std::int64_t additions_of(std::int64_t items, int sharing) {
    return lane_doubles<term, columns>::additions(items) + sharing - 1;
  }

  /// The columns of a group that are named, of each lane: by pairs of doubles, and what these do not decide by bins. Not
  /// inlined, since it is rare.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU_CALL static void add_exactly(const Job& job, std::int64_t group,
                                            std::uint32_t left) {
    constexpr int most = tile_items_v<item>;
    const std::int64_t items = job.rows.row_items;
    const std::int64_t chunk = group * warp_lanes + lane_rank();
    const row_place place = chunks{job.rows}.place_of(left != 0 ? chunk : 0);
    MONOFOLD_ROLL
    for (int c = 0; c < columns; ++c) {
      bool is_left = (left >> c & 1) != 0;
      if (!any_lane(is_left)) continue;
      const item* const first = job.first + place.offset + c;
      const std::int64_t number = place.number + c * job.rows.inner().number;
      using cells = across_cells<fold_type, term, 1>;
      if (items <= cells::most_of_pairs) {
        const std::uint32_t own = is_left ? 1 : 0;
        const auto all = cells::pairs_of({first, job.rows.reduced[0].stride, 0, items, own});
        is_left = cells::finish(job.f, all, items, own, job.sinks, number, 1) != 0;
        if (!any_lane(is_left)) continue;
      }
      typename Job::state state;
      lane_sum<term> sum(state);
      MONOFOLD_ROLL
      for (std::int64_t at = 0; at < items; at += most) {
        const int here = items - at < most ? static_cast<int>(items - at) : most;
        sum.add(job.f, typename Job::items(first, job.rows, at), here);
      }
      if (!is_left) continue;
      const auto sink = job.sinks.of(number);
      if (sum.is_short()) {
        const auto own = sum.short_sum();
        if (finish_lane(job.f, own, items, sink)) continue;
        make_lane_state(own, items, state);
        sink(job.f, state);
      } else {
        sink(job.f, sum.total(job.f));
      }
    }
  }
};

/// Folds columns: teams of warps go from group to group. Its registers leave no room for a third block on a
/// multiprocessor, see fold_double_rows_kernel.
///
/// errors     traps where the host's compiler lays out its arguments otherwise
template <class Job>
__global__ void __launch_bounds__(double_columns<Job>::warps* warp_lanes, double_row_blocks)
    fold_double_columns_kernel(MONOFOLD_GRID_CONSTANT const Job job, const int level) {
  let_next_launch_begin();
  if (job.layout != handed_layout_of<typename Job::fold, typename Job::view>()) trap();
  wait_for_launches_before();
  double_columns<Job>::fold(job, level, reinterpret_cast<char*>(dynamic_shared()));
}

}  // namespace monofold::detail
