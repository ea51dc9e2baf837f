#pragma once
/// engine/gpu/exact/finish: states and answers of the digits, or the short sums, that a block has in the end.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "monofold/engine/gpu/exact/short_rests.cuh"
#include "monofold/engine/gpu/exact/short_sums.cuh"
#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/exact/warp_digits.cuh"
#include "monofold/engine/gpu/exact/warp_leading.cuh"
#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/engine/gpu/quick_quotients.cuh"
#include "monofold/fold/exact/moments.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/fold/exact/sum_of_two.hpp"
#include "monofold/level/thread.cuh"
#include "monofold/plan/exact_launch.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/wide_int.hpp"

namespace monofold::detail {

/// The limbs of a state's sum number `sum`: a state of moments has two.
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

/// The counts of a state of so many items, from the counters in `words`.
MONOFOLD_GPU exact_counts counts_in(const std::int64_t* words, std::int64_t items) {
  const auto at = [words](digit_count what) { return words[static_cast<int>(what)]; };
  return {items, at(digit_count::nan), at(digit_count::positive_infinity),
          at(digit_count::negative_infinity), at(digit_count::minus_zero)};
}

/// Makes the state of so many items from the digits and counts in `words`: a warp for each sum.
///
/// sync       all threads of the block; no barrier behind the last write of `out`
template <class Term>
MONOFOLD_GPU void make_state(const std::int64_t* words, std::int64_t items,
                             typename term_format<Term>::state* out) {
  using digits = warp_digits<typename term_format<Term>::layout>;
  using layout = typename digits::layout;
  const int warp = static_cast<int>(threadIdx.x) / warp_lanes;
  if (warp < layout::num_sums) {
    const int first = layout::first_digit(warp) / 2;
    run_carries(words + first, layout::end_digit(warp) / 2 - first,
                reinterpret_cast<std::uint32_t*>(sum_of(*out, warp)));
  } else if (threadIdx.x == layout::num_sums * warp_lanes) {
    counts_of(*out) = counts_in(words + digits::num_wide_digits, items);
  }
}

/// Copies a state, a word a thread.
template <class State>
MONOFOLD_GPU void store_words(void* out, const State& state) {
  static_assert(sizeof(State) % 8 == 0 && sizeof(State) / 8 <= exact_threads, "a word a thread");
  const auto rank = static_cast<int>(threadIdx.x);
  if (rank >= static_cast<int>(sizeof(State) / 8)) return;
  reinterpret_cast<std::uint64_t*>(out)[rank] =
      reinterpret_cast<const std::uint64_t*>(&state)[rank];
}

/// Gives the sink a state that all threads of the block see.
template <class F, class State, class Sink>
MONOFOLD_GPU void store_state(const F& f, const State& state, const Sink& sink) {
  if (threadIdx.x == 0) sink(f, state);
}
template <class F, class State>
MONOFOLD_GPU void store_state(const F&, const State& state, const state_sink<State>& sink) {
  store_words(sink.out, state);
}

/// Makes the state of the digits that blocks have added up in `total`, and gives it to the sink.
///
/// sync       all threads of the block, behind a barrier
template <class Term, class F, class State, class Sink>
MONOFOLD_GPU void finish_words(const F& f, const std::int64_t* total, std::int64_t items,
                               State* state, const Sink& sink) {
  make_state<Term>(total, items, state);
  sync_block();  // the state written above is read below
  store_state(f, *state, sink);
}

template <class One, class Other>
inline constexpr bool of_one_class = false;
template <class Class, class One, class Other>
inline constexpr bool of_one_class<One Class::*, Other Class::*> = true;

/// Whether the answer of a fold follows from leading bits alone. Not where a user has derived a fold with a `finish`
/// of its own: that one has to be called.
template <class F>
concept finishes_by_leading = of_one_class<decltype(&F::finish), decltype(&F::finish_leading)>;

template <class Real>
inline constexpr bool is_quick_v = std::is_same_v<Real, float> || std::is_same_v<Real, double>;

/// Whether quotients of so many items often lie in the middle between two doubles, since sums of a few short items
/// have few bits. Doubles do not decide those; integers do.
template <class Item>
MONOFOLD_GPU bool has_many_ties(std::int64_t items) {
  return sizeof(Item) < 8 && items < 16;
}

/// The answer that follows from the leading bits of one sum.
template <class F>
MONOFOLD_GPU auto finish_number(const F& f, const exact_counts& counts, const leading_number& sum) {
  return f.finish_leading(counts, sum);
}
template <class Term, class Real, nan_rule rule>
requires is_quick_v<Real> MONOFOLD_GPU result<Real> finish_number(
    const exact_mean_fold<Term, Real, rule>& f, const exact_counts& counts,
    const leading_number& sum) {
  const exact_verdict v = verdict<rule>(counts);
  Real found;
  if (v.kind == number_kind::finite && v.items > 0 &&
      !has_many_ties<typename Term::item>(v.items) &&
      quick_quotient(sum, static_cast<std::uint64_t>(v.items), found)) {
    return found;
  }
  return f.finish_leading(counts, sum);
}

/// The variance of so many items, or its root, by doubles from the leading bits of both sums; false where these do not
/// decide, or another fold is asked for.
template <class F, class Place>
MONOFOLD_GPU bool finish_quickly(const F&, const exact_counts&, const leading_bits&,
                                 const leading_bits&, Place) {
  return false;
}
/// The divisor of a variance of so many finite items; 0 where doubles do not decide it, or there is none.
template <class Item, class Real, bool root, nan_rule rule>
MONOFOLD_GPU std::uint64_t quick_divisor(const exact_variance_fold<Item, Real, root, rule>& f,
                                         std::int64_t items) {
  const std::int64_t freedom = items - f.ddof;
  if (items <= 0 || freedom <= 0 || (!root && has_many_ties<Item>(items))) return 0;
  if ((items | freedom) >> 31 != 0) return 0;  // their product may have more than 62 bits
  const std::int64_t product = items * freedom;
  return product >> 53 == 0 ? static_cast<std::uint64_t>(product) : 0;
}
template <class Item, class Real, bool root, nan_rule rule, class Place>
requires is_quick_v<Real> MONOFOLD_GPU bool finish_quickly(
    const exact_variance_fold<Item, Real, root, rule>& f, const exact_counts& counts,
    const leading_bits& sum, const leading_bits& squares, Place out) {
  const exact_verdict v = verdict<rule>(counts);
  const std::uint64_t divisor = v.kind == number_kind::finite ? quick_divisor(f, v.items) : 0;
  Real found;
  if (divisor == 0 ||
      !quick_spread<root>(sum, squares, static_cast<std::uint64_t>(v.items), divisor, found)) {
    return false;
  }
  *out = found;
  return true;
}
/// Whether the answer of a fold follows from the sums of items and of their squares, as finish_pairs finds it.
template <class F>
inline constexpr bool answers_pairs_v = false;
template <class Item, class Real, bool root, nan_rule rule>
inline constexpr bool answers_pairs_v<exact_variance_fold<Item, Real, root, rule>> =
    is_quick_v<Real>;

/// The answer from these sums of so many finite items, at least one. Each sum is two doubles, far from the ends of the
/// format. False where doubles do not decide.
template <class Item, class Real, bool root, nan_rule rule, class Place>
requires is_quick_v<Real> MONOFOLD_GPU bool finish_pairs(
    const exact_variance_fold<Item, Real, root, rule>& f, std::int64_t items, const sum_of_two& sum,
    const sum_of_two& squares, Place out) {
  const std::uint64_t divisor = quick_divisor(f, items);
  Real found;
  if (divisor == 0 ||
      !quick_spread<root>({{sum.high}, {sum.low}}, {{squares.high}, {squares.low}},
                          strict_double{1}, 0, static_cast<std::uint64_t>(items), divisor, found)) {
    return false;
  }
  *out = found;
  return true;
}

/// The answer from sums of so many items to which additions of doubles have come, so many to an item at most; false where
/// it may lie on either side of them.
template <class F, class Place>
MONOFOLD_GPU bool finish_rounded(const F&, std::int64_t, double, double, std::int64_t, Place) {
  return false;
}

/// Stores the answer of a sum that is rounded: its leading bits are enough, and one warp finds them.
template <class Term, finishes_by_leading F, class Number, class Answer>
MONOFOLD_GPU void finish_words(const F& f, const std::int64_t* total, std::int64_t items,
                               exact_state<Number>* state, const answer_sink<Answer>& sink) {
  if (threadIdx.x >= warp_lanes) return;
  const leading_number own = leading_of_words(total, 2 * Number::num_limbs, Number::low_exponent,
                                              reinterpret_cast<std::uint32_t*>(state->sum.limb));
  const exact_counts counts = counts_in(total + 2 * Number::num_limbs, items);
  if (lane_rank() == 0) *sink.out = finish_number(f, counts, own);
}

/// Stores the variance, or its root, that follows from the leading bits of both sums, by one thread. False where these
/// bits do not decide, so that all bits are needed. Not inlined, since it is called from two places.
template <class F, class Place>
MONOFOLD_GPU_CALL bool finish_bits(const F& f, const exact_counts& counts, const leading_bits& sum,
                                   const leading_bits& squares, Place out) {
  if (finish_quickly(f, counts, sum, squares, out)) return true;
  return f.finish_leading(counts, sum, squares, *out);
}
/// The same from sums that are two doubles each, as finish_pairs has them.
template <class F, class Place>
MONOFOLD_GPU bool finish_moments(const F& f, std::int64_t items, const sum_of_two& sum,
                                 const sum_of_two& squares, Place out) {
  if (finish_pairs(f, items, sum, squares, out)) return true;
  leading_number values;
  leading_number own;
  if (!leading_of(sum, values) || !leading_of(squares, own)) return false;
  return finish_bits(f, {items, 0, 0, 0, 0}, values.bits, own.bits, out);
}
template <class F, class State, class Real>
MONOFOLD_GPU_CALL void finish_limbs(const F& f, const State& state, result<Real>* out) {
  *out = f.finish_limbs(state);
}

/// Stores a variance, or its root. Mostly the leading bits of both sums decide what it is rounded to.
template <class Term, finishes_by_leading F, class Item, class Answer>
MONOFOLD_GPU void finish_words(const F& f, const std::int64_t* total, std::int64_t items,
                               exact_moments_state<Item>* state, const answer_sink<Answer>& sink) {
  using layout = typename term_format<Term>::layout;
  const int warp = static_cast<int>(threadIdx.x) / warp_lanes;
  leading_number own{};
  static_assert(sizeof(own.bits) <= sizeof(state->squares), "passed on below");
  if (warp < layout::num_sums) {
    const int first = layout::first_digit(warp) / 2;
    auto* const spare = reinterpret_cast<std::uint32_t*>(sum_of(*state, warp));
    own = leading_of_words(total + first, layout::end_digit(warp) / 2 - first,
                           layout::low_exponent(warp), spare);
    sync_warp();  // digits read above are overwritten below
    if (warp == 1 && lane_rank() == 0) std::memcpy(spare, &own.bits, sizeof(own.bits));
  }
  sync_block();  // the bits written above are read below
  bool is_left = false;
  if (threadIdx.x == 0) {
    leading_bits squares;
    std::memcpy(&squares, sum_of(*state, 1), sizeof(squares));
    const exact_counts counts = counts_in(total + layout::num_digits / 2, items);
    is_left = !finish_bits(f, counts, own.bits, squares, sink.out);
  }
  if (!sync_block_any(is_left)) return;
  make_state<Term>(total, items, state);
  sync_block();  // the state written above is read below
  if (threadIdx.x == 0) finish_limbs(f, *state, sink.out);
}

/// The counts of a state of so many items whose sum is short.
template <class Term>
MONOFOLD_GPU exact_counts counts_of_short(const short_sums<Term>& own, std::int64_t items) {
  return {items, 0, 0, 0, own.minus_zeros};
}

/// high * 2^shift + low in two's complement, where shift is less than 64 and high below 2^126 in magnitude.
MONOFOLD_GPU uint256 limbs_of_two(int128 high, int shift, int128 low) {
  const uint128 lower = (static_cast<uint128>(high) << shift) + static_cast<uint128>(low);
  const int128 carry = lower < static_cast<uint128>(low) ? 1 : 0;
  const int128 upper = ((high >> (127 - shift)) >> 1) + (low < 0 ? -1 : 0) + carry;
  return {{static_cast<std::uint64_t>(lower), static_cast<std::uint64_t>(lower >> 64),
           static_cast<std::uint64_t>(upper), static_cast<std::uint64_t>(upper >> 64)}};
}

/// Limb i of part p of short sums, placed as in the number of its sum. Bits below the grid of that number are zeros.
template <class Term>
MONOFOLD_GPU std::uint64_t limb_of_part(const short_sums<Term>& own, int p, int i) {
  using format = term_format<Term>;
  // The limb begins so far above the lowest bit of the value.
  const int from = 64 * i - (short_sums<Term>::exponent(own.max_exponent, p) -
                             format::layout::low_exponent(format::part_sum(p)));
  if (from <= -64) return 0;
  if (from < 0) return static_cast<std::uint64_t>(own.value[p]) << -from;
  return static_cast<std::uint64_t>(own.value[p] >> (from < 127 ? from : 127));
}

/// The same, of sums with rests.
template <class Term>
MONOFOLD_GPU std::uint64_t limb_of_part(const sums_and_rests<Term, true>& own, int p, int i) {
  using sums = sums_and_rests<Term, true>;
  if (p != sums::last) {
    return limb_of_part(static_cast<const short_sums<Term>&>(own), p, i);
  }
  using format = term_format<Term>;
  const uint256 whole = limbs_of_two(own.value[p], sums::depth, own.rest);
  const int from = 64 * i - (sums::rest_exponent(own.max_exponent) -
                             format::layout::low_exponent(format::part_sum(p)));
  const auto limb_at = [&](int j) -> std::uint64_t {
    if (j < 0) return 0;
    return j < 4 ? whole.limb[j] : whole.limb[3] >> 63 != 0 ? ~std::uint64_t{0} : 0;
  };
  const int first = from >> 6;
  const int shift = from & 63;
  return limb_at(first) >> shift | limb_at(first + 1) << 1 << (63 - shift);
}

/// Makes the state of short sums, which all threads have.
///
/// sync       all threads of the block; no barrier behind the last write of `state`
template <class Term, class Sums, class State>
MONOFOLD_GPU void make_short_state(const Sums& own, std::int64_t items, State* state) {
  using layout = typename term_format<Term>::layout;
  static_assert(short_sums<Term>::is_mailable, "a part a sum");
  const auto rank = static_cast<int>(threadIdx.x);
  const int warp = rank / warp_lanes;
  MONOFOLD_UNROLL
  for (int s = 0; s < layout::num_sums; ++s) {
    const int limbs = (layout::end_digit(s) - layout::first_digit(s)) / 4;
    if (warp != s) continue;
    for (int i = lane_rank(); i < limbs; i += warp_lanes) {
      sum_of(*state, s)[i] = limb_of_part(own, s, i);
    }
  }
  if (rank == layout::num_sums * warp_lanes) counts_of(*state) = counts_of_short(own, items);
}

/// Makes the state of short sums, or the answer, and gives it to `sink`.
///
/// sync       all threads of the block
template <class Term, class F, class Sums, class State, class Sink>
MONOFOLD_GPU void finish_short(const F& f, const Sums& own, std::int64_t items, State* state,
                               const Sink& sink) {
  make_short_state<Term>(own, items, state);
  sync_block();  // the state written above is read below
  store_state(f, *state, sink);
}

/// The leading bits of (high * 2^shift + low) * 2^exponent, see `limbs_of_two`.
MONOFOLD_GPU leading_number leading_of_two(int128 high, int shift, int128 low, int exponent) {
  return leading_of(limbs_of_two(high, shift, low).limb, 4, exponent);
}

/// The leading bits of a short sum.
template <class Term>
MONOFOLD_GPU leading_number leading_of_short(const short_sums<Term>& own, int sum) {
  using sums = short_sums<Term>;
  using format = term_format<Term>;
  if constexpr (!sums::is_mailable) {
    // The last sum is of two parts, the upper one first.
    constexpr int low_part = sums::parts - 1;
    if (sum == format::part_sum(low_part)) {
      const int unit = sums::exponent(own.max_exponent, low_part);
      return leading_of_two(own.value[low_part - 1],
                            sums::exponent(own.max_exponent, low_part - 1) - unit,
                            own.value[low_part], unit);
    }
  }
  const bool is_negative = own.value[sum] < 0;
  const auto size = static_cast<uint128>(own.value[sum]);
  return {leading_of(is_negative ? 0 - size : size, sums::exponent(own.max_exponent, sum)),
          is_negative};
}

/// The same of sums with rests.
template <class Term>
MONOFOLD_GPU leading_number leading_of_short(const sums_and_rests<Term, true>& own, int sum) {
  using sums = sums_and_rests<Term, true>;
  if (sum == sums::last) {
    return leading_of_two(own.value[sum], sums::depth, own.rest,
                          sums::rest_exponent(own.max_exponent));
  }
  return leading_of_short(static_cast<const short_sums<Term>&>(own), sum);
}

template <class Term, finishes_by_leading F, class Sums, class Number, class Answer>
MONOFOLD_GPU void finish_short(const F& f, const Sums& own, std::int64_t items,
                               exact_state<Number>*, const answer_sink<Answer>& sink) {
  if (threadIdx.x != 0) return;
  *sink.out = finish_number(f, counts_of_short(own, items), leading_of_short(own, 0));
}

template <class Term, finishes_by_leading F, class Sums, class Item, class Answer>
MONOFOLD_GPU void finish_short(const F& f, const Sums& own, std::int64_t items,
                               exact_moments_state<Item>* state, const answer_sink<Answer>& sink) {
  bool is_left = false;
  if (threadIdx.x == 0) {
    is_left = !finish_bits(f, counts_of_short(own, items), leading_of_short(own, 0).bits,
                           leading_of_short(own, 1).bits, sink.out);
  }
  if (!sync_block_any(is_left)) return;
  make_short_state<Term>(own, items, state);
  sync_block();  // the state written above is read below
  if (threadIdx.x == 0) finish_limbs(f, *state, sink.out);
}

}  // namespace monofold::detail
