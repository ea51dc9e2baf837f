#pragma once
/// engine/gpu/key/starts: where the runs of equal keys begin, on a GPU.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "monofold/engine/gpu/device_list.cuh"
#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/key/words.cuh"
#include "monofold/engine/gpu/launch.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/workspace.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/shape/keys.hpp"
#include "monofold/shape/view.hpp"

namespace monofold::detail {

/// A lane has flags for 32 keys, and a block has so many warps. A warp looks at as many keys as its lanes have flags; those
/// of the last lane are the next warp's.
inline constexpr int flag_warps = 8;
inline constexpr int looked_at_by_warp = warp_lanes * warp_lanes;
inline constexpr int words_of_warp = warp_lanes - 1;
inline constexpr int flagged_by_warp = words_of_warp * warp_lanes;
inline constexpr int words_of_block = flag_warps * words_of_warp;
inline constexpr int flagged_by_block = flag_warps * flagged_by_warp;

/// How many runs there are, and whether all are short: not 0 if so.
struct run_count {
  std::int64_t runs;
  std::uint64_t are_short;
};

/// A bit for each key that begins a run.
///
/// | member | meaning |
/// |---|---|
/// | `words` | one for each 32 keys of whole blocks |
/// | `bases` | how many runs begin before the keys of each block |
/// | `below` | how many begin in a block before the keys of each warp |
/// | `count` | how many there are, and whether all are short |
struct run_flags {
  const std::uint32_t* words;
  const std::int64_t* bases;
  const std::uint32_t* below;
  const run_count* count;
};

/// Which runs are short: none has more than `most` keys, and all have up to `mean` on average. 0: none are. A run of
/// nearly `most` keys may be found to be longer.
struct short_runs {
  int most;
  int mean;
};

/// A sink is called with a fold, also where the state is no fold's.
struct no_fold {};

/// Which keys of this warp begin a run, as flags. The word of lane l has those of 32 neighbouring keys, from `first` +
/// 32 l on.
///
/// shape      whole: all places have a key, and one before it
/// sync       all lanes of the warp
template <bool whole, class View>
MONOFOLD_GPU std::uint32_t starts_of_warp(const View& keys, std::int64_t size, std::int64_t first) {
  constexpr int at_once = 8;  // rows whose loads are on their way
  const int lane = lane_rank();
  std::uint32_t own = 0;
  MONOFOLD_ROLL
  for (int row = 0; row < warp_lanes; row += at_once) {
    const std::int64_t at = first + row * warp_lanes + lane;
    std::uint64_t here[at_once], before[at_once];
    MONOFOLD_UNROLL
    for (int k = 0; k < at_once; ++k) {
      std::int64_t place = at + k * warp_lanes;
      if (!whole && place >= size) place = size - 1;
      here[k] = word_at(keys, place);
      before[k] = word_at(keys, whole || place > 0 ? place - 1 : 0);
    }
    MONOFOLD_UNROLL
    for (int k = 0; k < at_once; ++k) {
      const bool is_key = whole || at + k * warp_lanes < size;
      const std::uint32_t begin = lanes_with(is_key && here[k] != before[k]);
      if (lane == row + k) own = begin;
    }
  }
  // The first key begins one.
  if (!whole && first == 0 && lane == 0) own |= 1;
  return own;
}

/// Whether keys may be loaded by chunks of 16 bytes.
template <class View>
inline constexpr bool are_chunks_of_keys_v = false;
template <contiguous_item_view View>
inline constexpr bool are_chunks_of_keys_v<View> = (sizeof(typename View::item_type) &
                                                    (sizeof(typename View::item_type) - 1)) == 0;

/// The same by loads of 16 bytes; a lane compares neighbouring keys, and those of some lanes make up a word.
///
/// shape      keys: the warp's first one, aligned to 16 bytes; all are there, and one before them
/// sync       all lanes of the warp
template <class Key>
MONOFOLD_GPU std::uint32_t starts_of_chunks(const Key* keys) {
  using word = std::conditional_t<sizeof(Key) <= 4, std::uint32_t, std::uint64_t>;
  constexpr int each = lane_bytes / static_cast<int>(sizeof(Key));
  constexpr int sharers = warp_lanes / each;  // lanes whose keys make up a word
  constexpr int rows = looked_at_by_warp / (warp_lanes * each);
  constexpr int at_once = rows < 8 ? rows : 8;  // whose loads are on their way
  const auto word_of = [](const Key& key) {
    return static_cast<word>(key_words<Key>::word_of(key));
  };
  const int lane = lane_rank();
  word last = word_of(keys[-1]);  // of the row before, in the last lane
  // By bits that the compiler knows nothing of: it makes a branch of a choice, and then each lane shuffles by itself.
  const word is_last_lane = worked_out_again(lane == warp_lanes - 1 ? ~word{0} : word{0});
  std::uint32_t own = 0;
  MONOFOLD_ROLL
  for (int first = 0; first < rows; first += at_once) {
    bytes16 raw[at_once];
    MONOFOLD_UNROLL
    for (int k = 0; k < at_once; ++k) {
      raw[k] = load_16(keys + ((first + k) * warp_lanes + lane) * each);
    }
    MONOFOLD_UNROLL
    for (int k = 0; k < at_once; ++k) {
      Key key[each];
      std::memcpy(static_cast<void*>(key), &raw[k], sizeof(raw[k]));
      const word highest = word_of(key[each - 1]);
      word before = shuffle_from((last & is_last_lane) | (highest & ~is_last_lane),
                                 (lane + warp_lanes - 1) % warp_lanes);
      last = highest;
      std::uint32_t bits = 0;
      MONOFOLD_UNROLL
      for (int v = 0; v < each; ++v) {
        const word here = word_of(key[v]);
        bits |= (here != before ? 1u : 0u) << v;
        before = here;
      }
      bits <<= lane % sharers * each;
      MONOFOLD_UNROLL
      for (int distance = 1; distance < sharers; distance *= 2) {
        bits |= shuffle_from(bits, lane ^ distance);
      }
      const std::uint32_t found = shuffle_from(bits, lane % each * sharers);
      if (lane / each == first + k) own = found;
    }
  }
  return own;
}

/// A bit in the count of a block: its runs may be long.
inline constexpr std::uint32_t long_runs_bit = std::uint32_t{1} << 31;

/// Sets a bit for each key that begins a run, and counts these keys. Where a run begins among the keys of each `window`
/// neighbouring lanes, none has more keys than two windows.
///
/// shape      flags: a word for each 32 keys of whole blocks; below: one a warp; counts: one a block; window: a power of
///            two, at most 32
template <class View>
__global__ void __launch_bounds__(flag_warps* warp_lanes)
    flag_starts_kernel(const View keys, const std::int64_t size, const int window,
                       std::uint32_t* const flags, std::uint32_t* const below,
                       std::uint32_t* const counts) {
  let_next_launch_begin();
  wait_for_launches_before();
  const std::int64_t first = block_rank() * flagged_by_block + warp_rank() * flagged_by_warp;
  const bool whole = first > 0 && first + looked_at_by_warp <= size;
  std::uint32_t own = 0;
  bool is_done = false;
  if constexpr (are_chunks_of_keys_v<View>) {
    is_done = whole && bytes_past_16(keys.data() + first) == 0;
    if (is_done) own = starts_of_chunks(keys.data() + first);
  }
  if (!is_done) {
    own =
        whole ? starts_of_warp<true>(keys, size, first) : starts_of_warp<false>(keys, size, first);
  }
  const bool is_own = lane_rank() < words_of_warp;
  if (is_own) flags[first / warp_lanes + lane_rank()] = own;
  __shared__ std::uint32_t found[flag_warps];
  const std::uint32_t lanes = lanes_with(own != 0 || first + lane_rank() * warp_lanes >= size);
  const std::uint32_t neighbours = first_lanes(window) << (lane_rank() & -window);
  const bool are_long = any_lane((lanes & neighbours) == 0);
  const int of_warp = sum_of_lanes(is_own ? count_bits(own) : 0);
  if (lane_rank() == 0) {
    found[warp_rank()] = static_cast<std::uint32_t>(of_warp) | (are_long ? long_runs_bit : 0);
  }
  sync_block();
  if (thread_rank() == 0) {
    std::uint32_t all = 0;
    std::uint32_t is_long = 0;
    for (int w = 0; w < flag_warps; ++w) {
      below[block_rank() * flag_warps + w] = all;
      all += found[w] & ~long_runs_bit;
      is_long |= found[w] & long_runs_bit;
    }
    counts[block_rank()] = all | is_long;
  }
}

/// The sum of the values of threads with a lower rank, and the sum of all values, in a block of 2 to 32 warps.
///
/// sync       all threads of the block
struct block_prefix {
  int below;
  int all;
};
MONOFOLD_GPU block_prefix sum_below_thread(int own) {
  __shared__ int sums[warp_lanes];
  const int lane = lane_rank();
  const int upto = sum_up_to_lane(own);
  sync_block();  // sums read before are overwritten below
  if (lane == warp_lanes - 1) sums[warp_rank()] = upto;
  sync_block();  // sums written above are read below
  const int warps = threads_in_block() / warp_lanes;
  const int of_warps = sum_up_to_lane(lane < warps ? sums[lane] : 0);
  const int warps_below = shuffle_from(of_warps, warp_rank() == 0 ? 0 : warp_rank() - 1);
  return {upto - own + (warp_rank() == 0 ? 0 : warps_below),
          shuffle_from(of_warps, warp_lanes - 1)};
}

/// From the counts of blocks, how many runs begin before each block; and what there is of all `size` keys, which goes to
/// the sink, too. Launched on one block of 1024 threads.
template <class Sink>
__global__ void __launch_bounds__(1024)
    add_counts_kernel(const std::uint32_t* const counts, const std::int64_t blocks,
                      const std::int64_t size, const int mean, std::int64_t* const bases,
                      run_count* const count, const Sink sink) {
  let_next_launch_begin();
  wait_for_launches_before();
  std::int64_t before = 0;
  bool is_long = false;
  MONOFOLD_ROLL
  for (std::int64_t first = 0; first < blocks; first += threads_in_block()) {
    const std::int64_t at = first + thread_rank();
    const std::uint32_t own = at < blocks ? counts[at] : 0;
    const block_prefix sum = sum_below_thread(static_cast<int>(own & ~long_runs_bit));
    if (at < blocks) bases[at] = before + sum.below;
    is_long = is_long || (own & long_runs_bit) != 0;
    before += sum.all;
  }
  const bool any_long = sum_below_thread(is_long ? 1 : 0).all > 0;
  if (thread_rank() == 0) {
    const run_count found{before, !any_long && size <= before * mean ? std::uint64_t{1} : 0};
    *count = found;
    sink(no_fold{}, found);
  }
}

/// Stores where runs begin: a bit in lane l's word stands for one of the 32 places from `first` + 32 l on.
///
/// shape      below: how many of the runs in `places` begin before those of this lane's word
/// sync       all lanes of the warp; what they store is there for others after a barrier
MONOFOLD_GPU void put_places(std::uint32_t own, int below, int first, std::uint16_t* places) {
  constexpr int at_once = 4;  // words that do not wait for each other
  const int lane = lane_rank();
  MONOFOLD_ROLL
  for (int row = 0; row < warp_lanes; row += at_once) {
    MONOFOLD_UNROLL
    for (int k = 0; k < at_once; ++k) {
      const std::uint32_t word = shuffle_from(own, row + k);
      const int before = shuffle_from(below, row + k);
      if ((word >> lane & 1) == 0) continue;
      places[before + count_bits(word & (first_lanes(lane + 1) >> 1))] =
          static_cast<std::uint16_t>(first + (row + k) * warp_lanes + lane);
    }
  }
}

/// Calls put(run, place) for each run, with the place where it begins.
template <class Put>
__global__ void __launch_bounds__(flag_warps* warp_lanes)
    place_starts_kernel(const run_flags flags, const Put put) {
  __shared__ std::uint16_t places[flagged_by_block];  // of the block's runs, one after the other
  let_next_launch_begin();
  wait_for_launches_before();
  const bool is_own = lane_rank() < words_of_warp;
  const std::uint32_t own =
      is_own
          ? flags.words[block_rank() * words_of_block + warp_rank() * words_of_warp + lane_rank()]
          : 0;
  const block_prefix runs = sum_below_thread(count_bits(own));
  if (any_lane(own != 0)) put_places(own, runs.below, warp_rank() * flagged_by_warp, places);
  sync_block();  // places written above are read below
  const std::int64_t base = flags.bases[block_rank()];
  const std::int64_t first = block_rank() * flagged_by_block;
  for (int run = thread_rank(); run < runs.all; run += threads_in_block()) {
    put(base + run, first + places[run]);
  }
}

/// Finds the runs of equal keys: first how many there are, then where each begins.
///
/// shape      at least one key
/// sync       waits for their number; with limits, only `wait` does so, or the destructor. Nothing else may be awaited in
///            between
/// errors     throws `error`: out_of_memory
/// cost       one pass over the keys; a bit a key, and 44 bytes for 7936 keys
/// tested by  tests/gpu/found_runs_test.cu, tests/gpu/run_starts_test.cu
class run_starts {
 public:
  template <class View>
  run_starts(const device_stream& on, const View& keys) : run_starts(on, keys, {0, 0}) {
    wait();
  }
  template <class View>
  run_starts(const device_stream& on, const View& keys, const short_runs& limits)
      : on_(on),
        blocks_((keys.size() + flagged_by_block - 1) / flagged_by_block),
        memory_(on, 2 + blocks_ + (blocks_ * (words_of_block + flag_warps + 1) + 1) / 2) {
    const auto size = static_cast<std::int64_t>(keys.size());
    // A window is as many keys as its lanes have bits.
    int window = 1;
    while (window < warp_lanes && 4 * warp_lanes * window <= limits.most) window *= 2;
    const int mean = 2 * warp_lanes * window <= limits.most ? limits.mean : 0;
    awaited_state& place = awaited_state::of_device(on.device);
    throw_if(place.reserve(sizeof(run_count), 0));
    throw_if(launch_early(flag_starts_kernel<View>, blocks_, flag_warps * warp_lanes, 0, on, keys,
                          size, window, words(), below(), counts()));
    const auto sink = place.mailed<run_count>();
    throw_if(launch_early(add_counts_kernel<std::remove_const_t<decltype(sink)>>, 1, 1024, 0, on,
                          static_cast<const std::uint32_t*>(counts()), blocks_, size, mean, bases(),
                          on_device(), sink));
  }
  run_starts(const run_starts&) = delete;
  run_starts& operator=(const run_starts&) = delete;
  ~run_starts() {
    // Kernels read keys that the caller may free, and mail what the next call does not wait for.
    if (!is_awaited_) static_cast<void>(awaited_state::of_device(on_.device).wait(on_.stream));
  }

