#pragma once
/// engine/gpu/segment/packed_across: the best items of rows whose items lie apart, by words of neighbours.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/segment/packed_keys.cuh"
#include "monofold/engine/gpu/segment/row_place.cuh"
#include "monofold/engine/gpu/segment/rows_apart.cuh"
#include "monofold/engine/gpu/segment/short_across.cuh"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/grid.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/shape/axes.hpp"

namespace monofold::detail {

/// Whether a fold finds the best of items by keys, in any order: it has
///
/// | member | what it is |
/// |---|---|
/// | `packed()` | the packed_keys of its items |
/// | `state_of_packed(key)` | the state for such a key, of which the largest is the best |
template <class F>
inline constexpr bool is_packed_best_v = requires(const F& f) {
  f.packed();
};

/// Who takes what of rows whose items lie apart. A unit is as many neighbouring rows as 2^(5 - level) lanes have, and a
/// node of their items.
///
///     level 0       lane 0 .. 31     | item 0 of neighbours |       next: the items behind those of all parts
///     level 2       lane 0 .. 7      | item 0 of neighbours |
///                   lane 8 .. 15     | item 1 of them       |   ..
struct packed_shape {
  std::int32_t width = 0;    // bytes of a word; a lane has 16, or four words; 0: four rows
  std::int32_t level = 0;    // 2^level groups of lanes take items by turns,
  std::int32_t sharing = 0;  // and so do 2^sharing warps of a block
  std::int64_t extent = 1;   // rows that are neighbours
  std::int64_t across = 1;   // units of these
  std::int64_t units = 1;    // of all rows
  std::int64_t span = 1;     // items of a node

  /// source     one H200: 24 warps a multiprocessor, of which each has a lot of items that it loads at once, or two
  static packed_shape of(const array_rows& rows, const void* first, int item_bytes,
                         int multiprocessors) {
    packed_shape out;
    out.width = width_of(rows, first, item_bytes);
    out.extent = out.width == 0 ? rows.num_rows : rows.inner().extent;
    const int own = out.width == 0 ? 4 : 16 / item_bytes;
    while (out.level < 5 && out.extent <= own * (warp_lanes >> (out.level + 1))) ++out.level;
    const int unit_rows = own * (warp_lanes >> out.level);
    out.across = (out.extent + unit_rows - 1) / unit_rows;
    out.units = out.across * (rows.num_rows / out.extent);
    const std::int64_t wanted = std::int64_t{24} * multiprocessors;
    const auto lots = [&](std::int64_t parts) {
      const std::int64_t items = parts * packed_loads << out.level;
      return (rows.row_items + items - 1) / items;
    };
    while (1 << out.sharing < packed_warps && out.units << out.sharing < wanted &&
           lots(1 << out.sharing) > 1) {
      ++out.sharing;
    }
    // No more nodes than run at once, of four lots and more.
    const std::int64_t most = lots(std::int64_t{4} << out.sharing);
    std::int64_t nodes = wanted / (out.units << out.sharing);
    if (nodes > most) nodes = most;
    if (nodes > most_packed_nodes) nodes = most_packed_nodes;
    if (nodes < 1) nodes = 1;
    if (rows.row_items > 0) out.span = (rows.row_items + nodes - 1) / nodes;
    return out;
  }
  std::int32_t nodes(std::int64_t row_items) const {
    return row_items == 0 ? 1 : static_cast<std::int32_t>((row_items + span - 1) / span);
  }

  static constexpr int packed_warps = across_threads / warp_lanes;
  static constexpr int packed_loads = 8;  // items of each row of a lane at once
  static constexpr std::int64_t most_packed_nodes = 2048;

