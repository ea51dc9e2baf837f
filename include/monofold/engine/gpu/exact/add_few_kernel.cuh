#pragma once
/// engine/gpu/exact/add_few_kernel: exact answers of few items. Instructions run once, so what is rare stands apart.

#include <cstdint>

#include "monofold/engine/gpu/exact/few_bins.cuh"
#include "monofold/engine/gpu/exact/few_finish.cuh"
#include "monofold/engine/gpu/exact/few_state.cuh"
#include "monofold/engine/gpu/exact/few_tile.cuh"
#include "monofold/engine/gpu/exact/finish.cuh"
#include "monofold/engine/gpu/exact/lane_values.cuh"
#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/exact/warp_digits.cuh"
#include "monofold/engine/gpu/mailbox.cuh"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/few_launch.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/rounded.hpp"

namespace monofold::detail {

/// Global memory by which blocks join their sums. Words are 0 before the launch and after it.
struct few_scratch {
  std::int64_t* words;
  mailbox_storage mail;
};

/// The sum of a block; in the last one, that of all. Warps store theirs in shared memory; senders, which are blocks or
/// warps with a tile each, post theirs. What bins do not hold is in digits of each warp, or of all in global memory.
///
/// shape      blocks of `few_threads` threads, no more than mailbox_storage::most_senders; fewer for one tile
/// sync       all threads of the block
template <class Term, class Extrema>
class few_block {
 public:
  using tile = few_tile<Term>;
  using plan = few_plan<Term>;
  using range = typename tile::range;
  using sums = typename tile::sums;
  using values = typename tile::values;
  using digits = typename tile::digits;
  using state_type = typename term_format<Term>::state;
  static constexpr int num_sums = digits::layout::num_sums;
  static constexpr int warp_of_extrema = few_warps / 2;  // which has them in the end
  /// The threads of a block for so many tiles: of one, as many as `finish_words` needs.
  MONOFOLD_HD static constexpr int threads_for(int tiles, bool is_answer) {
    if (tiles > 1 || Extrema::count > 0) return few_threads;
    if (is_answer) return num_sums == 1 ? warp_lanes : (num_sums + 1) * warp_lanes;
    // A state's words have a thread each.
    constexpr int warps = (static_cast<int>(sizeof(state_type)) / 8 + warp_lanes - 1) / warp_lanes;
    static_assert(warps <= few_warps);
    return (warps > num_sums + 1 ? warps : num_sums + 1) * warp_lanes;
  }

  /// The sums of the block's warps.
  struct slots {
    double value[sums::count][few_warps];
    std::uint32_t said[few_warps];
    std::uint32_t minus_zeros[few_warps];
  };
  static constexpr int words_at = sizeof(slots);
  static constexpr int total_at = words_at + (few_warps * digits::num_words * 4 + 7) / 8 * 8;
  static constexpr int state_at = total_at + digits::num_wide_words * 8;
  static constexpr int extrema_at = state_at + static_cast<int>(sizeof(state_type));
  static constexpr int shared_bytes =
      extrema_at + static_cast<int>(sizeof(typename Extrema::slots));

  MONOFOLD_GPU few_block(const range& items, const few_scratch& scratch)
      : range_(items), scratch_(scratch) {}

  /// Reads the number of the call, early: that takes as long as to read items.
  MONOFOLD_GPU void read_call() {
    if (blocks() > 1) call_ = scratch_.mail.read_call();
  }

