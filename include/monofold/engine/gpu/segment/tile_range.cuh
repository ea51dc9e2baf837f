#pragma once
/// engine/gpu/segment/tile_range: a warp folds neighbouring tiles of a segment, any number of them.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/exact/companion.cuh"
#include "monofold/engine/gpu/exact/finish.cuh"
#include "monofold/engine/gpu/exact/warp_exact.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/segment/exact_team.cuh"
#include "monofold/engine/gpu/segment/exact_words.cuh"
#include "monofold/engine/gpu/segment/job.cuh"
#include "monofold/engine/gpu/segment/pair_tile.cuh"
#include "monofold/engine/gpu/segment/slot_tile.cuh"
#include "monofold/engine/gpu/tree/warp_fold.cuh"
#include "monofold/engine/gpu/tree/warp_running.cuh"
#include "monofold/engine/gpu/tree/warp_tile.cuh"
#include "monofold/fold/fold.hpp"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Tiles `first` to `end` - 1 of a segment, which is a view of its own.
template <class Part>
struct tile_range {
  const Part& part;
  std::int64_t first;
  std::int64_t end;
  // Items of the range before and behind the segment, which may be read with it.
  std::int64_t before;
  std::int64_t behind;
};

/// In place of short sums, for folds by the tree.
struct no_sums {};

/// Folds tiles to a state in shared memory of the warp.
///
/// shape      scratch: scratch_bytes of shared memory, of this warp alone
/// order      the plan's tree; extrema have the places of tiles as indices, see engine/gpu/tree/locate
/// sync       all lanes of the warp; `out` is written by lane 0, with a barrier of the warp behind it
template <class F, class Part, class Term, class Range>
class tile_range_fold {
 public:
  using state = typename F::state;
  using sums = no_sums;
  static constexpr bool adds_short = false;
  static constexpr int stack_levels = 26;  // of a binary counter: 2^26 tiles
  static constexpr int staging = is_staged_v<F, Part> ? staging_bytes : 0;
  static constexpr int scratch_bytes =
      staging +
      (is_running_v<F> ? 0 : in_chunks_of_16(stack_levels * static_cast<int>(sizeof(state))));

  MONOFOLD_GPU static void fold(const F& f, const tile_range<Part>& tiles, char* scratch,
                                state* out) {
    auto* const buffer = reinterpret_cast<bytes16*>(scratch);
    if constexpr (is_running_v<F>) {
      warp_running<F, Part> own(f);
      each_tile(
          f, tiles, buffer, [&](const warp_tile<Part>& tile, std::int64_t) { own.add(f, tile); },
          [&](const state& ragged, std::int64_t) { own.merge(f, ragged); });
      const state total = own.total(f);
      if (lane_rank() == 0) *out = total;
    } else {
      auto* const stack = reinterpret_cast<state*>(scratch + staging);
      each_tile(
          f, tiles, buffer,
          [&](const warp_tile<Part>& tile, std::int64_t at) {
            push(f, stack, at, fold_loaded_tile<true>(f, tile, buffer));
          },
          [&](const state& ragged, std::int64_t at) { push(f, stack, at, ragged); });
      if (lane_rank() == 0) take(f, stack, tiles.end - tiles.first, out);
    }
    sync_warp();  // what lane 0 wrote above others read
  }

 private:
  using item = typename Part::item_type;
  static constexpr int tile_items = warp_tile<Part>::tile_items;
  /// Whether the next tile is loaded while one is folded: there must be registers for two tiles beside what a lane
  /// keeps.
  static constexpr bool loads_ahead = max_block_threads(launch_facts_v<F, Part>) > 256 &&
                                      !is_extremum_fold_v<F> && warp_tile<Part>::held &&
                                      contiguous_item_view<Part>;
  static constexpr int tile_bytes = tile_items * static_cast<int>(sizeof(item));

