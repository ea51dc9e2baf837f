#pragma once
/// engine/gpu/tree/fold_few_members: how blocks of few tiles fold the members of an `all`, with several warps for a
/// tile.

#include <cstdint>

#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/tree/block_fold.cuh"
#include "monofold/engine/gpu/tree/fold_members.cuh"
#include "monofold/engine/gpu/tree/joined_members.cuh"
#include "monofold/engine/gpu/tree/warp_fold.cuh"
#include "monofold/engine/gpu/tree/warp_running.cuh"
#include "monofold/engine/gpu/tree/warp_tile.cuh"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Which members of an `all` a warp folds. The block's `warps`, a power of two, are in groups of `step` neighbours.
/// Warps of a group fold the same members, each of another tile; the group that begins with warp `first` has every
/// (warps / step)-th member.
struct member_share {
  int warps;
  int step;
  int first;
  MONOFOLD_GPU bool has(int member) const { return ((member * step) & (warps - 1)) == first; }
  MONOFOLD_GPU bool is_empty(int members) const { return first >= members * step; }
  MONOFOLD_GPU bool has_one_at_most(int members) const { return members * step <= warps; }
};

/// Whether a tile that was filled up with neutral items may be folded as a whole tile is. (Not where a running state
/// counts items: it would count the neutral ones.)
template <class F, class View>
inline constexpr bool folds_filled_v =
    std::is_same_v<F, count_fold> ||
    (has_neutral_item_v<F> && (is_padded_v<F, View> || (is_filled_v<F, View> && !is_running_v<F>)));

/// The neutral item with which a warp that folds one member alone fills a tile up.
template <class F, class View>
struct member_padding {
  static constexpr bool is_known = false;
  static constexpr bool is_quick = false;
};
template <class... Folds, class View>
requires((folds_filled_v<Folds, View> && ...) &&
         is_filled_v<all_fold<Folds...>, View>) struct member_padding<all_fold<Folds...>, View> {
  using item = typename View::item_type;
  static constexpr bool is_known = true;
  /// Whether tiles that are filled up take the code of whole ones: where members keep running states. Whole tiles of
  /// others, who divide by a tile's count, would take 1.03 to 1.06 of the time for it.
  static constexpr bool is_quick = (is_running_v<Folds> && ...);

  MONOFOLD_GPU static item of(const member_share& share) {
    item padding{};
    int number = 0;
    ((padding = share.has(number++) ? neutral_item<Folds, item>() : padding), ...);
    return padding;
  }
};

/// The state of one tile that is whole or was filled up, in lane 0; of extrema with their indices.
template <class F, class View>
MONOFOLD_GPU typename F::state state_of_tile(const F& f, warp_tile<View>& tile, bytes16* buffer) {
  if constexpr (finds_extrema_v<F> && warp_tile<View>::held) {
    return extrema_of_tile<F>(tile);
  } else if constexpr (is_running_v<F> && !finds_extrema_v<F>) {
    warp_running<F, View> own(f);
    own.add(f, tile);
    return own.total(f);
  } else {
    return fold_loaded_tile<true>(f, tile, buffer);
  }
}

/// Folds a tile by the members of this warp and stores their states in `out`, in shared memory.
///
/// sync       all lanes of the warp; behind it lane 0 has written
template <bool full, class First, class... Rest, class View>
MONOFOLD_GPU void store_members(const fold_list<First, Rest...>& folds, warp_tile<View>& tile,
                                bytes16* buffer, const member_share& share,
                                typename fold_list<First, Rest...>::states& out, int number = 0) {
  if (share.has(number)) {
    typename First::state own;
    if constexpr (full) {
      own = state_of_tile(folds.first, tile, buffer);
    } else {
      own = fold_loaded_tile<false>(folds.first, tile, buffer);
    }
    if (lane_rank() == 0) out.first = own;
  }
  if constexpr (sizeof...(Rest) > 0) {
    store_members<full>(folds.rest, tile, buffer, share, out.rest, number + 1);
  }
}

