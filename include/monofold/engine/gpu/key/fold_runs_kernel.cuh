#pragma once
/// engine/gpu/key/fold_runs_kernel: folds the runs of equal keys where all of them are short, or stores where they begin.
///
/// All runs of few items in a window are folded together. The warp in whose window a longer one begins folds it by itself.

#include <cstdint>

#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/key/run_window.cuh"
#include "monofold/engine/gpu/key/starts.cuh"
#include "monofold/engine/gpu/launch.cuh"
#include "monofold/engine/gpu/segment/exact_cells.cuh"
#include "monofold/engine/gpu/segment/fold_slots_kernel.cuh"
#include "monofold/engine/gpu/segment/job.cuh"
#include "monofold/engine/gpu/segment/slot_page.cuh"
#include "monofold/engine/gpu/thread_copy.cuh"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// The segments of a job whose kernel finds them by itself.
struct found_runs {};

/// Where keys of runs are stored, and where runs begin: one more, the end of the last.
template <class Key>
struct run_places {
  Key* keys;
  std::int64_t* offsets;  // null: all runs are short
};

/// What a warp does with the runs of its window.
template <class Job, class KeyView>
class run_warp {
 public:
  using window = run_window<Job, KeyView>;
  using slots = slot_warp<Job>;
  using cells = typename run_cells<Job>::type;
  using memory = typename window::memory;
  static constexpr int warps = 4;  // of a block
  static constexpr int warp_bytes = slots::warp_bytes + memory::bytes;
  static constexpr int block_bytes = warps * warp_bytes;

  /// Stores the keys of the runs that begin in window `number`, and folds them; if not all runs are short, it stores where
  /// they begin.
  ///
  /// sync       all lanes of the warp
  template <class Key>
  MONOFOLD_GPU static void take(const Job& job, const run_flags& flags, const KeyView& keys,
                                std::int64_t number, char* shared, const run_places<Key>& to) {
    if (number * window::windows::own_places >= job.size) return;
    const memory own{shared + slots::warp_bytes};
    window here(flags, job.size, number, own);
    if (flags.count->are_short != 0) {
      fold(job, keys, here, own, shared, to.keys);
    } else {
      if (number == 0 && lane_rank() == 0) to.offsets[flags.count->runs] = job.size;
      place(keys, here, own, to);
    }
  }

 private:
  template <class Key>
  MONOFOLD_GPU static void place(const KeyView& keys, window& here, const memory& own,
                                 const run_places<Key>& to) {
    here.find();
    const std::int64_t before = here.runs_before();
    sync_warp();  // borders written above are read by others
    MONOFOLD_ROLL
    for (int r = lane_rank(); r < here.runs(); r += warp_lanes) {
      const std::int64_t begin = here.first() + own.border(r);
      to.offsets[before + r] = begin;
      to.keys[before + r] = key_words<Key>::key_of(word_at(keys, begin));
    }
  }

  template <class Key>
  MONOFOLD_GPU static void fold(const Job& job, const KeyView& keys, window& here,
                                const memory& own, char* shared, Key* to) {
    here.start(job, keys);
    here.find();
    here.find_end();
    const int runs = here.runs();
    const std::int64_t before = here.runs_before();
    wait_for_copies_but<1>();
    sync_warp();  // keys that lanes copied, and borders, are read by others
    MONOFOLD_ROLL
    for (int r = lane_rank(); r < runs; r += warp_lanes) {
      to[before + r] = own.key_at(own.border(r));
    }
    wait_for_copies();
    sync_warp();  // items that lanes copied are read by others
    if (runs == 0) return;
    const bool are_folded = here.fold(run_cells<Job>::of(job));
    sync_warp();  // cells written above are read by others
    bool is_left = false;
    MONOFOLD_ROLL
    for (int r = lane_rank(); r < runs; r += warp_lanes) {
      is_left |= !store(job, own, r, before, are_folded);
    }
    if (any_lane(is_left)) fold_rest(job, shared, here.first(), runs, before, are_folded);
  }