 private:
  /// The widest words of neighbours that begin at boundaries everywhere.
  static int width_of(const array_rows& rows, const void* first, int item_bytes) {
    const axis_step& inner = rows.inner();
    if (rows.num_kept == 0 || inner.stride != 1) return 0;
    auto places = reinterpret_cast<std::uintptr_t>(first) |
                  static_cast<std::uintptr_t>(rows.reduced[0].stride * item_bytes) |
                  static_cast<std::uintptr_t>(inner.extent * item_bytes);
    for (int k = 0; k < rows.num_kept - 1; ++k) {
      places |= static_cast<std::uintptr_t>(rows.kept[k].stride * item_bytes);
    }
    const int width = places % 16 == 0 ? 16 : places % 4 == 0 && item_bytes <= 4 ? 4 : 0;
    // Many short stretches of neighbours leave lanes without work.
    const bool are_short = inner.extent * item_bytes < warp_lanes / 2 * width;
    return are_short && rows.num_rows > inner.extent ? 0 : width;
  }
};

/// The best items of rows, by lanes that have words of `width` bytes of neighbours, or items of one row.
template <class Job, int width>
class packed_across {
 public:
  using item = typename Job::item;
  using state = typename Job::state;
  using keys = packed_keys<item>;
  using unit_type = typename keys::unit;
  static constexpr int loads = packed_shape::packed_loads;
  static constexpr int units = width == 16 ? 16 / static_cast<int>(sizeof(unit_type)) : 4;
  static constexpr int unit_items = width == 0 ? 1 : keys::unit_items;
  static constexpr int lane_items = units * unit_items;
  static constexpr int warp_items = lane_items * warp_lanes;

  /// `shared`: a key for each row that the warps of a block have.
  MONOFOLD_GPU packed_across(const Job& job, item* shared)
      : job_(job),
        shape_(job.packed),
        keys_(job.f.packed()),
        shared_(shared + warp_rank() * warp_items),
        lanes_(warp_lanes >> job.packed.level),
        member_(lane_rank() & (lanes_ - 1)),
        part_(warp_rank() & ((1 << job.packed.sharing) - 1)) {}

  /// Gives the answers of unit `rank`, or stores the states of its node.
  ///
  /// sync       all threads of the block
  MONOFOLD_GPU void find(std::int64_t rank) const {
    // Divisions of 64 bits are long.
    const std::int64_t node = rank < shape_.units ? 0 : rank / shape_.units;
    const std::int64_t at = rank - node * shape_.units;
    const std::int64_t outer = at < shape_.across ? 0 : at / shape_.across;
    const int unit_rows = lanes_ * lane_items;
    const std::int64_t from = (at - outer * shape_.across) * unit_rows;
    const std::int64_t left = shape_.extent - from;
    const int here = node >= job_.nodes ? 0 : left < unit_rows ? static_cast<int>(left) : unit_rows;
    const std::int64_t row = outer * shape_.extent + from;
    const row_place place = place_of_row(job_.rows, here > 0 ? row : 0);
    unit_type best[units][keys::parts] = {};
    if (here > 0) see_items(row, place, here, node, best);
    if (lane_rank() < lanes_) {
      MONOFOLD_UNROLL
      for (int u = 0; u < units; ++u) {
        MONOFOLD_UNROLL
        for (int i = 0; i < unit_items; ++i) shared_[rank_of(u) + i] = keys::key(best[u], i);
      }
    }
    sync_block();  // keys written above are read below
    MONOFOLD_ROLL
    for (int i = part_ * warp_lanes + lane_rank(); i < here; i += warp_lanes << shape_.sharing) {
      const state total = job_.f.state_of_packed(joined_key(i));
      if (job_.nodes > 1) {
        job_.states[(row + i) * job_.nodes + node] = total;
      } else {
        // Neighbours have numbers a step apart.
        const std::int64_t number = width == 0 ? place_of_row(job_.rows, row + i).number
                                               : place.number + i * job_.rows.inner().number;
        job_.sinks.of(number)(job_.f, total);
      }
    }
  }

 private:
  /// The first row of word `u` of this lane, in the unit.
  MONOFOLD_GPU int rank_of(int u) const {
    return width == 16 ? member_ * lane_items + u * unit_items
                       : (u * lanes_ + member_) * unit_items;
  }

  /// What warps have found of the unit's row `i`.
  MONOFOLD_GPU item joined_key(int i) const {
    const item* const first = shared_ - part_ * warp_items + i;
    item key = *first;
    MONOFOLD_ROLL
    for (int w = 1; w < 1 << shape_.sharing; ++w) {
      const item other = first[w * warp_items];
      key = other > key ? other : key;
    }
    return key;
  }