/// The same for a tile that is not whole, or lies across 16-byte boundaries.
template <class F, class View>
MONOFOLD_GPU_CALL void store_ragged_members(F f, View view, tile_place place, bytes16* buffer,
                                            member_share share, typename F::state* out) {
  warp_tile<View> tile(view, place);
  using padding = member_padding<F, View>;
  if constexpr (padding::is_known && !padding::is_quick) {
    if (share.has_one_at_most(member_count_v<F>) && bytes_past_16(view.data()) == 0) {
      tile.load_padded(place.count, padding::of(share));
      return store_members<true>(f.members, tile, buffer, share, *out);
    }
  }
  tile.template load_any<is_filled_v<F, View>>();
  if constexpr (is_staged_v<F, View>) tile.stage(buffer);
  store_members<false>(f.members, tile, buffer, share, *out);
}

/// The parts of a block's dynamic shared memory: staging of each warp, a state for each tile, the total.
template <class F, class View>
struct few_places {
  using state = typename F::state;
  static constexpr int staging = is_staged_v<F, View> ? staging_bytes : 0;

  bytes16* buffer;  // of this warp
  state* states;
  state* whole;

  MONOFOLD_GPU few_places(void* shared, int tiles) {
    auto* const bytes = static_cast<char*>(shared);
    buffer = reinterpret_cast<bytes16*>(bytes + block_warp() * staging);
    states = reinterpret_cast<state*>(bytes + block_warps() * staging);
    whole = reinterpret_cast<state*>(reinterpret_cast<char*>(states) + bytes_of(tiles));
  }
  static constexpr int shared_bytes(int warps, int tiles) {
    return warps * staging + bytes_of(tiles) + static_cast<int>(sizeof(state));
  }
  MONOFOLD_HD static constexpr int bytes_of(int tiles) {
    return in_chunks_of_16(tiles * static_cast<int>(sizeof(state)));
  }
};

/// Folds the tiles of this block, up to 2^block_level <= 32 of them. Returns where in shared memory their state is.
///
/// shape      warps: a power of two
/// order      the plan's tree
/// sync       all threads of the block, and ends with a barrier
template <class F, class View>
MONOFOLD_GPU const typename F::state* fold_few_members(const F& f, const View& view,
                                                       std::int64_t size, int all_tiles,
                                                       int block_level) {
  const int tiles = 1 << block_level;
  const int warps = block_warps();
  const int step = tiles < warps ? tiles : warps;  // tiles side by side
  const int warp = block_warp() & (step - 1);
  const member_share members{warps, step, block_warp() - warp};
  const few_places<F, View> places(dynamic_shared(), tiles);
  const int first = static_cast<int>(blockIdx.x) << block_level;
  const int here = tiles_here(all_tiles, first, block_level);
  const int own = members.is_empty(member_count_v<F>) ? 0 : here;
  const int aligned = static_cast<int>(warp_tile<View>::aligned_tiles(view, size)) - first;
  // One tile's members are the whole.
  auto* const states = tiles == 1 ? places.whole : places.states;
  clear_state(places.whole);
  sync_block();  // members written below are not cleared
  using padding = member_padding<F, View>;
  bool fills = false;
  if constexpr (padding::is_quick) {
    fills = members.has_one_at_most(member_count_v<F>) && bytes_past_16(view.data()) == 0;
  }
  MONOFOLD_ROLL
  for (int tile = warp; tile < own; tile += step) {
    const tile_place place = place_of_tile<View>(size, first + tile);
    const tile_place whole_place{place.at, size, warp_tile<View>::tile_items};
    if (tile < aligned || fills) {
      warp_tile<View> loaded(view, padding::is_quick ? place : whole_place);
      if constexpr (padding::is_quick) {
        loaded.load_padded(place.count, padding::of(members));
      } else {
        loaded.load_aligned();
      }
      if constexpr (is_staged_v<F, View>) loaded.stage(places.buffer);
      store_members<true>(f.members, loaded, places.buffer, members, states[tile]);
    } else {
      store_ragged_members(f, view, place, places.buffer, members, states + tile);
    }
  }
  sync_block();  // states written above are read behind it
  if (tiles == 1) return states;
  const member_as_it_is then;
  joined_members<F, member_as_it_is>(states, here, then).store(f, places.whole);
  sync_block();  // and here
  return places.whole;
}

}  // namespace monofold::detail
