#pragma once
/// engine/gpu/exact/few_extrema: the smallest and largest of few items, and where they are, beside their sums.

#include <cstdint>

#include "monofold/engine/gpu/exact/companion.cuh"
#include "monofold/engine/gpu/exact/few_tile.cuh"
#include "monofold/engine/gpu/exact/warp_rows.cuh"
#include "monofold/engine/gpu/lane_best.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/mailbox.cuh"
#include "monofold/engine/gpu/warp_extremum.cuh"
#include "monofold/fold/all.hpp"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/few_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// An item and its index as one number, the larger the better: its rank above the complement of the index. 0 stands for
/// nothing.
template <class Fold>
struct few_end {
  using key = typename Fold::key;
  static_assert(sizeof(key) <= 4);

  MONOFOLD_GPU static std::uint32_t rank_of(key k) {
    const std::uint32_t up = static_cast<std::uint32_t>(static_cast<std::int32_t>(k)) ^ 0x80000000u;
    return Fold::picks_smallest ? ~up : up;
  }
  MONOFOLD_GPU static key key_of(std::uint32_t rank) {
    const std::uint32_t up = Fold::picks_smallest ? ~rank : rank;
    return static_cast<key>(static_cast<std::int32_t>(up ^ 0x80000000u));
  }
  MONOFOLD_GPU static typename Fold::state state_of(std::uint64_t place) {
    return {key_of(static_cast<std::uint32_t>(place >> 32)),
            static_cast<std::int64_t>(~static_cast<std::uint32_t>(place))};
  }

  /// Of a tile, in all lanes.
  ///
  /// sync       all lanes of the warp
  template <class Tile>
  MONOFOLD_GPU static std::uint64_t best_of(const Tile& tile) {
    key mine = best_in_lane<Fold>(tile);
    // All NaN are one value, which wins.
    if (Fold::is_nan_key(mine)) mine = Fold::best;
    const std::uint32_t rank = largest_of_lanes(rank_of(mine));
    const auto index = static_cast<std::uint32_t>(index_in_tile<Fold>(tile, key_of(rank)));
    return std::uint64_t{rank} << 32 | ~index;
  }
};

/// The largest of one such number a lane, in all lanes.
///
/// sync       all lanes of the warp
MONOFOLD_GPU std::uint64_t best_end_of_lanes(std::uint64_t own) {
  const auto rank = static_cast<std::uint32_t>(own >> 32);
  const std::uint32_t best = largest_of_lanes(rank);
  const std::uint32_t rest = rank == best ? static_cast<std::uint32_t>(own) : 0;
  return std::uint64_t{best} << 32 | largest_of_lanes(rest);
}

/// The ends that folds ask for, as a warp has them: one or both, see `no_ends`.
template <class First, class... Rest>
struct few_extrema {
  static constexpr int count = 1 + sizeof...(Rest);
  static_assert(count <= 2);
  using state = state_list<typename First::state, typename Rest::state...>;
  /// What the warps of a block have left, and what all have found.
  struct room {
    std::uint64_t best[count][few_warps];
    state found;
  };

  std::uint64_t best[count] = {};

  /// A tile that begins at `at`, with zeros beyond the range.
  ///
  /// sync       all lanes of the warp
  template <int rows, class Item>
  MONOFOLD_GPU void look(const bytes16 (&raw)[rows], const few_range<Item>& range, int at) {
    using tile_type = warp_rows<Item, rows>;
    // The first item may stand anywhere: it comes first where it really is.
    const bytes16 first = repeated(range.base[range.first]);
    bytes16 own[rows];
    MONOFOLD_UNROLL
    for (int r = 0; r < rows; ++r) own[r] = raw[r];
    if (at < range.first || at + tile_type::tile_items > range.end) {
      fill_outside(own, range, at, first);
    }
    const tile_type tile(own, at - range.first);
    best[0] = few_end<First>::best_of(tile);
    if constexpr (count > 1) best[1] = few_end<Rest...>::best_of(tile);
  }

  MONOFOLD_GPU void leave(room& to, int warp) const {
    if (lane_rank() != 0) return;
    MONOFOLD_UNROLL
    for (int e = 0; e < count; ++e) to.best[e][warp] = best[e];
  }
  /// The best that warps have left; by one warp.
  MONOFOLD_GPU void join(const room& from) {
    MONOFOLD_UNROLL
    for (int e = 0; e < count; ++e) {
      best[e] = best_end_of_lanes(from.best[e][lane_rank() % few_warps]);
    }
  }

  /// What this warp has, by mail; end e of all senders has pairs of boxes behind those of end e - 1.
  MONOFOLD_GPU void post(std::uint64_t* pairs, int sender, std::uint32_t call) const {
    const int e = lane_rank();
    if (e >= count) return;
    const std::uint64_t own = e == 0 ? best[0] : best[count - 1];
    post_mail(pairs + 2 * (e * mail_room::most_senders + sender),
              mail_of(call, static_cast<std::uint32_t>(own)),
              mail_of(call, static_cast<std::uint32_t>(own >> 32)));
  }
  /// Waits for a sender a lane, in warps that have one; others have nothing then.
  ///
  /// sync       all lanes of a warp
  MONOFOLD_GPU void hear(const std::uint64_t* pairs, int rank, int senders, std::uint32_t call) {
    MONOFOLD_UNROLL
    for (int e = 0; e < count; ++e) best[e] = 0;
    if (rank - lane_rank() >= senders) return;
    const int sender = rank < senders ? rank : 0;
    std::uint64_t low[count];
    std::uint64_t high[count];
    bool all_there;
    do {
      MONOFOLD_UNROLL
      for (int e = 0; e < count; ++e) {
        read_mail(pairs + 2 * (e * mail_room::most_senders + sender), low[e], high[e]);
      }
      all_there = true;
      MONOFOLD_UNROLL
      for (int e = 0; e < count; ++e) {
        all_there = all_there && is_mail_of(call, low[e]) && is_mail_of(call, high[e]);
      }
    } while (any_lane(!all_there));
    MONOFOLD_UNROLL
    for (int e = 0; e < count; ++e) {
      best[e] = best_end_of_lanes(high[e] << 32 | static_cast<std::uint32_t>(low[e]));
    }
  }

  MONOFOLD_GPU void store(room& to) const {
    if (lane_rank() != 0) return;
    to.found.first = few_end<First>::state_of(best[0]);
    if constexpr (count > 1) to.found.rest.first = few_end<Rest...>::state_of(best[1]);
  }
  template <class Sink>
  MONOFOLD_GPU static companion_sink<Sink, state> sink_for(const Sink& sink, const room& from) {
    return {sink, from.found};
  }
};

/// Those of the fold of members' extrema, see `exact_members`.
template <class Extrema>
struct few_extrema_of {
  using type = no_ends;
};
template <class... Folds>
struct few_extrema_of<all_fold<Folds...>> {
  using type = few_extrema<Folds...>;
};

}  // namespace monofold::detail
