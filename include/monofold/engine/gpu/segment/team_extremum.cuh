#pragma once
/// engine/gpu/segment/team_extremum: the smallest or largest item of a short segment, and its first index.

#include <cstdint>

#include "monofold/engine/gpu/segment/lane_items.cuh"
#include "monofold/engine/gpu/segment/teams.cuh"
#include "monofold/fold/extrema.hpp"
#include "monofold/level/shuffle.cuh"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Finds an extremum of a segment by a team: lanes compare the keys of chunks in turn, and are joined once.
///
/// order      any: the fold is exact
template <class F, class Item>
class team_extremum {
 public:
  using key = typename F::key;
  using state = typename F::state;

  /// The state of the segment, in the first lane of the team.
  ///
  /// sync       all lanes of the warp
  template <class Items>
  MONOFOLD_GPU static state find(const F& f, const Items& items, int count,
                                 const short_teams& teams) {
    const int first = teams.member() * each;
    state own{F::worst, -1};
    if (first < count) own = find_in_lane(items, first, count, teams.lanes() * each);
    MONOFOLD_ROLL
    for (int distance = 1; distance < teams.lanes(); distance *= 2) {
      own = f.combine(own, shuffle_down(own, distance));
    }
    return own;
  }

 private:
  static constexpr int each = tile_shape<Item>::items_per_lane;
  static constexpr bool nan_wins = F::nan_below == F::picks_smallest;

  template <class Items>
  MONOFOLD_GPU static state find_in_lane(const Items& items, int first, int count, int step) {
    key best = F::key_of(items.chunk(first, count)[0]);
    int at = first;
    const auto look = [&](const item_chunk<Item>& chunk, int from) {
      MONOFOLD_UNROLL
      for (int v = 0; v < each; ++v) {
        const key own = F::key_of(chunk[v]);
        const bool is_new = from + v < count && F::better(own, best);
        best = is_new ? own : best;
        at = is_new ? from + v : at;
      }
    };
    int from = first;
    if constexpr (Items::is_far) {
      // Many loads on their way before one is used. Where the best of them lies is looked for once.
      int best_from = -1;
      MONOFOLD_ROLL
      for (; from + (tile_rows - 1) * step + each <= count; from += tile_rows * step) {
        const key own = best_of_rows(items, from, step);
        const bool is_new = F::better(own, best);
        best = is_new ? own : best;
        best_from = is_new ? from : best_from;
      }
      if (best_from >= 0) at = place_in_rows(items, best_from, step, best);
    }
    MONOFOLD_ROLL
    for (; from < count; from += step) look(items.chunk(from, count), from);
    if constexpr (F::keys::has_nan) {
      // All NaN are one value, the first of which counts, or none.
      if (F::is_nan_key(best)) {
        if (!nan_wins) return {F::worst, -1};
        return {F::best, items.index(first_nan(items, first, count, step))};
      }
    }
    return {best, items.index(at)};
  }

  /// The best key of tile_rows chunks, `step` items apart.
  template <class Items>
  MONOFOLD_GPU static key best_of_rows(const Items& items, int from, int step) {
    item_chunk<Item> chunks[tile_rows];
    MONOFOLD_UNROLL
    for (int r = 0; r < tile_rows; ++r) {
      chunks[r] = items.template chunk<true>(from + r * step, 0);
    }
    key best = F::key_of(chunks[0][0]);
    MONOFOLD_UNROLL
    for (int r = 0; r < tile_rows; ++r) {
      MONOFOLD_UNROLL
      for (int v = 0; v < each; ++v) {
        const key own = F::key_of(chunks[r][v]);
        best = F::better(own, best) ? own : best;
      }
    }
    return best;
  }
  /// The place of the first item of these chunks whose key is `wanted`; there is one.
  template <class Items>
  MONOFOLD_GPU static int place_in_rows(const Items& items, int from, int step, key wanted) {
    int at = from;
    MONOFOLD_ROLL
    for (int r = tile_rows - 1; r >= 0; --r) {
      const auto chunk = items.template chunk<true>(from + r * step, 0);
      MONOFOLD_UNROLL
      for (int v = each - 1; v >= 0; --v) {
        if (F::key_of(chunk[v]) == wanted) at = from + r * step + v;
      }
    }
    return at;
  }

  template <class Items>
  MONOFOLD_GPU_CALL static int first_nan(const Items& items, int first, int count, int step) {
    MONOFOLD_ROLL
    for (int from = first; from < count; from += step) {
      const auto chunk = items.chunk(from, count);
      MONOFOLD_ROLL
      for (int v = 0; v < each && from + v < count; ++v) {
        if (F::is_nan_key(F::key_of(chunk[v]))) return from + v;
      }
    }
    return -1;
  }
};

}  // namespace monofold::detail