  /// The best keys of a lane's rows, which lie from `place` on, of the items of its group and warp; lanes of the first
  /// group get those of all groups.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU void see_items(std::int64_t row, const row_place& place, int here, std::int64_t node,
                              unit_type (&best)[units][keys::parts]) const {
    const int shift = shape_.sharing + shape_.level;  // 2^shift parts take items by turns
    const int part = part_ << shape_.level | lane_rank() >> (5 - shape_.level);
    const std::int64_t behind = (node + 1) * shape_.span;
    const std::int64_t end = behind < job_.rows.row_items ? behind : job_.rows.row_items;
    const std::int64_t begin = node * shape_.span + part;
    const std::int64_t stride = job_.rows.reduced[0].stride;
    const item* const first = job_.first + begin * stride;
    const item* at[width == 16 ? 1 : units];
    bool is_there[width == 16 ? 1 : units];
    MONOFOLD_UNROLL
    for (int u = 0; u < (width == 16 ? 1 : units); ++u) {
      is_there[u] = rank_of(u) < here;
      const int own = is_there[u] ? rank_of(u) : 0;
      at[u] = first + (width == 0 ? place_of_row(job_.rows, row + own).offset : place.offset + own);
    }
    const std::uint64_t policy = cache_policy_of(
        job_.rows.num_rows * job_.rows.row_items * static_cast<std::int64_t>(sizeof(item)));
    const std::int64_t step = stride << shift;
    // Items that this lane has of each of its rows.
    std::int64_t left = begin < end ? (end - begin + (std::int64_t{1} << shift) - 1) >> shift : 0;
    MONOFOLD_ROLL
    for (; left > 0; left -= loads) {
      constexpr int words = static_cast<int>(sizeof(unit_type)) / 4;
      constexpr int bytes = width == 0 ? static_cast<int>(sizeof(item)) : width;
      std::uint32_t raw[loads][units * words];
      MONOFOLD_UNROLL
      for (int i = 0; i < loads; ++i) {
        MONOFOLD_UNROLL
        for (int u = 0; u < (width == 16 ? 1 : units); ++u) {
          if constexpr (width == 16) {
            load_there<bytes>(raw[i], at[u], is_there[u] && i < left, policy);
          } else {
            auto& own = reinterpret_cast<std::uint32_t(&)[words]>(raw[i][u * words]);
            load_there<bytes>(own, at[u], is_there[u] && i < left, policy);
          }
          at[u] += step;
        }
      }
      MONOFOLD_UNROLL
      for (int i = 0; i < loads; ++i) {
        if (i < left) see(raw[i], best);
      }
    }
    MONOFOLD_ROLL
    for (int distance = warp_lanes / 2; distance >= lanes_; distance /= 2) {
      MONOFOLD_UNROLL
      for (int u = 0; u < units; ++u) {
        MONOFOLD_UNROLL
        for (int p = 0; p < keys::parts; ++p) {
          keys::join(best[u][p], shuffle_down(best[u][p], distance));
        }
      }
    }
  }
  template <int words>
  MONOFOLD_GPU void see(const std::uint32_t (&raw)[words],
                        unit_type (&best)[units][keys::parts]) const {
    MONOFOLD_UNROLL
    for (int u = 0; u < units; ++u) {
      unit_type own;
      std::memcpy(&own, raw + u * (words / units), sizeof(own));
      keys_.see(own, best[u]);
    }
  }

  const Job& job_;
  const packed_shape& shape_;
  keys keys_;
  item* shared_;
  int lanes_;
  int member_;  // of a group
  int part_;    // of the warps that share the unit
};

/// The best items of rows whose items lie apart.
///
/// sync       all threads of the block
template <class Job>
MONOFOLD_GPU void find_packed_across(const Job& job) {
  using item = typename Job::item;
  constexpr int most = packed_across < Job, sizeof(item) == 8 ? 0 : 16 > ::warp_items;
  alignas(16) __shared__ item shared[packed_shape::packed_warps * most];
  const std::int64_t rank =
      (block_rank() * packed_shape::packed_warps + warp_rank()) >> job.packed.sharing;
  if (job.packed.width == 16) {
    packed_across<Job, 16>(job, shared).find(rank);
  } else if (job.packed.width == 0) {
    packed_across<Job, 0>(job, shared).find(rank);
  } else if constexpr (sizeof(item) <= 4) {
    packed_across<Job, 4>(job, shared).find(rank);
  }
}

}  // namespace monofold::detail
