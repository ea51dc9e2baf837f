#pragma once
/// engine/gpu/exact/add_exactly_kernel: the kernel that adds a range exactly, whatever the order of its blocks.

#include <cstdint>

#include "monofold/engine/gpu/exact/beside.cuh"
#include "monofold/engine/gpu/exact/mailed_sums.cuh"
#include "monofold/engine/gpu/exact/short_sums.cuh"
#include "monofold/engine/gpu/exact/thread_terms.cuh"
#include "monofold/engine/gpu/exact/warp_carries.cuh"
#include "monofold/engine/gpu/exact/warp_digits.cuh"
#include "monofold/engine/gpu/exact/warp_exact.cuh"
#include "monofold/engine/gpu/exact/warp_leading.cuh"
#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/engine/gpu/load_ragged.cuh"
#include "monofold/engine/gpu/mailbox.cuh"
#include "monofold/engine/gpu/sinks.cuh"
#include "monofold/fold/exact/moments.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/level/grid.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/exact_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Where the blocks of a launch meet. Words and ticket are 0 before it and after it.
struct exact_meeting {
  std::int64_t* words;
  std::uint32_t* ticket;
  mail_room mail;
  void* states;  // of what is folded beside
};

/// The shared memory of a block: what its warps copy ahead, their short sums and words, the words of all, the
/// state; then that of what is folded beside.
template <class Term>
struct exact_shared {
  using digits = warp_digits<typename thread_terms<Term>::layout>;
  using state = typename thread_terms<Term>::state;
  using sums = short_sums<Term>;
  static constexpr int ahead_bytes = warp_exact<Term>::ahead_bytes;
  static constexpr int sums_at = exact_warps * ahead_bytes;
  static constexpr int words_at = sums_at + exact_warps * static_cast<int>(sizeof(sums));
  static constexpr int total_at = words_at + (exact_warps * digits::num_words * 4 + 7) / 8 * 8;
  static constexpr int state_at = total_at + digits::num_wide_words * 8;
  static constexpr int beside_at = in_chunks_of_16(state_at + static_cast<int>(sizeof(state)));
};

template <class Term, class Beside>
inline constexpr int exact_shared_bytes = exact_shared<Term>::beside_at + Beside::shared_bytes;

