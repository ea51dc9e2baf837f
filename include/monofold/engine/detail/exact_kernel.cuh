#pragma once
/// engine/detail/exact_kernel: the kernel that adds a range exactly, whatever the order of its blocks.

#include <cstdint>

#include "monofold/engine/detail/fold_tiles_kernel.cuh"
#include "monofold/fold/exact/state.hpp"
#include "monofold/level/grid.cuh"
#include "monofold/level/load_ragged.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/level/warp_digits.cuh"
#include "monofold/level/warp_exact.cuh"
#include "monofold/plan/exact_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Where the blocks of a launch meet. Words and ticket are 0 before it and after it.
struct exact_meeting {
  std::int64_t* words;
  std::uint32_t* ticket;
};

/// The shared memory of a block: the words of its warps, then those of all.
template <class Digits>
inline constexpr int exact_shared_bytes =
    (exact_warps * Digits::num_words * 4 + 7) / 8 * 8 + Digits::num_wide_words * 8;

/// Adds up the words of the block's warps; those of all blocks meet in global memory, unless this block
/// is alone and nothing of it went there. True in the block that has them all in `total`.
///
/// sync       all threads of the block; no barrier behind the last write of `total`
template <class Digits>
MONOFOLD_GPU bool meet_digits(const std::int32_t* words, std::int64_t* total,
                              const exact_meeting& meeting, bool alone) {
  const int rank = static_cast<int>(threadIdx.x);
  sync_block();  // words of warps written above are read below
  static_assert(Digits::num_wide_words <= exact_threads, "a word a thread");
  std::int64_t own = 0;
  if (rank < Digits::num_wide_words) {
    MONOFOLD_UNROLL
    for (int w = 0; w < exact_warps; ++w) {
      own += Digits::wide_word(words + w * Digits::num_words, rank);
    }
    if (alone) {
      total[rank] = own;
    } else if (own != 0) {
      add_to_word(meeting.words + rank, own);
    }
  }
  if (alone) return true;
  sync_block();  // additions above are seen by whoever sees the ticket
  bool last = false;
  if (rank == 0) last = take_ticket(meeting.ticket) == gridDim.x - 1;
  // What thread 0 of the last block acquired is behind this barrier seen by all its threads.
  if (!sync_block_any(last)) return false;
  if (rank < Digits::num_wide_words) {
    // Taken and set back to 0 for the next launch.
    total[rank] = static_cast<std::int64_t>(
        atomicExch(reinterpret_cast<unsigned long long*>(meeting.words + rank), 0ull));
  }
  if (rank == 0) *meeting.ticket = 0;
  return true;
}

/// The state of so many items whose digits and counts these are.
template <class Term>
MONOFOLD_GPU_CALL exact_state<typename Term::number> state_of_words(const std::int64_t* words,
                                                                    std::int64_t count) {
  using number = typename Term::number;
  using digits = warp_digits<number>;
  exact_state<number> out;
  exact_digits<number> sum;
  for (int i = 0; i < digits::num_wide_digits; ++i) sum.digit[i] = words[i];
  out.sum = number_of(sum);
  const auto at = [words](digit_count what) {
    return words[digits::num_wide_digits + static_cast<int>(what)];
  };
  out.counts.items = count;
  out.counts.nan = at(digit_count::nan);
  out.counts.positive_infinity = at(digit_count::positive_infinity);
  out.counts.negative_infinity = at(digit_count::negative_infinity);
  if constexpr (thread_terms<Term>::counts_zeros) {
    out.counts.other = at(digit_count::other) != 0 ? 1 : 0;
  } else {
    out.counts.other = count != out.counts.nan ? 1 : 0;
  }
  return out;
}

/// Adds the terms of a range and hands the state to `sink`.
///
/// shape      any number of blocks of `exact_threads` threads, which stay until the end
/// order      exact: the state's bytes do not depend on it
template <class Term, class F, class Sink>
__global__ void __launch_bounds__(exact_threads, exact_resident_blocks)
    add_exactly_kernel(const F f, const aligned_range<typename Term::item> range,
                       const exact_meeting meeting, const Sink sink) {
  using digits = warp_digits<typename Term::number>;
  auto* const words = reinterpret_cast<std::int32_t*>(dynamic_shared());
  auto* const total = reinterpret_cast<std::int64_t*>(
      reinterpret_cast<char*>(words) + exact_shared_bytes<digits> - digits::num_wide_words * 8);
  const int warp = static_cast<int>(threadIdx.x) / warp_lanes;
  {
    warp_exact<Term> own(words + warp * digits::num_words, meeting.words);
    wait_for_launches_before();
    own.add(range, static_cast<int>(blockIdx.x) * exact_warps + warp,
            static_cast<int>(gridDim.x) * exact_warps);
  }
  // Two tiles a warp make fewer additions than `warp_digits` has room for.
  const bool alone =
      gridDim.x == 1 && range.end <= max_exact_block_tiles * warp_exact<Term>::tile_items;
  if (!meet_digits<digits>(words, total, meeting, alone)) return;
  sync_block();  // the total written above is read below
  if (threadIdx.x == 0) sink(f, state_of_words<Term>(total, range.end - range.first));
}

}  // namespace monofold::detail
