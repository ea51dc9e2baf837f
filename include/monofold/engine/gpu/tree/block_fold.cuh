#pragma once
/// engine/gpu/tree/block_fold: folds the tiles of a block, by one fold or by several in one pass.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/tree/warp_fold.cuh"
#include "monofold/engine/gpu/tree/warp_running.cuh"
#include "monofold/engine/gpu/tree/warp_tile.cuh"
#include "monofold/fold/all.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/level/block.cuh"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/grid.cuh"
#include "monofold/level/thread.cuh"

namespace monofold::detail {

/// The warp of this thread, and how many warps a block has. Blocks must have one dimension: then these take fewer
/// instructions than warp_rank() and threads_in_block().
MONOFOLD_GPU int block_warp() { return static_cast<int>(threadIdx.x) / warp_lanes; }
MONOFOLD_GPU int block_warps() { return static_cast<int>(blockDim.x) / warp_lanes; }

/// Ranks and counts that are read from their registers at each call. If they were kept through a loop over tiles, the
/// compiler would put them into local memory, and a load from there waits behind the loads of items.
///
/// source     measured on an H200: maxima of float32 take 0.95 to 0.98 of the time from 64 to 256 MiB
MONOFOLD_GPU int thread_now() {
#if defined(__CUDA_ARCH__)
  int rank;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(rank));
  return rank;
#else
  return static_cast<int>(threadIdx.x);
#endif
}
MONOFOLD_GPU int threads_now() {
#if defined(__CUDA_ARCH__)
  int threads;
  asm volatile("mov.u32 %0, %%ntid.x;" : "=r"(threads));
  return threads;
#else
  return static_cast<int>(blockDim.x);
#endif
}
MONOFOLD_GPU int warp_now() { return thread_now() / warp_lanes; }
MONOFOLD_GPU int warps_now() { return threads_now() / warp_lanes; }

/// How many states of a fold a block keeps in shared memory: one a tile, or one a warp.
template <class F>
MONOFOLD_HD_CALL constexpr int block_states_of(int tiles, int warps) {
  return is_running_v<F> ? warps : tiles;
}

/// The shared memory that the states of one fold take.
template <class F>
MONOFOLD_HD_CALL constexpr int block_bytes_of_one(int tiles, int warps) {
  return in_chunks_of_16(block_states_of<F>(tiles, warps) *
                         static_cast<int>(sizeof(typename F::state)));
}

/// The shared memory that the states of a fold take; of an `all`, each member has its own part.
template <class F>
struct block_state_bytes {
  MONOFOLD_HD_CALL static constexpr int of(int tiles, int warps) {
    return block_bytes_of_one<F>(tiles, warps);
  }
  /// How many bytes each tile adds to it.
  static constexpr int each_tile =
      is_running_v<F> ? 0 : static_cast<int>(sizeof(typename F::state));
  /// How many bytes each warp adds to it.
  static constexpr int each_warp =
      is_running_v<F> ? static_cast<int>(sizeof(typename F::state)) : 0;
};
template <class... Folds>
struct block_state_bytes<all_fold<Folds...>> {
  MONOFOLD_HD_CALL static constexpr int of(int tiles, int warps) {
    return (block_bytes_of_one<Folds>(tiles, warps) + ...);
  }
  static constexpr int each_tile =
      ((is_running_v<Folds> ? 0 : static_cast<int>(sizeof(typename Folds::state))) + ...);
  static constexpr int each_warp =
      ((is_running_v<Folds> ? static_cast<int>(sizeof(typename Folds::state)) : 0) + ...);
};

/// Combines states[0] .. states[count - 1], more than 32 and up to 256 of them, to one state in lane 0. Rare, so it is
/// not inlined.
///
/// sync       all lanes of the warp
template <class F, class States>
MONOFOLD_GPU_CALL typename F::state combine_many_by_warp(const F& f, States states, int count) {
  const int owners = (count + states_per_thread - 1) / states_per_thread;
  const int at = lane_rank() < owners ? lane_rank() * states_per_thread : 0;
  return warp::combine(f, combine_neighbours(f, states + at, count - at), owners);
}
/// Combines states[0] .. states[count - 1], up to 256 of them, to one state in lane 0.
template <class F, class States>
MONOFOLD_GPU typename F::state combine_by_warp(const F& f, const States& states, int count) {
  if (count > warp_lanes) return combine_many_by_warp(f, states, count);
  if (count == 1) return states[0];
  const int lane = lane_rank();
  return warp::combine(f, states[lane < count ? lane : 0], count);
}