  /// sync       waits
  void wait() {
    is_awaited_ = true;
    const awaited_state& place = awaited_state::of_device(on_.device);
    throw_if(place.wait(on_.stream));
    found_ = place.get_mailed<run_count>();
  }
  /// How many runs there are, and whether all are short; behind `wait`.
  std::int64_t count() const { return found_.runs; }
  bool all_short() const { return found_.are_short != 0; }

  run_flags flags() const { return {words(), bases(), below(), on_device()}; }

  /// Calls put(run, place) on the device for each run, in any order.
  ///
  /// sync       does not wait
  template <class Put>
  void place(const Put& put) const {
    throw_if(launch_early(place_starts_kernel<Put>, blocks_, flag_warps * warp_lanes, 0, on_,
                          flags(), put));
  }

 private:
  run_count* on_device() const { return reinterpret_cast<run_count*>(memory_.data()); }
  std::int64_t* bases() const { return memory_.data() + 2; }
  std::uint32_t* words() const { return reinterpret_cast<std::uint32_t*>(bases() + blocks_); }
  std::uint32_t* below() const { return words() + blocks_ * words_of_block; }
  std::uint32_t* counts() const { return below() + blocks_ * flag_warps; }

  device_stream on_;
  std::int64_t blocks_;
  device_list<std::int64_t> memory_;  // in this order
  run_count found_{};
  bool is_awaited_ = false;
};

}  // namespace monofold::detail