/// Adds what blocks have left in `total` of each; true in the block that then has all of it there.
///
/// sync       all threads of the block, behind a barrier; no barrier behind the last write of `total`
template <class Digits>
MONOFOLD_GPU bool meet_by_ticket(std::int64_t* total, const exact_meeting& meeting) {
  const int rank = static_cast<int>(threadIdx.x);
  if (rank < Digits::num_wide_words && total[rank] != 0) {
    add_to_word(meeting.words + rank, total[rank]);
  }
  sync_block();  // additions above are seen by whoever sees the ticket
  bool last = false;
  if (rank == 0) last = take_ticket(meeting.ticket) == gridDim.x - 1;
  // What thread 0 of the last block acquired is behind this barrier seen by all its threads.
  if (!sync_block_any(last)) return false;
  if (rank < Digits::num_wide_words) total[rank] = take_word(meeting.words + rank);
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

/// Copies a state, a word a thread.
template <class State>
MONOFOLD_GPU void leave_words(void* out, const State& state) {
  static_assert(sizeof(State) % 8 == 0 && sizeof(State) / 8 <= exact_threads, "a word a thread");
  const auto rank = static_cast<int>(threadIdx.x);
  if (rank >= static_cast<int>(sizeof(State) / 8)) return;
  reinterpret_cast<std::uint64_t*>(out)[rank] =
      reinterpret_cast<const std::uint64_t*>(&state)[rank];
}

/// Hands a state on, which all threads of the block see.
template <class F, class State, class Sink>
MONOFOLD_GPU void hand_on(const F& f, const State& state, const Sink& sink) {
  if (threadIdx.x == 0) sink(f, state);
}
template <class F, class State>
MONOFOLD_GPU void hand_on(const F&, const State& state, const state_sink<State>& sink) {
  leave_words(sink.out, state);
}

/// What blocks have added up as digits, as a state, to `sink`.
///
/// sync       all threads of the block, behind a barrier
template <class Term, class F, class State, class Sink>
MONOFOLD_GPU void finish_words(const F& f, const std::int64_t* total, std::int64_t items,
                               State* state, const Sink& sink) {
  make_state<Term>(total, items, state);
  sync_block();  // the state written above is read below
  hand_on(f, *state, sink);
}

/// A sum that is rounded needs its leading bits alone, which a warp finds at once.
template <class Term, class F, class Number, class Answer>
requires requires { &F::finish_leading; }
MONOFOLD_GPU void finish_words(const F& f, const std::int64_t* total, std::int64_t items,
                               exact_state<Number>* state, const answer_sink<Answer>& sink) {
  if (threadIdx.x >= warp_lanes) return;
  const leading_number own = leading_of_words(total, 2 * Number::num_limbs, Number::low_exponent,
                                              reinterpret_cast<std::uint32_t*>(state->sum.limb));
  const exact_counts counts = counts_in<Term>(total + 2 * Number::num_limbs, items);
  if (lane_rank() == 0) *sink.out = f.finish_leading(counts, own.is_negative, own.bits);
}

/// The counts beside short sums, of so many items.
template <class Term>
MONOFOLD_GPU exact_counts counts_of_short(const short_sums<Term>& own, std::int64_t items) {
  return {items, 0, 0, 0, own.is_other != 0 && items != 0 ? 1 : 0};
}

/// Short sums, which all threads have, as a state to `sink`.
///
/// sync       all threads of the block
template <class Term, class F, class State, class Sink>
MONOFOLD_GPU void finish_short(const F& f, const short_sums<Term>& own, std::int64_t items,
                               State* state, const Sink& sink) {
  using layout = typename thread_terms<Term>::layout;
  const auto rank = static_cast<int>(threadIdx.x);
  const int warp = rank / warp_lanes;
  MONOFOLD_UNROLL
  for (int s = 0; s < layout::num_sums; ++s) {
    const int limbs = (layout::end_digit(s) - layout::first_digit(s)) / 4;
    if (warp != s) continue;
    for (int i = lane_rank(); i < limbs; i += warp_lanes) {
      // Limb i begins so far above the lowest bit of the value; below the grid there are zeros.
      const int from = 64 * i - (short_sums<Term>::exponent(own.top, s) - layout::low_exponent(s));
      std::uint64_t limb = 0;
      if (from >= 0) {
        limb = static_cast<std::uint64_t>(own.value[s] >> (from < 127 ? from : 127));
      } else if (from > -64) {
        limb = static_cast<std::uint64_t>(own.value[s]) << -from;
      }
      sum_of(*state, s)[i] = limb;
    }
  }
  if (rank == layout::num_sums * warp_lanes) counts_of(*state) = counts_of_short(own, items);
  sync_block();  // the state written above is read below
  hand_on(f, *state, sink);
}

template <class Term, class F, class Number, class Answer>
requires requires { &F::finish_leading; }
MONOFOLD_GPU void finish_short(const F& f, const short_sums<Term>& own, std::int64_t items,
                               exact_state<Number>*, const answer_sink<Answer>& sink) {
  if (threadIdx.x != 0) return;
  const bool is_negative = own.value[0] < 0;
  auto size = static_cast<uint128>(own.value[0]);
  if (is_negative) size = 0 - size;
  const auto high = static_cast<std::uint64_t>(size >> 64);
  const int width =
      high != 0 ? 64 + bit_width_of(high) : bit_width_of(static_cast<std::uint64_t>(size));
  size <<= width > 0 ? 128 - width : 0;
  const leading_bits bits{static_cast<std::uint64_t>(size >> 64),
                          short_sums<Term>::exponent(own.top, 0) + width - 64,
                          static_cast<std::uint64_t>(size) != 0};
  *sink.out = f.finish_leading(counts_of_short(own, items), is_negative, bits);
}

/// Whether a range's items are computed by what a user wrote.
template <class Term>
inline constexpr bool is_computed_v = false;

/// How the host's compiler lays out what it hands to the kernel, see `handed_layout`.
struct exact_layout {
  int fold_bytes;
  int range_bytes;
  int sink_bytes;
  friend constexpr bool operator==(const exact_layout&, const exact_layout&) = default;
};
template <class F, class Range, class Sink>
MONOFOLD_HD_CALL constexpr exact_layout exact_layout_of() {
  return {static_cast<int>(sizeof(F)), static_cast<int>(sizeof(Range)),
          static_cast<int>(sizeof(Sink))};
}

/// Adds the terms of a range and hands the state to `sink`, and what is folded beside.
///
/// Blocks whose warps have few tiles each first try to go with short sums: within a block, and by mail
/// to the last block. Hardware starts blocks in order, so whoever that waits for is running or done.
/// Otherwise it is digits.
///
/// shape      any number of blocks of `exact_threads` threads, which stay until the end
/// order      exact: the state's bytes do not depend on it
/// errors     traps where the host's compiler lays out a view of a user otherwise: results would be wrong
template <class Term, class Beside, class F, class Sink>
__global__ void __launch_bounds__(exact_threads, exact_resident_blocks)
    add_exactly_kernel(const exact_layout layout, const F f,
                       const typename thread_terms<Term>::range range, const exact_meeting meeting,
                       const Sink sink) {
  using shared = exact_shared<Term>;
  using digits = typename shared::digits;
  using sums = typename shared::sums;
  using adder = warp_exact<Term>;
  constexpr bool may_be_short = sums::is_possible && !Beside::is_any;
  static_assert(digits::num_wide_words <= exact_threads, "a word a thread");
  static_assert(few_exact_tiles * adder::most_additions_a_tile <= digits::most_additions);
  static_assert(few_exact_tiles <= sums::most_tiles);
  if constexpr (is_computed_v<Term>) {
    using range_type = typename thread_terms<Term>::range;
    if (layout != exact_layout_of<F, range_type, Sink>()) trap();
  }
  let_next_launch_begin();
  auto* const bytes = reinterpret_cast<char*>(dynamic_shared());
  auto* const slots = reinterpret_cast<sums*>(bytes + shared::sums_at);
  auto* const words = reinterpret_cast<std::int32_t*>(bytes + shared::words_at);
  auto* const total = reinterpret_cast<std::int64_t*>(bytes + shared::total_at);
  auto* const state = reinterpret_cast<typename shared::state*>(bytes + shared::state_at);
  const int rank = static_cast<int>(threadIdx.x);
  const int warp = rank / warp_lanes;
  const auto blocks = static_cast<int>(gridDim.x);
  // Warps that take few tiles put nothing into global words on their way.
  const std::int64_t tiles = adder::tiles_in(range);
  const bool is_few = tiles <= std::int64_t{blocks} * exact_warps * few_exact_tiles;
  const bool is_mailed = may_be_short && is_few && blocks <= mail_room::most_senders;
  // A tile a warp, each by itself: then warps of a block need not meet.
  const bool is_by_warp =
      is_mailed && blocks > 1 && tiles <= mail_room::most_senders && tiles <= blocks * exact_warps;
  std::uint32_t call = 0;
  adder own(words + warp * digits::num_words,
            reinterpret_cast<bytes16*>(bytes + warp * shared::ahead_bytes), meeting.words);
  wait_for_launches_before();
  // Read early: it takes as long as items do. The last block writes it when all have read it.
  if (is_mailed && blocks > 1) call = meeting.mail.read_call();
  const auto block = static_cast<int>(blockIdx.x);
  // Few tiles are spread over blocks, of many neighbours go to a block.
  const int first = is_few ? block + warp * blocks : block * exact_warps + warp;
  Beside beside(bytes + shared::beside_at);
  own.add(range, first, blocks * exact_warps, beside);

  bool is_short = false;
  sums all{};
  if constexpr (may_be_short) {
    if (is_mailed) is_short = own.finish_short(all);
    if (is_mailed && !is_by_warp) {
      if (lane_rank() == 0) slots[warp] = all;
      is_short = !sync_block_any(!is_short);  // and slots written above are read below
      // The same in all warps.
      is_short = is_short && all.join_slots(slots, exact_warps, sums::most_shift_of_warps);
    }
  }
  if (!is_short) own.finish();
  if (!is_short && !is_by_warp) {
    sync_block();  // words of warps written above are read below
    if (rank < digits::num_wide_words) {
      std::int64_t sum = 0;
      MONOFOLD_UNROLL
      for (int w = 0; w < exact_warps; ++w) {
        sum += digits::wide_word(words + w * digits::num_words, rank);
      }
      total[rank] = sum;
    }
    sync_block();  // the total written above is read below
  }
  if constexpr (may_be_short) {
    if (is_mailed && blocks > 1) {
      const mailed_sums<Term> mail(meeting.mail, call);
      if (is_by_warp ? first < tiles : warp == 0) {
        const int sender = is_by_warp ? first : block;
        if (is_short) {
          mail.post(sender, all);
        } else {
          sync_warp();  // words of lanes written above are read below
          mail.post_elsewhere(
              sender,
              [&](int i) {
                return is_by_warp ? digits::wide_word(words + warp * digits::num_words, i)
                                  : total[i];
              },
              meeting.words);
        }
      }
      if (block + 1 != blocks) return;
      sync_block();  // slots and the total read above are overwritten below
      is_short = mail.gather(is_by_warp ? static_cast<int>(tiles) : blocks, all, slots, total,
                             meeting.words);
      if (!is_short) sync_block();  // the total written above is read below
    }
  }
  if constexpr (Beside::is_any) beside.leave(meeting.states);
  if (!is_mailed && (blocks > 1 || !is_few)) {
    if (!meet_by_ticket<digits>(total, meeting)) return;
  }
  if (Beside::is_any || !is_mailed)
    sync_block();  // the total and what was left above are read below
  if constexpr (Beside::is_any) beside.collect(range, meeting.states);
  const std::int64_t items = range.end - range.first;
  if constexpr (may_be_short) {
    if (is_short) {
      finish_short<Term>(f, all, items, state, sink);
      return;
    }
  }
  finish_words<Term>(f, total, items, state, beside.sink_for(sink));
}

}  // namespace monofold::detail