/// Folds the tiles of a block. Each warp adds its tiles, and stores states in shared memory, from which one total is
/// made.
///
/// shape      `shared`: block_bytes_of_one of shared memory. Calls come in this order: `put` with the states of ragged
///            tiles, in lane 0; `start`; `add` with whole tiles, `at` being a tile's number in the block; `close`; a
///            barrier; `total` of the block's `here` tiles, with warp_states as in combine_block
/// order      the plan's tree over the tiles; exact folds in any order
template <class F, class View, bool runs = is_running_v<F>>
class block_fold {
 public:
  using state = typename F::state;

  MONOFOLD_GPU block_fold(const F&, void* shared) : states_(static_cast<state*>(shared)) {}

  MONOFOLD_GPU void add(const F& f, const warp_tile<View>& tile, int at, bytes16* buffer) {
    const state own = fold_loaded_tile<true>(f, tile, buffer);
    put(f, own, at);
  }
  MONOFOLD_GPU void put(const F&, const state& own, int at) {
    if (lane_rank() == 0) states_[at] = own;
  }
  MONOFOLD_GPU void start(const F&) {}
  MONOFOLD_GPU void close(const F&) {}
  MONOFOLD_GPU state total(const F& f, int here, void* warp_states) const {
    const int rank = thread_now();
    return combine_block(f, states_[rank < here ? rank : 0], here, static_cast<state*>(warp_states),
                         rank);
  }
  /// The total of the block's `here` tiles, by one warp.
  MONOFOLD_GPU state total_by_warp(const F& f, int here) const {
    return combine_by_warp(f, states_, here);
  }

 private:
  state* states_;
};

template <class F, class View>
class block_fold<F, View, true> {
 public:
  using state = typename F::state;

  MONOFOLD_GPU block_fold(const F& f, void* shared) : states_(static_cast<state*>(shared)) {
    if (lane_rank() == 0) states_[warp_now()] = f.identity();
  }

  MONOFOLD_GPU void put(const F& f, const state& own, int) {
    if (lane_rank() == 0) states_[warp_now()] = combine_states(f, states_[warp_now()], own);
  }
  MONOFOLD_GPU void start(const F& f) { own_ = warp_running<F, View>(f); }
  MONOFOLD_GPU void add(const F& f, const warp_tile<View>& tile, int, bytes16*) {
    own_.add(f, tile);
  }
  MONOFOLD_GPU void close(const F& f) {
    sync_warp();  // lane 0's state is read by all
    own_.merge(f, states_[warp_now()]);
    const state total = own_.total(f);
    sync_warp();  // and written after that
    if (lane_rank() == 0) states_[warp_now()] = total;
  }
  MONOFOLD_GPU state total(const F& f, int here, void*) const {
    if (thread_now() >= warp_lanes) return states_[0];
    return total_by_warp(f, here);
  }
  MONOFOLD_GPU state total_by_warp(const F& f, int) const {
    return combine_by_warp(f, states_, warps_now());
  }

 private:
  state* states_;
  warp_running<F, View> own_;
};

/// How many members an `all` has; 1 for other folds.
template <class F>
inline constexpr int member_count_v = 1;
template <class... Folds>
inline constexpr int member_count_v<all_fold<Folds...>> = sizeof...(Folds);

/// Whether this warp makes the total of a member of an `all`. Members are dealt out to the block's warps in turn; the
/// number of warps is a power of two.
MONOFOLD_GPU bool is_of_this_warp(int member) { return (member & (warps_now() - 1)) == warp_now(); }

/// The `block_fold` of each member of an `all`.
template <class View, class First, class... Rest>
class block_fold_list {
 public:
  using folds = fold_list<First, Rest...>;
  using states = typename folds::states;

  MONOFOLD_GPU block_fold_list(const folds& f, char* shared, int tiles, int warps)
      : first_(f.first, shared),
        rest_(f.rest, shared + block_bytes_of_one<First>(tiles, warps), tiles, warps) {}

