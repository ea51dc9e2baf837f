#pragma once
/// engine/gpu/key/fold_runs_kernel: folds the runs of equal keys where no run is longer than a tile.
///
/// Runs are found and folded in the same kernel: what is read of a list of places, and written before, takes longer than
/// runs of few items.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/key/starts.cuh"
#include "monofold/engine/gpu/key/words.cuh"
#include "monofold/engine/gpu/launch.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/segment/exact_cells.cuh"
#include "monofold/engine/gpu/segment/fold_slots_kernel.cuh"
#include "monofold/engine/gpu/segment/job.cuh"
#include "monofold/engine/gpu/segment/slot_page.cuh"
#include "monofold/engine/gpu/thread_copy.cuh"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/grid.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/shape/keys.hpp"

namespace monofold::detail {

/// The segments of a job whose kernel finds them by itself.
struct found_runs {};

/// A warp folds the runs that begin among its keys, by pages of up to 32. Their items come to shared memory first, as
/// many as have room there: pages of few items would wait for their loads, one after the other.
template <class Job>
class run_warp {
 public:
  using item = typename Job::item;
  using slots = slot_warp<Job>;
  static constexpr int places_bytes = flagged_by_warp * static_cast<int>(sizeof(std::uint16_t));
  /// For the longest run; of up to 5 bytes, for as many items as a warp has keys.
  static constexpr int room_bytes = 5 * 1024;
  static constexpr int stage_bytes = room_bytes + lane_bytes;
  static constexpr int warp_bytes = slots::warp_bytes + places_bytes + stage_bytes;
  static constexpr int block_bytes = flag_warps * warp_bytes;
  static_assert(room_bytes >= Job::tile_items * static_cast<int>(sizeof(item)));
  static_assert(lane_bytes % sizeof(item) == 0 && alignof(item) == sizeof(item),
                "no item lies in two chunks");

  /// shape      own: the lane's word of flags; below: how many runs of this warp begin before those of that word;
  ///            first_run: how many begin before those of this warp; to: has a place a run
  /// sync       all lanes of the warp
  template <class KeyView, class Key>
  MONOFOLD_GPU static void fold(const Job& job, const run_flags& flags, const KeyView& keys,
                                std::int64_t first_word, std::uint32_t own, int below,
                                std::int64_t first_run, char* shared, Key* to) {
    auto* const places = reinterpret_cast<std::uint16_t*>(shared + slots::warp_bytes);
    char* const stage = shared + slots::warp_bytes + places_bytes;
    const std::int64_t first = first_word * warp_lanes;
    const int runs = shuffle_from(below + count_bits(own), warp_lanes - 1);
    if (runs == 0) return;
    if (runs > flagged_by_warp / 2) fetch_keys(keys, first);
    const int low = first_of(own, lanes_with(own != 0));
    const auto end = static_cast<int>(end_of_last(job, flags, first_word) - first);
    const item* items = start_staging(job, first + low, end - low, stage);
    put_places(own, below, 0, places);
    sync_warp();  // places written above are read by other lanes
    copy_keys(keys, first, places, runs, to + first_run);
    int page = 0;
    for (int from = low;;) {
      wait_for_copies();
      sync_warp();  // what lanes copied is read by others
      const int room = from + room_bytes / static_cast<int>(sizeof(item));
      // As many runs as are all there.
      bool is_more = true;
      MONOFOLD_ROLL
      while (is_more && page < runs) {
        const int run = page + lane_rank();
        const int place = run < runs ? places[run] : end;
        const int behind = run + 1 < runs ? places[run + 1] : end;
        const bool is_here = behind <= room;
        const int here = count_lanes(run < runs && is_here);
        slots::fold_short(job, shared, first_run + page, items, first + from,
                          {place - from, is_here ? behind - place : 0, lane_rank()}, from_shared{});
        page += here;
        is_more = here == warp_lanes;
      }
      if (page >= runs) return;
      from = places[page];
      sync_warp();  // the stage was read above
      items = start_staging(job, first + from, end - from, stage);
    }
  }

 private:
  /// Begins to copy the `count` items from `first` on to the stage, or as many as have room. Returns where the first one
  /// will be.
  MONOFOLD_GPU static const item* start_staging(const Job& job, std::int64_t first, int count,
                                                char* stage) {
    constexpr int bytes = static_cast<int>(sizeof(item));
    const auto* const begin = reinterpret_cast<const char*>(job.view.data());
    const char* const from = begin + first * bytes;
    const int past = bytes_past_16(from);
    const int here = past + (count * bytes < room_bytes ? count * bytes : room_bytes);
    const int chunks = (here + lane_bytes - 1) / lane_bytes;
    const char* const low = from - past;
    // Chunks that are partly in the array are left to single items.
    const int first_chunk = low < begin ? 1 : 0;
    const int last_chunk =
        low + chunks * lane_bytes > begin + job.size * bytes ? chunks - 1 : chunks;
    MONOFOLD_ROLL
    for (int c = first_chunk + lane_rank(); c < last_chunk; c += warp_lanes) {
      start_copy(reinterpret_cast<bytes16*>(stage + c * lane_bytes),
                 reinterpret_cast<const bytes16*>(low + c * lane_bytes));
    }
    const auto copy_items = [&](int c, int end) {
      const int at = c * lane_bytes + lane_rank() * bytes;
      if (lane_rank() * bytes >= lane_bytes || at < past || at >= end) return;
      *reinterpret_cast<item*>(stage + at) = *reinterpret_cast<const item*>(low + at);
    };
    if (first_chunk > 0) copy_items(0, here);
    if (last_chunk >= first_chunk && last_chunk < chunks) copy_items(last_chunk, here);
    return reinterpret_cast<const item*>(stage + past);
  }