  /// Adds all tiles; true in the block that has the sum, in its first warp, and the extrema, in warp `warp_of_extrema`.
  MONOFOLD_GPU bool add(few_sum& own, Extrema& extrema) const {
    own = tile::nothing();
    // Where half of the warps have no tile, they find the extrema of the others' tiles.
    const bool are_apart = Extrema::count > 0 && range_.tiles <= few_warps / 2 * blocks();
    const bool is_second = are_apart && warp() >= few_warps / 2;
    const int place = warp() - (is_second ? few_warps / 2 : 0);
    const int first = static_cast<int>(blockIdx.x) + place * blocks();
    const bool has_tile = first < range_.tiles;
    if (has_tile && !are_apart) {
      own = tile::add(range_, first, words_of(warp()), extrema);
    } else if (has_tile && is_second) {
      tile::find(range_, first, extrema);
    } else if (has_tile) {
      no_extrema nothing;
      own = tile::add(range_, first, words_of(warp()), nothing);
    }
    if (range_.tiles == 1) return true;
    const bool is_by_warp = blocks() > 1 && range_.tiles <= mailbox_storage::most_senders;
    if (blocks() > 1 && own.elsewhere != 0) flush();
    // Blocks that join their warps' sums join for the first of three times; else two of the joins below are all.
    const bool is_thrice = blocks() > 1 && !is_by_warp;
    if (!is_by_warp) {
      store_slot(own);
      extrema.store_best(extrema_slots(), warp());
      sync_block();  // slots written above are read below
      if (warp() == 0) join_warps(own, is_thrice ? plan::first_of_three : plan::spread);
      if (warp() == warp_of_extrema) extrema.join(extrema_slots());
    }
    if (blocks() == 1) return true;
    const int sender = is_by_warp ? first : static_cast<int>(blockIdx.x);
    if (is_by_warp ? has_tile && !is_second : warp() == 0) post(sender, own);
    if (is_by_warp ? has_tile && is_second == are_apart : warp() == warp_of_extrema) {
      extrema.post(pairs_of(sums::count), sender, call_);
    }
    if (blockIdx.x + 1 != gridDim.x) return false;
    const int senders = is_by_warp ? range_.tiles : blocks();
    const int spread = is_thrice ? plan::later_of_three : plan::spread;
    const int rank = static_cast<int>(threadIdx.x);
    sync_block();  // slots read above are overwritten below; and all warps have posted before some wait
    own = tile::nothing();
    if (rank - lane_rank() < senders) own = hear(rank, rank < senders, spread);
    // Other warps hear the extrema where there are up to 128 senders.
    extrema.hear(pairs_of(sums::count), rank ^ (warp_of_extrema * warp_lanes), senders, call_);
    if (senders > warp_lanes) {
      store_slot(own);
      extrema.store_best(extrema_slots(), warp());
      sync_block();  // and read
    }
    scratch_.mail.end_call(call_);
    if (senders > warp_lanes && warp() == 0) join_warps(own, spread);
    if (senders > warp_lanes && warp() == warp_of_extrema) extrema.join(extrema_slots());
    return true;
  }

  /// Stores the answer that follows from the sums of the first warp; of one sum, by that warp alone.
  template <class F, class Sink>
  requires is_of_few_answer_v<F, Sink> MONOFOLD_GPU void finish(const F& f, few_sum& own,
                                                                const Extrema&,
                                                                const Sink& sink) const {
    if (num_sums == 1 && warp() != 0) return;
    const std::int64_t items = range_.end - range_.first;
    bool is_done = true;
    if (warp() == 0) {
      is_done = own.elsewhere == 0;
      double value[sums::count];
      values::bring(own.value, value);
      if (is_done && lane_rank() == 0)
        is_done = finish_bins(f, value, own.minus_zeros, items, sink.out);
    }
    if (!(num_sums == 1 ? any_lane(!is_done) : sync_block_any(!is_done))) return;
    if (warp() == 0) collect(own);
    if (num_sums > 1) sync_block();  // the total written above is read below
    finish_words<Term>(f, total(), items, state(), sink);
  }
  /// Stores the state.
  template <class F, class Sink>
  MONOFOLD_GPU void finish(const F& f, few_sum& own, const Extrema& extrema,
                           const Sink& sink) const {
    const std::int64_t items = range_.end - range_.first;
    if (warp() == 0) {
      if (own.elsewhere != 0) {
        collect(own);
      } else {
        double value[sums::count];
        values::bring(own.value, value);
        make_few_state<Term>(value, own.max_exponent, own.minus_zeros, items, *state());
      }
    }
    if (warp() == warp_of_extrema) extrema.store_found(extrema_slots());
    // What is written above is read below.
    const bool are_words = sync_block_any(warp() == 0 && own.elsewhere != 0);
    const auto to = Extrema::sink_for(sink, extrema_slots());
    if (are_words) {
      finish_words<Term>(f, total(), items, state(), to);
    } else {
      store_state(f, *state(), to);
    }
  }