  /// Calls whole(tile, number) for whole tiles and ragged(state, number) for others, in order; `number` is how many
  /// came before. Ragged tiles are folded by a function that is not inlined, outside of the loop over whole tiles,
  /// since a call in that loop would take registers from loads.
  template <class Whole, class Ragged>
  MONOFOLD_GPU static void each_tile(const F& f, const tile_range<Part>& tiles, bytes16* buffer,
                                     const Whole& whole, const Ragged& ragged) {
    const std::int64_t size = tiles.part.size();
    int past = 0;
    if constexpr (warp_tile<Part>::held && contiguous_item_view<Part>) {
      past = bytes_past_16(tiles.part.data());
    }
    if constexpr (has_slot_tiles_v<F, Part>) {
      if (past != 0) {
        slot_tiles<F, Part> own(f, tiles.part, tiles.first, tiles.end);
        MONOFOLD_ROLL
        for (std::int64_t tile = tiles.first; tile < tiles.end; ++tile) {
          ragged(own.fold_next(), tile - tiles.first);
        }
        return;
      }
    }
    if constexpr (has_pair_tiles_v<F, Part>) {
      if (past != 0) return each_pair_tile(f, tiles, buffer, ragged);
    }
    // Shifted loads reach into the chunks around a tile.
    const std::int64_t first = past != 0 && tiles.first == 0 ? 1 : tiles.first;
    const std::int64_t last =
        past == 0 ? size / tile_items
                  : (size - lane_bytes / static_cast<int>(sizeof(item))) / tile_items;
    const std::int64_t end = last < tiles.end ? last : tiles.end;
    std::int64_t tile = tiles.first;
    each_alone(f, tiles, buffer, tile, first < tiles.end ? first : tiles.end, ragged);
    const auto loaded = [&](std::int64_t at) {
      warp_tile<Part> own(tiles.part, {at * tile_items, size, tile_items});
      if (past == 0) {
        own.load_aligned();
      } else {
        own.load_shifted();
      }
      return own;
    };
    if constexpr (loads_ahead) {
      if (tile < end) {
        warp_tile<Part> coming = loaded(tile);
        MONOFOLD_ROLL
        for (; tile < end; ++tile) {
          const warp_tile<Part> own = coming;
          if (tile + 1 < end) coming = loaded(tile + 1);
          whole(own, tile - tiles.first);
        }
      }
    }
    MONOFOLD_ROLL
    for (; tile < end; ++tile) {
      warp_tile<Part> own = loaded(tile);
      if constexpr (is_staged_v<F, Part>) own.stage(buffer);
      whole(own, tile - tiles.first);
    }
    each_alone(f, tiles, buffer, tile, tiles.end, ragged);
  }

  /// Tiles from `tile` to `end`, as fold_ragged_tile takes them; leaves `tile` behind them.
  template <class Use>
  MONOFOLD_GPU static void each_alone(const F& f, const tile_range<Part>& tiles, bytes16* buffer,
                                      std::int64_t& tile, std::int64_t end, const Use& use) {
    MONOFOLD_ROLL
    for (; tile < end; ++tile) {
      const tile_place place = place_of_tile<Part>(tiles.part.size(), tile);
      use(fold_ragged_tile(f, tiles.part, place, buffer), tile - tiles.first);
    }
  }

  /// The same by words of two items. Where the range ends with the segment, the tile there is folded alone, since its last
  /// word may go on.
  template <class Use>
  MONOFOLD_GPU static void each_pair_tile(const F& f, const tile_range<Part>& tiles,
                                          bytes16* buffer, const Use& use) {
    const std::int64_t size = tiles.part.size();
    std::int64_t tile = tiles.first;
    if (tile == 0 && tiles.before == 0 && tiles.end > 0) each_alone(f, tiles, buffer, tile, 1, use);
    const std::int64_t last = tiles.behind == 0 ? (size - 1) / tile_items : tiles.end;
    const std::int64_t end = last < tiles.end ? last : tiles.end;
    if (tile < end) {
      pair_tiles<F, Part> own(f, tiles.part, tile, end);
      MONOFOLD_ROLL
      for (; tile < end; ++tile) use(own.fold_next(), tile - tiles.first);
    }
    each_alone(f, tiles, buffer, tile, tiles.end, use);
  }

  /// Adds the state of a tile to a stack of nodes, one of each size, as node_joiner of plan/tree does; by lane 0.
  MONOFOLD_GPU static void push(const F& f, state* stack, std::int64_t count, state own) {
    if (lane_rank() != 0) return;
    int level = 0;
    for (; (count >> level & 1) != 0; ++level) own = combine_states(f, stack[level], own);
    stack[level] = own;
  }
  MONOFOLD_GPU static void take(const F& f, const state* stack, std::int64_t count, state* out) {
    int level = 0;
    while ((count >> level & 1) == 0) ++level;
    state own = stack[level];
    for (++level; count >> level != 0; ++level) {
      if ((count >> level & 1) != 0) own = combine_states(f, stack[level], own);
    }
    *out = own;
  }
};