  MONOFOLD_GPU void add(const folds& f, const warp_tile<View>& tile, int at, bytes16* buffer) {
    first_.add(f.first, tile, at, buffer);
    rest_.add(f.rest, tile, at, buffer);
  }
  MONOFOLD_GPU void put(const folds& f, const states& own, int at) {
    first_.put(f.first, own.first, at);
    rest_.put(f.rest, own.rest, at);
  }
  MONOFOLD_GPU void start(const folds& f) {
    first_.start(f.first);
    rest_.start(f.rest);
  }
  MONOFOLD_GPU void close(const folds& f) {
    first_.close(f.first);
    rest_.close(f.rest);
  }
  /// Calls then(fold, state) for the total of each member, by all lanes of one warp, with the total in lane 0, and
  /// stores in `out` what it returns.
  ///
  /// shape      up to 256 tiles; `out` in shared memory; number: of the first member of `f`
  /// sync       all threads of the block; no barrier behind the last write of `out`
  template <class Then>
  MONOFOLD_GPU void totals_by_warps(const folds& f, int here, states* out, const Then& then,
                                    int number = 0) const {
    if (is_of_this_warp(number)) {
      const auto own = then(f.first, first_.total_by_warp(f.first, here));
      if (lane_rank() == 0) out->first = own;
    }
    rest_.totals_by_warps(f.rest, here, &out->rest, then, number + 1);
  }

 private:
  block_fold<First, View> first_;
  block_fold_list<View, Rest...> rest_;
};
template <class View, class Last>
class block_fold_list<View, Last> {
 public:
  using folds = fold_list<Last>;
  using states = typename folds::states;

  MONOFOLD_GPU block_fold_list(const folds& f, char* shared, int, int) : last_(f.first, shared) {}
  MONOFOLD_GPU void add(const folds& f, const warp_tile<View>& tile, int at, bytes16* buffer) {
    last_.add(f.first, tile, at, buffer);
  }
  MONOFOLD_GPU void put(const folds& f, const states& own, int at) {
    last_.put(f.first, own.first, at);
  }
  MONOFOLD_GPU void start(const folds& f) { last_.start(f.first); }
  MONOFOLD_GPU void close(const folds& f) { last_.close(f.first); }
  template <class Then>
  MONOFOLD_GPU void totals_by_warps(const folds& f, int here, states* out, const Then& then,
                                    int number = 0) const {
    if (!is_of_this_warp(number)) return;
    const auto own = then(f.first, last_.total_by_warp(f.first, here));
    if (lane_rank() == 0) out->first = own;
  }

 private:
  block_fold<Last, View> last_;
};

/// The `block_fold` of a fold, or those of the members of an `all`, with one interface.
template <class F, class View>
class block_folds {
 public:
  MONOFOLD_GPU block_folds(const F& f, char* shared, int, int) : own_(f, shared) {}
  MONOFOLD_GPU void add(const F& f, const warp_tile<View>& tile, int at, bytes16* buffer) {
    own_.add(f, tile, at, buffer);
  }
  MONOFOLD_GPU void put(const F& f, const typename F::state& own, int at) { own_.put(f, own, at); }
  MONOFOLD_GPU void start(const F& f) { own_.start(f); }
  MONOFOLD_GPU void close(const F& f) { own_.close(f); }
  MONOFOLD_GPU typename F::state total(const F& f, int here, void* warp_states) const {
    return own_.total(f, here, warp_states);
  }

 private:
  block_fold<F, View> own_;
};
template <class... Folds, class View>
class block_folds<all_fold<Folds...>, View> {
 public:
  using fold = all_fold<Folds...>;
  MONOFOLD_GPU block_folds(const fold& f, char* shared, int tiles, int warps)
      : own_(f.members, shared, tiles, warps) {}
  MONOFOLD_GPU void add(const fold& f, const warp_tile<View>& tile, int at, bytes16* buffer) {
    own_.add(f.members, tile, at, buffer);
  }
  MONOFOLD_GPU void put(const fold& f, const typename fold::state& own, int at) {
    own_.put(f.members, own, at);
  }
  MONOFOLD_GPU void start(const fold& f) { own_.start(f.members); }
  MONOFOLD_GPU void close(const fold& f) { own_.close(f.members); }
  template <class Then>
  MONOFOLD_GPU void totals_by_warps(const fold& f, int here, typename fold::state* out,
                                    const Then& then) const {
    own_.totals_by_warps(f.members, here, out, then);
  }