 private:
  // What a sender says beside its values: the exponent, whether some is elsewhere; in mail how many terms are -0.
  static constexpr std::uint32_t exponent_mask = 0x1fff;
  static constexpr std::uint32_t is_elsewhere = exponent_mask + 1;
  static constexpr int zeros_shift = 14;
  static_assert(few_warps * tile::items_each < 1 << (32 - zeros_shift));
  static_assert((1 + 2 * (sums::count + Extrema::pairs)) * mailbox_storage::most_senders <=
                mailbox_storage::words);

  MONOFOLD_GPU static std::uint32_t said_of(const few_sum& own) {
    return static_cast<std::uint32_t>(own.max_exponent - sums::no_exponent) |
           (own.elsewhere != 0 ? is_elsewhere : 0);
  }
  MONOFOLD_GPU static int exponent_in(std::uint32_t said) {
    return static_cast<int>(said & exponent_mask) + sums::no_exponent;
  }
  MONOFOLD_GPU static bool is_rare(std::uint32_t said, std::uint32_t minus_zeros, int largest,
                                   int spread) {
    const int exponent = exponent_in(said);
    return ((said & is_elsewhere) | minus_zeros) != 0 ||
           (largest - exponent > spread && exponent != sums::no_exponent);
  }

  MONOFOLD_GPU static int warp() { return static_cast<int>(threadIdx.x) / warp_lanes; }
  MONOFOLD_GPU static int blocks() { return static_cast<int>(gridDim.x); }
  MONOFOLD_GPU static char* shared() { return reinterpret_cast<char*>(dynamic_shared()); }
  MONOFOLD_GPU static typename Extrema::slots& extrema_slots() {
    return *reinterpret_cast<typename Extrema::slots*>(shared() + extrema_at);
  }
  MONOFOLD_GPU static state_type* state() {
    return reinterpret_cast<state_type*>(shared() + state_at);
  }
  MONOFOLD_GPU static slots& all_slots() { return *reinterpret_cast<slots*>(shared()); }
  MONOFOLD_GPU static std::int32_t* words_of(int w) {
    return reinterpret_cast<std::int32_t*>(shared() + words_at) + w * digits::num_words;
  }
  MONOFOLD_GPU static std::int64_t* total() {
    return reinterpret_cast<std::int64_t*>(shared() + total_at);
  }
  MONOFOLD_GPU std::uint64_t* pairs_of(int value) const {
    return scratch_.mail.boxes() + (1 + 2 * value) * mailbox_storage::most_senders;
  }