/// Adds tiles of exact sums of floats.
///
/// shape      scratch: scratch_bytes of shared memory, of this warp alone
/// sync       all lanes of the warp
template <class F, class Part, class Term, class Range>
requires(!std::is_void_v<Term>) class tile_range_fold<F, Part, Term, Range> {
 public:
  using state = typename F::state;
  using adder = warp_exact<Term, false, Range>;
  using digits = typename adder::digits;
  using words_type = exact_words<Term>;
  using sums = sums_and_rests<Term>;
  static constexpr bool adds_short = true;
  static constexpr int words_bytes = in_chunks_of_16(digits::num_words * 4);
  static constexpr int ahead_at = words_bytes + in_chunks_of_16(words_type::num * 8);
  static constexpr int scratch_bytes = ahead_at + adder::ahead_bytes;

  MONOFOLD_GPU static std::int64_t* words_in(char* scratch) {
    return reinterpret_cast<std::int64_t*>(scratch + words_bytes);
  }

  /// Adds tiles `tile`, `tile` + `step`, .. of a range. True where short sums are wanted and hold them, in all lanes; if
  /// not, the words in `scratch` have them. Not inlined, since it is large.
  MONOFOLD_GPU_CALL static bool add(const Range& range, int tile, int step, char* scratch,
                                    bool is_wanted, sums& own) {
    const words_type all(words_in(scratch));
    all.clear();
    auto* const words = reinterpret_cast<std::int32_t*>(scratch);
    adder sum(words, reinterpret_cast<bytes16*>(scratch + ahead_at), words_in(scratch));
    no_companion none(nullptr);
    sum.add(range, tile, step, none);
    if (is_wanted && sum.finish_short(own, has_short_rests_v<Term>) && !own.has_words()) {
      return true;
    }
    sum.finish();
    all.add_digits(words);
    return false;
  }

  /// Adds a whole segment of `count` items and gives the sink its answer or state. No state is made where short sums are
  /// enough.
  template <class Sink>
  MONOFOLD_GPU static void store_total(const F& f, const Range& range, std::int64_t count,
                                       char* scratch, state* spare, const Sink& sink) {
    sums own{};
    if (add(range, 0, 1, scratch, true, own)) {
      const bool is_done = lane_rank() != 0 || finish_lane(f, own, count, sink);
      // The bits of two sums may leave it open.
      if (!any_lane(!is_done)) return sync_warp();  // shared memory read above may be overwritten
      add(range, 0, 1, scratch, false, own);
    }
    finish_words(f, count, scratch, spare, sink);
  }
  /// Gives the sink the answer or state of the words in `scratch`.
  template <class Sink>
  MONOFOLD_GPU static void finish_words(const F& f, std::int64_t count, char* scratch, state* spare,
                                        const Sink& sink) {
    words_type(words_in(scratch)).finish(f, count, spare, sink);
    sync_warp();  // shared memory read above may be overwritten
  }
};

/// How a warp folds neighbouring tiles of a job's segments.
template <class Job>
using job_tiles = tile_range_fold<typename Job::fold, typename Job::part_type,
                                  segment_term_t<typename Job::fold, typename Job::view_type>,
                                  typename Job::range_type>;

/// How many bytes of shared memory `add_by_digits` needs for a warp; none for folds that are no exact sums.
template <class Job>
inline constexpr int digits_scratch_bytes = [] {
  using fold = typename Job::fold;
  using term = segment_term_t<fold, typename Job::view_type>;
  if constexpr (std::is_void_v<term>) {
    return 0;
  } else {
    return job_tiles<Job>::scratch_bytes +
           in_chunks_of_16(static_cast<int>(sizeof(typename Job::state)));
  }
}();

/// Gives the job's sink the exact sum of a segment, whatever its items are.
///
/// sync       all lanes of the warp
template <class Job>
MONOFOLD_GPU void add_by_digits(const Job& job, std::int64_t segment, const segment_ends& ends,
                                char* scratch) {
  using by_warp = job_tiles<Job>;
  auto* const spare = reinterpret_cast<typename Job::state*>(scratch + by_warp::scratch_bytes);
  by_warp::store_total(job.f, job.range_of(ends), ends.count(), scratch, spare,
                       job.sinks.of(segment));
}
template <class Job>
MONOFOLD_GPU void add_by_digits(const Job& job, std::int64_t segment, char* scratch) {
  add_by_digits(job, segment, job.ends_of(segment), scratch);
}

}  // namespace monofold::detail