 private:
  block_fold_list<View, Folds...> own_;
};

/// The parts of a block's dynamic shared memory, whose size is shared_bytes_of: staging of each warp, the states of
/// `block_folds`, and a state for each warp, by which warps are joined.
template <class F, class View>
struct block_places {
  using state = typename F::state;

  bytes16* staging;  // of this warp
  char* parts;
  state* warp_states;
  int tiles;

  MONOFOLD_GPU block_places(void* shared, int block_level) : tiles(1 << block_level) {
    constexpr int each = is_staged_v<F, View> ? staging_bytes : 0;
    const int warps = warps_now();
    auto* const bytes = static_cast<char*>(shared);
    staging = reinterpret_cast<bytes16*>(bytes + warp_now() * each);
    parts = bytes + warps * each;
    warp_states = reinterpret_cast<state*>(parts + block_state_bytes<F>::of(tiles, warps));
  }
};

/// Folds `here` tiles of a view from tile `first` on, which the block's warps take in turn. The result has the states,
/// of which `total` makes one.
///
/// order      the plan's tree; extrema have the index of their tile's first item, see engine/gpu/tree/locate
/// sync       all threads of the block, and ends with a barrier
template <class F, class View>
MONOFOLD_GPU block_folds<F, View> fold_block_parts(const F& f, const View& view, std::int64_t size,
                                                   std::int64_t first, int here,
                                                   const block_places<F, View>& places) {
  constexpr int tile_items = warp_tile<View>::tile_items;
  const int warps = warps_now();
  const int warp = warp_now();
  block_folds<F, View> parts(f, places.parts, places.tiles, warps);
  const std::int64_t aligned_left = warp_tile<View>::aligned_tiles(view, size) - first;
  const int aligned = aligned_left < 0      ? 0
                      : aligned_left < here ? static_cast<int>(aligned_left)
                                            : here;
  // What is called for ragged tiles takes registers that loads in flight need: so that is a loop of its
  // own, and running states start behind it.
  int last = here - 1 - warp;
  MONOFOLD_ROLL
  for (; last >= aligned; last -= warps) {
    const tile_place place = place_of_tile<View>(size, first + last);
    // Whole tiles of smaller items would take up to 1.03 of the time for it.
    constexpr bool may_be_kept = sizeof(typename View::item_type) >= 4;
    parts.put(f, fold_ragged_tile<may_be_kept>(f, view, place, places.staging), last);
  }
  parts.start(f);
  const auto fold_aligned = [&](auto is_kept) {
    MONOFOLD_ROLL
    for (int tile = warp; tile < aligned; tile += warps) {
      const tile_place place{(first + tile) * tile_items, size, tile_items};
      warp_tile<View> loaded(view, place);
      loaded.template load_aligned<is_kept>();
      if constexpr (is_staged_v<F, View>) loaded.stage(places.staging);
      parts.add(f, loaded, tile, places.staging);
    }
  };
  // A loop of its own: what is asked in each round takes time.
  if (warp_tile<View>::held &&
      is_partly_kept(size * static_cast<int>(sizeof(typename View::item_type)))) {
    fold_aligned(std::true_type{});
  } else {
    fold_aligned(std::false_type{});
  }
  parts.close(f);
  sync_block();  // states written above are read behind it
  return parts;
}

/// Folds `here` tiles of a view from tile `first` on to one state, in thread 0.
///
/// sync       all threads of the block; no barrier behind the last read of `places.warp_states`
template <class F, class View>
MONOFOLD_GPU typename F::state fold_block(const F& f, const View& view, std::int64_t size,
                                          std::int64_t first, int here,
                                          const block_places<F, View>& places) {
  const auto parts = fold_block_parts(f, view, size, first, here, places);
  return parts.total(f, here, places.warp_states);
}

}  // namespace monofold::detail