  /// Stores what this warp has in its slot.
  MONOFOLD_GPU static void store_slot(const few_sum& own) {
    if (values::is_first()) all_slots().value[values::own()][warp()] = own.value;
    if (lane_rank() == 0) {
      all_slots().said[warp()] = said_of(own);
      all_slots().minus_zeros[warp()] = own.minus_zeros;
    }
  }
  /// Adds up what warps have stored; by one warp.
  MONOFOLD_GPU void join_warps(few_sum& own, int spread) const {
    const int w = lane_rank() % few_warps;
    const std::uint32_t said = all_slots().said[w];
    const std::uint32_t minus_zeros = all_slots().minus_zeros[w];
    few_sum out = tile::nothing();
    out.max_exponent = exponent_in(largest_of_lanes(said & exponent_mask));
    if (any_lane(is_rare(said, minus_zeros, out.max_exponent, spread))) {
      const std::uint32_t is_there = lane_rank() < few_warps ? ~std::uint32_t{0} : 0;
      sums moved;
      MONOFOLD_UNROLL
      for (int k = 0; k < sums::count; ++k) {
        moved.value[k] = chosen_by(is_there, all_slots().value[k][w], 0.0);
      }
      make_alike(moved, said, minus_zeros & is_there, out);
      sync_warp();  // slots read above are overwritten below
      MONOFOLD_UNROLL
      for (int k = 0; k < sums::count; ++k) {
        if (is_there != 0) all_slots().value[k][w] = moved.value[k];
      }
      sync_warp();  // and read by other lanes
    }
    constexpr int lanes = values::group_lanes < few_warps ? values::group_lanes : few_warps;
    const int value = values::own() < sums::count ? values::own() : 0;
    MONOFOLD_UNROLL
    for (int first = 0; first < few_warps; first += lanes) {
      out.value = rounded_sum(out.value, all_slots().value[value][first + lane_rank() % lanes]);
    }
    MONOFOLD_UNROLL
    for (int d = 1; d < lanes; d *= 2) {
      out.value = rounded_sum(out.value, shuffle_from(out.value, lane_rank() ^ d));
    }
    own = out;
  }
  /// Brings what lanes have to the bins of `out`, where theirs begin far apart or something else is rare; to digits if
  /// these bins do not hold it. Lanes that have nothing have zeros.
  MONOFOLD_GPU void make_alike(sums& own, std::uint32_t said, std::uint32_t minus_zeros,
                               few_sum& out) const {
    out.elsewhere = lanes_with((said & is_elsewhere) != 0);
    out.minus_zeros = sum_of_lanes(minus_zeros);
    const sums before = own;
    if (!any_lane(!own.move_to(out.max_exponent))) return;
    add_values(before.value, out);
    MONOFOLD_UNROLL
    for (int k = 0; k < sums::count; ++k) own.value[k] = 0.0;
  }
  /// Adds doubles of lanes to the digits of the first warp, or to words of global memory.
  MONOFOLD_GPU void add_values(const double (&value)[sums::count], few_sum& own) const {
    std::int32_t* const words = words_of(warp());
    if (blocks() > 1 || (own.elsewhere & 1) == 0) digits(words, nullptr).clear();
    tile::add_values(value, words);
    if (blocks() > 1) flush();
    own.elsewhere |= 1;
  }
  /// Adds the digits of this warp to words of global memory.
  MONOFOLD_GPU void flush() const { digits(words_of(warp()), scratch_.words).flush(); }

  /// sync       all lanes of a warp
  MONOFOLD_GPU void post(int sender, const few_sum& own) const {
    if (own.elsewhere != 0) {
      sync_warp();      // additions of all lanes are before what follows,
      __threadfence();  // and seen by whoever sees the mail
    }
    if (values::is_first()) {
      const auto bits = bits_as<std::uint64_t>(own.value);
      post_mail(pairs_of(values::own()) + 2 * sender,
                mail_of(call_, static_cast<std::uint32_t>(bits)),
                mail_of(call_, static_cast<std::uint32_t>(bits >> 32)));
    }
    if (lane_rank() == 1) {
      post_mail(scratch_.mail.boxes() + sender,
                mail_of(call_, said_of(own) | own.minus_zeros << zeros_shift));
    }
  }
  /// Waits for mail, a sender a lane, in lanes that ask, and adds up what they sent. Lanes wait for each other, see
  /// mailbox::wait.
  ///
  /// sync       all lanes of a warp
  MONOFOLD_GPU few_sum hear(int sender, bool asks, int spread) const {
    if (!asks) sender = 0;
    std::uint64_t word;
    std::uint64_t low[sums::count];
    std::uint64_t high[sums::count];
    bool all_there;
    do {
      // All is on its way before any is looked at.
      read_mail(scratch_.mail.boxes() + sender, word);
      MONOFOLD_UNROLL
      for (int k = 0; k < sums::count; ++k) read_mail(pairs_of(k) + 2 * sender, low[k], high[k]);
      all_there = is_mail_of(call_, word);
      MONOFOLD_UNROLL
      for (int k = 0; k < sums::count; ++k) {
        all_there = all_there && is_mail_of(call_, low[k]) && is_mail_of(call_, high[k]);
      }
    } while (any_lane(!all_there));
    const std::uint32_t mask = asks ? ~std::uint32_t{0} : 0;
    const auto said = static_cast<std::uint32_t>(word);
    sums heard;
    MONOFOLD_UNROLL
    for (int k = 0; k < sums::count; ++k) {
      heard.value[k] = double_of_words(static_cast<std::uint32_t>(high[k]) & mask,
                                       static_cast<std::uint32_t>(low[k]) & mask);
    }
    few_sum out = tile::nothing();
    out.max_exponent = exponent_in(largest_of_lanes(said & exponent_mask));
    if (any_lane(is_rare(said, said >> zeros_shift, out.max_exponent, spread))) {
      if ((said & is_elsewhere) != 0) __threadfence();  // what was added there is seen
      make_alike(heard, said, said >> zeros_shift & mask, out);
    }
    out.value = values::sum(heard.value);
    return out;
  }