  /// Stores the answer of run r of a window, if it has few items. False where its cell does not decide it.
  MONOFOLD_GPU static bool store(const Job& job, const memory& own, int r, std::int64_t before,
                                 bool are_folded) {
    const int place = own.border(r);
    const int count = own.border(r + 1) - place;
    if (!are_folded || count > window::each) return false;
    const auto sink = job.sinks.of(before + r);
    if constexpr (slots::way == slot_way::exact) {
      return cells::cells::finish(job.f, own.cell_at(place), count, *sink.out);
    } else {
      sink(job.f, cells::own::state_of(job.f, own.cell_at(place), count));
      return true;
    }
  }

  /// Folds those runs of a window that have no answer yet, of up to a tile, one a lane. Not inlined: there are few.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU_CALL static void fold_rest(const Job& job, char* shared, std::int64_t first,
                                          int runs, std::int64_t before, bool are_folded) {
    const memory own{shared + slots::warp_bytes};
    MONOFOLD_ROLL
    for (int page = 0; page < runs; page += warp_lanes) {
      const int r = page + lane_rank();
      const bool is_left = r < runs && !store(job, own, r, before, are_folded);
      if (!any_lane(is_left)) continue;
      const int place = is_left ? own.border(r) : 0;
      const int count = is_left ? own.border(r + 1) - place : 0;
      sync_warp();  // lists read before are overwritten
      slots::fold_short(job, shared, before + page, {first + place, count, lane_rank()});
    }
  }
};

/// Stores the key of each run, and folds its items; if not all runs are short, it stores where they begin. The first
/// blocks have the last keys, which may still lie in the second-level cache.
///
/// order      the plan's tree in each run
/// errors     traps where the host's compiler lays out its arguments otherwise
template <class Job, class KeyView, class Key>
__global__ void __launch_bounds__(run_warp<Job, KeyView>::warps* warp_lanes, 6)
    fold_runs_kernel(MONOFOLD_GRID_CONSTANT const Job job,
                     MONOFOLD_GRID_CONSTANT const run_flags flags, const KeyView keys,
                     const run_places<Key> to) {
  using own_warp = run_warp<Job, KeyView>;
  let_next_launch_begin();
  if (job.layout != handed_layout_of<typename Job::fold, typename Job::view_type>()) trap();
  wait_for_launches_before();
  char* const shared = reinterpret_cast<char*>(dynamic_shared());
  const std::int64_t block = blocks_in_grid() - 1 - block_rank();
  own_warp::take(job, flags, keys, block * own_warp::warps + warp_rank(),
                 shared + warp_rank() * own_warp::warp_bytes, to);
}

/// Which runs are folded as they are found: those that windows hold. The list of segments takes less time for longer ones.
///
/// source     one H200, 10^7 float32 by int32: 0.5 to 0.8 of the time for runs of up to as many items, 1.0 to 1.3 for more
template <class Job, class KeyView>
constexpr short_runs found_run_limits() {
  return {Job::tile_items, run_warp<Job, KeyView>::window::each};
}

/// Starts the kernel.
///
/// shape      runs: those of the keys; to, and what the job's sinks store to: one a run
/// sync       does not wait
/// errors     throws `error`
template <class Job, class KeyView, class Key>
void fold_found_runs(const device_stream& on, const Job& job, const run_starts& runs,
                     const KeyView& keys, const run_places<Key>& to) {
  using warp = run_warp<Job, KeyView>;
  constexpr std::int64_t block_places = warp::warps * warp::window::windows::own_places;
  static_assert(warp::block_bytes <= 48 * 1024, "more would have to be asked for");
  throw_if(launch_early(fold_runs_kernel<Job, KeyView, Key>,
                        (job.size + block_places - 1) / block_places, warp::warps * warp_lanes,
                        warp::block_bytes, on, job, runs.flags(), keys, to));
}

}  // namespace monofold::detail
