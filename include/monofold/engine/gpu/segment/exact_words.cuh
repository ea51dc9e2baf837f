#pragma once
/// engine/gpu/segment/exact_words: an exact sum in words of shared memory, where integers of 128 bits do not hold it.

#include <cstdint>

#include "monofold/engine/gpu/exact/finish.cuh"
#include "monofold/engine/gpu/exact/short_rests.cuh"
#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/exact/warp_digits.cuh"
#include "monofold/engine/gpu/exact/warp_leading.cuh"
#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// The sums of a warp in words of two digits each, signed, with counts behind them: see `warp_digits`. Added up word by
/// word they are the sum of all; carries run once, at the end.
///
/// shape      words: `num` in shared memory of this warp
/// sync       all lanes of the warp, but for `add`
/// tested by  tests/gpu/row_words_test.cu
template <class Term>
class exact_words {
 public:
  using format = term_format<Term>;
  using layout = typename format::layout;
  using state = typename format::state;
  using digits = warp_digits<layout>;
  static constexpr int num = digits::num_wide_words;

  MONOFOLD_GPU explicit exact_words(std::int64_t* words) : words_(words) {}

  MONOFOLD_GPU void clear() const {
    sync_warp();  // words read before are cleared below
    for (int i = lane_rank(); i < num; i += warp_lanes) words_[i] = 0;
    sync_warp();  // and added to by all lanes
  }
  /// Adds short sums, by any lane.
  template <class Sums>
  MONOFOLD_GPU void add(const Sums& own) const {
    add_to(words_, own);
  }
  /// Adds the digits and counts of a warp.
  MONOFOLD_GPU void add_digits(const std::int32_t* own) const {
    sync_warp();  // digits written above are read below
    for (int i = lane_rank(); i < num; i += warp_lanes) words_[i] += digits::wide_word(own, i);
  }
  MONOFOLD_GPU void add_words(const std::int64_t* other) const {
    for (int i = lane_rank(); i < num; i += warp_lanes) words_[i] += other[i];
  }
  /// Adds states `first`, `first` + `step`, .. of those for which takes(i) is true.
  template <class Takes>
  MONOFOLD_GPU void add_states(const state* states, int first, int behind, int step,
                               const Takes& takes) const {
    MONOFOLD_ROLL
    for (int s = 0; s < layout::num_sums; ++s) {
      for (int i = lane_rank(); i < words_of(s); i += warp_lanes) {
        std::int64_t own = 0;
        for (int k = first; k < behind; k += step) {
          if (!takes(k)) continue;
          const std::uint32_t word =
              reinterpret_cast<const std::uint32_t*>(sum_of(const_cast<state&>(states[k]), s))[i];
          own += i == words_of(s) - 1 ? std::int64_t{static_cast<std::int32_t>(word)} : word;
        }
        words_[first_word(s) + i] += own;
      }
    }
    if (lane_rank() != 0) return;
    for (int k = first; k < behind; k += step) {
      if (!takes(k)) continue;
      const exact_counts& own = counts_of(const_cast<state&>(states[k]));
      counts()[static_cast<int>(digit_count::nan)] += own.nan;
      counts()[static_cast<int>(digit_count::positive_infinity)] += own.positive_infinity;
      counts()[static_cast<int>(digit_count::negative_infinity)] += own.negative_infinity;
      counts()[static_cast<int>(digit_count::minus_zero)] += own.minus_zeros;
    }
  }

  /// Makes the state of so many items.
  MONOFOLD_GPU void make_state(std::int64_t items, state* out) const {
    sync_warp();  // words written above are read below
    MONOFOLD_ROLL
    for (int s = 0; s < layout::num_sums; ++s) {
      run_carries(words_ + first_word(s), words_of(s),
                  reinterpret_cast<std::uint32_t*>(sum_of(*out, s)));
    }
    if (lane_rank() == 0) counts_of(*out) = counts_in(counts(), items);
    sync_warp();  // the state written above is read by others
  }
  /// Gives the sink the answer of so many items, or their state. `spare`: in shared memory.
  /// Not inlined, since it is rare.
  template <class F, class Sink>
  MONOFOLD_GPU_CALL void finish(const F& f, std::int64_t items, state* spare,
                                const Sink& sink) const {
    sync_warp();  // words written above are read below
    if constexpr (is_answer_sink_v<Sink> && finishes_by_leading<F>) {
      const exact_counts own = counts_in(counts(), items);
      const leading_number first = leading_of(0, spare);
      if constexpr (layout::num_sums == 1) {
        if (lane_rank() == 0) *sink.out = finish_number(f, own, first);
        return;
      } else {
        const leading_number second = leading_of(1, spare);
        bool is_left = false;
        if (lane_rank() == 0) is_left = !finish_bits(f, own, first.bits, second.bits, sink.out);
        if (!any_lane(is_left)) return;
      }
    }
    make_state(items, spare);
    if (lane_rank() == 0) sink(f, *spare);
  }

 private:
  MONOFOLD_GPU static int first_word(int s) { return layout::first_digit(s) / 2; }
  MONOFOLD_GPU static int words_of(int s) { return layout::end_digit(s) / 2 - first_word(s); }
  MONOFOLD_GPU std::int64_t* counts() const { return words_ + digits::num_wide_digits; }
  MONOFOLD_GPU leading_number leading_of(int s, state* spare) const {
    return leading_of_words(words_ + first_word(s), words_of(s), layout::low_exponent(s),
                            reinterpret_cast<std::uint32_t*>(sum_of(*spare, s)));
  }

  /// Not inlined, since it is long and rare.
  template <class Sums>
  MONOFOLD_GPU_CALL static void add_to(std::int64_t* words, const Sums& own) {
    if (own.minus_zeros != 0) {
      add_to_word(words + digits::num_wide_digits + static_cast<int>(digit_count::minus_zero),
                  own.minus_zeros);
    }
    if (own.is_there == 0) return;
    MONOFOLD_ROLL
    for (int p = 0; p < format::parts; ++p) {
      add_number<layout>(own.value[p], Sums::exponent(own.max_exponent, p), format::part_sum(p),
                         words);
    }
    if constexpr (has_short_rests_v<Term>) {
      if (own.has_rest()) {
        add_number<layout>(own.rest, Sums::rest_exponent(own.max_exponent),
                           format::part_sum(Sums::last), words);
      }
    }
  }

  std::int64_t* words_;
};

}  // namespace monofold::detail