  /// Word i of the sum of all digits, of warps or of blocks, and of the count of -0 in `own`.
  MONOFOLD_GPU std::int64_t word_of_all(int i, const few_sum& own) const {
    if (i >= digits::num_wide_words) return 0;
    constexpr int place = digits::num_wide_digits + static_cast<int>(digit_count::minus_zero);
    std::int64_t sum = i == place ? own.minus_zeros : 0;
    if (blocks() > 1) return sum + take_word(scratch_.words + i);
    MONOFOLD_UNROLL
    for (int w = 0; w < few_warps; ++w) {
      if ((own.elsewhere >> w & 1) != 0) sum += digits::wide_word(words_of(w), i);
    }
    return sum;
  }
  /// Makes words of the whole sum, in `total`; by the warp that has the sum, and rarely.
  MONOFOLD_GPU void collect(few_sum& own) const {
    double value[sums::count];
    values::bring(own.value, value);
    const std::uint32_t is_mine = lane_rank() == 0 ? ~std::uint32_t{0} : 0;
    MONOFOLD_UNROLL
    for (int k = 0; k < sums::count; ++k) value[k] = chosen_by(is_mine, value[k], 0.0);
    add_values(value, own);
    // All words are on their way before one is looked at.
    constexpr int turns = (digits::num_wide_words + warp_lanes - 1) / warp_lanes;
    std::int64_t word[turns];
    MONOFOLD_UNROLL
    for (int t = 0; t < turns; ++t) word[t] = word_of_all(t * warp_lanes + lane_rank(), own);
    MONOFOLD_UNROLL
    for (int t = 0; t < turns; ++t) {
      const int i = t * warp_lanes + lane_rank();
      if (i < digits::num_wide_words) total()[i] = word[t];
    }
    sync_warp();  // the total written above is read below
  }

  const range& range_;
  const few_scratch& scratch_;
  std::uint32_t call_ = 0;
};

/// Adds few items. `sink` gets the answer, or the state and the extrema that `Extrema` finds.
///
/// shape      see `few_block`
/// order      exact: the bits do not depend on it
/// tested by  tests/gpu/exact_few_test.cu
template <class Term, class Extrema, class F, class Sink>
__global__ void __launch_bounds__(few_threads, 1)
    add_few_kernel(const F f, const typename few_tile<Term>::range range, const few_scratch scratch,
                   const Sink sink) {
  let_next_launch_begin();
  few_block<Term, Extrema> block(range, scratch);
  wait_for_launches_before();
  block.read_call();
  few_sum own;
  Extrema extrema{};
  if (block.add(own, extrema)) block.finish(f, own, extrema, sink);
}

}  // namespace monofold::detail