  /// Asks for the warp's keys, which are loaded once it is known where runs begin.
  ///
  /// source     one H200, 2^28 float32 by int32: 0.88 of the time for runs of one item, 1.18 for runs of three
  template <class KeyView>
  MONOFOLD_GPU static void fetch_keys([[maybe_unused]] const KeyView& keys,
                                      [[maybe_unused]] std::int64_t first) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if constexpr (are_chunks_of_keys_v<KeyView>) {
      constexpr int bytes = flagged_by_warp * static_cast<int>(sizeof(typename KeyView::item_type));
      const auto* const from = keys.data() + first;
      if (lane_rank() != 0 || first + flagged_by_warp > keys.size() || bytes_past_16(from) != 0) {
        return;
      }
      asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes));
    }
#endif
  }

  /// Stores the keys of the runs.
  template <class KeyView, class Key>
  MONOFOLD_GPU static void copy_keys(const KeyView& keys, std::int64_t first,
                                     const std::uint16_t* places, int runs, Key* to) {
    constexpr int at_once = 8;  // whose loads are on their way
    MONOFOLD_ROLL
    for (int page = 0; page < runs; page += at_once * warp_lanes) {
      std::uint64_t word[at_once];
      MONOFOLD_UNROLL
      for (int k = 0; k < at_once; ++k) {
        const int run = page + k * warp_lanes + lane_rank();
        if (run < runs) word[k] = word_at(keys, first + places[run]);
      }
      MONOFOLD_UNROLL
      for (int k = 0; k < at_once; ++k) {
        const int run = page + k * warp_lanes + lane_rank();
        if (run < runs) to[run] = key_words<Key>::key_of(word[k]);
      }
    }
  }

  /// Where the last run ends: where the next warp with a run has its first one.
  MONOFOLD_GPU static std::int64_t end_of_last(const Job& job, const run_flags& flags,
                                               std::int64_t first_word) {
    MONOFOLD_ROLL
    for (std::int64_t word = first_word + warp_lanes; word * warp_lanes < job.size;
         word += warp_lanes) {
      // Words lie there for whole blocks, so for whole warps.
      const std::uint32_t own = flags.words[word + lane_rank()];
      const std::uint32_t lanes = lanes_with(own != 0);
      if (lanes != 0) return word * warp_lanes + first_of(own, lanes);
    }
    return job.size;
  }

  /// The place of the first bit in the words of all lanes, of which `lanes` have some.
  MONOFOLD_GPU static int first_of(std::uint32_t own, std::uint32_t lanes) {
    const int lane = lowest_lane(lanes);
    return lane * warp_lanes + lowest_lane(shuffle_from(own, lane));
  }
};

/// Stores the key of each run, and folds its items. A block has as many keys as have flags together.
///
/// shape      no run is longer than a tile
/// order      the plan's tree in each run
/// errors     traps where the host's compiler lays out its arguments otherwise
template <class Job, class KeyView, class Key>
__global__ void __launch_bounds__(flag_warps* warp_lanes, 3)
    fold_runs_kernel(MONOFOLD_GRID_CONSTANT const Job job, const run_flags flags,
                     const KeyView keys, Key* const to) {
  let_next_launch_begin();
  if (job.layout != handed_layout_of<typename Job::fold, typename Job::view_type>()) trap();
  wait_for_launches_before();
  constexpr int block_words = flagged_by_block / warp_lanes;
  const std::int64_t first_word = block_rank() * block_words + warp_rank() * warp_lanes;
  const std::uint32_t own = flags.words[block_rank() * block_words + thread_rank()];
  const int below = sum_below_thread(count_bits(own)).below;
  const int of_warps_below = shuffle_from(below, 0);
  auto* const shared =
      reinterpret_cast<char*>(dynamic_shared()) + warp_rank() * run_warp<Job>::warp_bytes;
  run_warp<Job>::fold(job, flags, keys, first_word, own, below - of_warps_below,
                      flags.bases[block_rank()] + of_warps_below, shared, to);
}

/// Whether there is a kernel that folds short runs as it finds them.
template <class Job>
inline constexpr bool folds_found_runs_v = slot_way_of<Job> != slot_way::none;

/// Whether it may run, and takes less time than a list of segments.
///
/// source     one H200, 10^7 and 2^28 float32 by int32
template <class Job>
bool are_folded_as_found(const run_starts& runs, std::int64_t keys) {
  constexpr int longest = slot_way_of<Job> == slot_way::exact ? 8 : 16;  // on average
  constexpr int bytes = run_warp<Job>::block_bytes + static_cast<int>(sizeof(int)) * warp_lanes;
  return runs.are_short() && keys <= runs.count() * longest && has_shared_memory(bytes);
}

/// Starts it.
///
/// shape      runs: short ones, of the keys; to, and what the job's sinks store to: one a run
/// sync       does not wait
/// errors     throws `error`
template <class Job, class KeyView, class Key>
void fold_found_runs(const device_stream& on, const Job& job, const run_starts& runs,
                     const KeyView& keys, Key* to) {
  auto* const kernel = fold_runs_kernel<Job, KeyView, Key>;
  constexpr int bytes = run_warp<Job>::block_bytes;
  static_cast<void>(may_share(kernel, bytes));  // else the launch says that it may not
  throw_if(launch_early(kernel, runs.blocks(), flag_warps * warp_lanes, bytes, on, job,
                        runs.flags(), keys, to));
}

}  // namespace monofold::detail
