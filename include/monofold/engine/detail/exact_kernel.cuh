#pragma once
/// engine/detail/exact_kernel: the kernel that adds a range exactly, whatever the order of its blocks.

#include <cstdint>

#include "monofold/engine/detail/fold_tiles_kernel.cuh"
#include "monofold/fold/exact/moments.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/level/grid.cuh"
#include "monofold/level/load_ragged.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/level/thread_terms.cuh"
#include "monofold/level/warp_carries.cuh"
#include "monofold/level/warp_digits.cuh"
#include "monofold/level/warp_exact.cuh"
#include "monofold/level/warp_leading.cuh"
#include "monofold/plan/exact_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Where the blocks of a launch meet. Words and ticket are 0 before it and after it.
struct exact_meeting {
  std::int64_t* words;
  std::uint32_t* ticket;
};

/// The shared memory of a block: the words of its warps, those of all, the state.
template <class Term>
struct exact_shared {
  using digits = warp_digits<typename thread_terms<Term>::layout>;
  using state = typename thread_terms<Term>::state;
  static constexpr int total_at = (exact_warps * digits::num_words * 4 + 7) / 8 * 8;
  static constexpr int state_at = total_at + digits::num_wide_words * 8;
  static constexpr int bytes = state_at + static_cast<int>(sizeof(state));
};

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

/// The number of a sum that is the first or second of a state.
template <class Number>
MONOFOLD_GPU std::uint64_t* sum_of(exact_state<Number>& own, int) {
  return own.sum.limb;
}
template <class Number>
MONOFOLD_GPU exact_counts& counts_of(exact_state<Number>& own) {
  return own.counts;
}
template <class Item>
MONOFOLD_GPU std::uint64_t* sum_of(exact_moments_state<Item>& own, int sum) {
  return sum == 0 ? own.values.sum.limb : own.squares.limb;
}
template <class Item>
MONOFOLD_GPU exact_counts& counts_of(exact_moments_state<Item>& own) {
  return own.values.counts;
}

/// The counts that words hold, of so many items.
template <class Term>
MONOFOLD_GPU exact_counts counts_in(const std::int64_t* words, std::int64_t items) {
  const auto at = [words](digit_count what) { return words[static_cast<int>(what)]; };
  exact_counts out{items, at(digit_count::nan), at(digit_count::positive_infinity),
                   at(digit_count::negative_infinity), 0};
  const bool other =
      thread_terms<Term>::counts_zeros ? at(digit_count::other) != 0 : items != out.nan;
  out.other = other ? 1 : 0;
  return out;
}

/// The state of so many items whose digits and counts these are: a warp for each sum.
///
/// sync       all threads of the block; no barrier behind the last write of `out`
template <class Term>
MONOFOLD_GPU void make_state(const std::int64_t* words, std::int64_t items,
                             typename thread_terms<Term>::state* out) {
  using digits = typename exact_shared<Term>::digits;
  using layout = typename digits::layout;
  const int warp = static_cast<int>(threadIdx.x) / warp_lanes;
  if (warp < layout::num_sums) {
    const int first = layout::first_digit(warp) / 2;
    run_carries(words + first, layout::end_digit(warp) / 2 - first,
                reinterpret_cast<std::uint32_t*>(sum_of(*out, warp)));
  } else if (threadIdx.x == layout::num_sums * warp_lanes) {
    counts_of(*out) = counts_in<Term>(words + digits::num_wide_digits, items);
  }
}

/// Hands a state on, which all threads of the block see.
template <class F, class State, class Sink>
MONOFOLD_GPU void hand_on(const F& f, const State& state, const Sink& sink) {
  if (threadIdx.x == 0) sink(f, state);
}
template <class F, class State>
MONOFOLD_GPU void hand_on(const F&, const State& state, const state_sink<State>& sink) {
  static_assert(sizeof(State) % 8 == 0 && sizeof(State) / 8 <= exact_threads, "a word a thread");
  const auto rank = static_cast<int>(threadIdx.x);
  if (rank >= static_cast<int>(sizeof(State) / 8)) return;
  reinterpret_cast<std::uint64_t*>(sink.out)[rank] =
      reinterpret_cast<const std::uint64_t*>(&state)[rank];
}

/// A sum that is rounded needs its leading bits alone, which a warp finds at once.
template <class F, class Number, class Answer>
requires requires { &F::finish_leading; }
MONOFOLD_GPU void hand_on(const F& f, const exact_state<Number>& state,
                          const answer_sink<Answer>& sink) {
  if (threadIdx.x >= warp_lanes) return;
  const bool negative = is_negative(state.sum);
  const leading_bits bits =
      leading_of_digits(reinterpret_cast<const std::uint32_t*>(state.sum.limb),
                        2 * Number::num_limbs, Number::low_exponent, negative);
  if (lane_rank() == 0) *sink.out = f.finish_leading(state.counts, negative, bits);
}

/// Adds the terms of a range and hands the state to `sink`.
///
/// shape      any number of blocks of `exact_threads` threads, which stay until the end
/// order      exact: the state's bytes do not depend on it
template <class Term, class F, class Sink>
__global__ void __launch_bounds__(exact_threads, exact_resident_blocks)
    add_exactly_kernel(const F f, const typename thread_terms<Term>::range range,
                       const exact_meeting meeting, const Sink sink) {
  using shared = exact_shared<Term>;
  using digits = typename shared::digits;
  let_next_launch_begin();
  auto* const bytes = reinterpret_cast<char*>(dynamic_shared());
  auto* const words = reinterpret_cast<std::int32_t*>(bytes);
  auto* const total = reinterpret_cast<std::int64_t*>(bytes + shared::total_at);
  auto* const state = reinterpret_cast<typename shared::state*>(bytes + shared::state_at);
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
  make_state<Term>(total, range.end - range.first, state);
  sync_block();  // the state written above is read below
  hand_on(f, *state, sink);
}

}  // namespace monofold::detail
