#pragma once
/// engine/gpu/key/starts: where the runs of equal keys begin, on a GPU.

#include <cuda_runtime_api.h>

#include <cstdint>

#include "monofold/engine/gpu/device_list.cuh"
#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/key/words.cuh"
#include "monofold/engine/gpu/launch.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/shape/view.hpp"

namespace monofold::detail {

/// A lane has flags for 32 keys, and a block has so many warps.
inline constexpr int flag_warps = 8;
inline constexpr int flagged_by_warp = warp_lanes * warp_lanes;
inline constexpr int flagged_by_block = flag_warps * flagged_by_warp;

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

/// Sets a bit for each key that begins a run, and counts these keys.
///
/// shape      flags: a word for each 32 keys of whole blocks; counts: one a block
template <class View>
__global__ void __launch_bounds__(flag_warps* warp_lanes)
    flag_starts_kernel(const View keys, const std::int64_t size, std::uint32_t* const flags,
                       std::uint32_t* const counts) {
  let_next_launch_begin();
  wait_for_launches_before();
  const std::int64_t first = block_rank() * flagged_by_block + warp_rank() * flagged_by_warp;
  const bool whole = first > 0 && first + flagged_by_warp <= size;
  const std::uint32_t own =
      whole ? starts_of_warp<true>(keys, size, first) : starts_of_warp<false>(keys, size, first);
  flags[block_rank() * (flagged_by_block / warp_lanes) + thread_rank()] = own;
  __shared__ int found[flag_warps];
  const int of_warp = sum_of_lanes(count_bits(own));
  if (lane_rank() == 0) found[warp_rank()] = of_warp;
  sync_block();
  if (thread_rank() == 0) {
    int all = 0;
    for (int w = 0; w < flag_warps; ++w) all += found[w];
    counts[block_rank()] = static_cast<std::uint32_t>(all);
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

/// From the counts of blocks, how many runs begin before each block; and behind the last one, how many runs there are.
/// Launched on one block of 1024 threads.
template <class Count>
__global__ void __launch_bounds__(1024)
    add_counts_kernel(const Count* const counts, const std::int64_t blocks,
                      std::int64_t* const bases) {
  let_next_launch_begin();
  wait_for_launches_before();
  std::int64_t before = 0;
  MONOFOLD_ROLL
  for (std::int64_t first = 0; first < blocks; first += threads_in_block()) {
    const std::int64_t at = first + thread_rank();
    const block_prefix sum = sum_below_thread(at < blocks ? static_cast<int>(counts[at]) : 0);
    if (at < blocks) bases[at] = before + sum.below;
    before += sum.all;
  }
  if (thread_rank() == 0) bases[blocks] = before;
}

/// Calls put(run, place) for each run, with the place where it begins.
template <class Put>
__global__ void __launch_bounds__(flag_warps* warp_lanes)
    place_starts_kernel(const std::uint32_t* const flags, const std::int64_t* const bases,
                        const Put put) {
  __shared__ std::uint16_t places[flagged_by_block];  // of the block's runs, one after the other
  let_next_launch_begin();
  wait_for_launches_before();
  const int lane = lane_rank();
  const std::uint32_t own = flags[block_rank() * (flagged_by_block / warp_lanes) + thread_rank()];
  const block_prefix runs = sum_below_thread(count_bits(own));
  if (any_lane(own != 0)) {
    MONOFOLD_ROLL
    for (int i = 0; i < warp_lanes; ++i) {
      const int bit = (i + lane) % warp_lanes;  // lanes write to different banks
      if ((own >> bit & 1) == 0) continue;
      const int run = runs.below + count_bits(own & ((std::uint32_t{1} << bit) - 1));
      places[run] = static_cast<std::uint16_t>(thread_rank() * warp_lanes + bit);
    }
  }
  sync_block();  // places written above are read below
  const std::int64_t base = bases[block_rank()];
  const std::int64_t first = block_rank() * flagged_by_block;
  for (int run = thread_rank(); run < runs.all; run += threads_in_block()) {
    put(base + run, first + places[run]);
  }
}

/// A sink that stores one number where a host waits for it.
struct last_value {
  using state = std::int64_t;
  static constexpr bool commutative = true;
  static constexpr bool exact = true;

  MONOFOLD_HD state lift(std::int64_t own, std::int64_t) const { return own; }
  MONOFOLD_HD state combine(state l, state r) const { return l + r; }
  MONOFOLD_HD state identity() const { return 0; }
};

/// Finds the runs of equal keys: first how many there are, then where each begins.
///
/// sync       waits for their number
/// errors     throws `error`: out_of_memory
/// cost       one pass over the keys; a bit a key, and 12 bytes for 8192 keys
/// tested by  tests/gpu/group_by_sums_test.cu, tests/gpu/run_starts_test.cu
class run_starts {
 public:
  template <class View>
  run_starts(const device_stream& on, const View& keys)
      : on_(on),
        blocks_((keys.size() + flagged_by_block - 1) / flagged_by_block),
        memory_(on, blocks_ * (1 + flagged_by_block / warp_lanes / 2) + blocks_ / 2 + 2) {
    auto* const counts = flags() + blocks_ * (flagged_by_block / warp_lanes);
    throw_if(launch_early(flag_starts_kernel<View>, blocks_, flag_warps * warp_lanes, 0, on, keys,
                          static_cast<std::int64_t>(keys.size()), flags(), counts));
    throw_if(launch_early(add_counts_kernel<std::uint32_t>, 1, 1024, 0, on,
                          static_cast<const std::uint32_t*>(counts), blocks_, bases()));
    count_ = wait_for_state(on, last_value{}, contiguous_view<std::int64_t>(bases() + blocks_, 1));
  }

  std::int64_t count() const { return count_; }

  /// Calls put(run, place) on the device for each run, in any order.
  ///
  /// sync       does not wait
  template <class Put>
  void place(const Put& put) const {
    throw_if(launch_early(place_starts_kernel<Put>, blocks_, flag_warps * warp_lanes, 0, on_,
                          static_cast<const std::uint32_t*>(flags()),
                          static_cast<const std::int64_t*>(bases()), put));
  }

 private:
  std::int64_t* bases() const { return memory_.data(); }
  std::uint32_t* flags() const {
    return reinterpret_cast<std::uint32_t*>(memory_.data() + blocks_ + 1);
  }

  device_stream on_;
  std::int64_t blocks_;
  device_list<std::int64_t> memory_;  // one base more than blocks, flags, and a count a block
  std::int64_t count_ = 0;
};

}  // namespace monofold::detail
