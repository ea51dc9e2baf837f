#pragma once
/// fold/wire: states as integers that an ordinary sum of int64 merges, by MPI or NCCL.

#include <cstdint>
#include <type_traits>
#include <utility>

#include "monofold/fold/adapt.hpp"
#include "monofold/fold/adapt_nan.hpp"
#include "monofold/fold/all.hpp"
#include "monofold/fold/dot.hpp"
#include "monofold/fold/exact/moments.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/fold/exact/sum.hpp"
#include "monofold/fold/exact/sum_words.hpp"
#include "monofold/fold/logical.hpp"
#include "monofold/fold/moments.hpp"
#include "monofold/fold/norm.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/platform/encoding.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/status.hpp"

namespace monofold {

namespace detail {

/// Folds whose states add up, part by part. Overloads for what is derived from them: the state is the base's.
struct adding_folds {
  static std::true_type adds(const count_fold&);
  template <class Item>
  static std::true_type adds(const integer_sum_fold<Item>&);
  template <class Item, nan_rule rule>
  static std::bool_constant<!is_floating_v<Item>> adds(const mean_fold<Item, rule>&);
  template <class Term>
  static std::true_type adds(const exact_terms_fold<Term>&);
  template <class Item>
  static std::true_type adds(const exact_moments_fold<Item>&);
  template <class Item>
  static std::true_type adds(const integer_moments_fold<Item>&);
  template <class Item>
  static std::true_type adds(const integer_norm1_fold<Item>&);
  template <class Item>
  static std::true_type adds(const integer_norm2_fold<Item>&);
  template <class Left, class Right>
  static std::true_type adds(const integer_dot_fold<Left, Right>&);
  template <class Item, nan_rule rule>
  static std::true_type adds(const nonzero_fold<Item, rule>&);
  template <class Item, class Function, class Inner>
  static auto adds(const map_fold<Item, Function, Inner>&)
      -> decltype(adds(std::declval<const Inner&>()));
  template <class Item, class Predicate, class Inner>
  static auto adds(const where_fold<Item, Predicate, Inner>&)
      -> decltype(adds(std::declval<const Inner&>()));
  template <class Item, class Inner>
  static auto adds(const raise_nan_fold<Item, Inner>&)
      -> decltype(adds(std::declval<const Inner&>()));
  template <class... Folds>
  static std::bool_constant<(decltype(adds(std::declval<const Folds&>()))::value && ...)> adds(
      const all_fold<Folds...>&);
};

template <class F>
constexpr bool adding_flag() {
  if constexpr (requires(const F& f) { adding_folds::adds(f); }) {
    return decltype(adding_folds::adds(std::declval<const F&>()))::value;
  }
  return false;
}

/// An integer of several limbs, two's complement, as something that has digits.
template <int count>
struct limbs {
  static constexpr int num_limbs = count;
  std::uint64_t limb[count];
};

template <class T>
inline constexpr bool is_exact_state_v = false;
template <class Number>
inline constexpr bool is_exact_state_v<exact_state<Number>> = true;

/// Hands on the words of a state, or of a part of one: put(word).
template <class T, class Put>
void put_words(const T& value, const Put& put) {
  if constexpr (is_exact_state_v<T>) {
    const auto wire = wire_of(value);
    for (const std::int64_t word : wire.word) put(word);
  } else if constexpr (std::is_same_v<T, int128>) {
    const auto low = static_cast<std::uint64_t>(value);
    put_words(limbs<2>{{low, static_cast<std::uint64_t>(value >> 64)}}, put);
  } else if constexpr (requires { value.limb[0]; }) {
    limbs<sizeof(T) / 8> number;
    for (int i = 0; i < number.num_limbs; ++i) number.limb[i] = value.limb[i];
    for (const std::int64_t digit : digits_of(number).digit) put(digit);
  } else if constexpr (std::is_integral_v<T>) {
    put(static_cast<std::int64_t>(value));
  } else {
    for_each_field(value, [&](const auto& part) { put_words(part, put); });
  }
}

/// Reads the words of one state, or of several added up, and moves past them.
template <class T>
void get_words(const std::int64_t*& words, T& value) {
  if constexpr (is_exact_state_v<T>) {
    exact_wire<typename T::number> wire;
    for (std::int64_t& word : wire.word) word = *words++;
    value = state_of(wire);
  } else if constexpr (std::is_same_v<T, int128>) {
    limbs<2> number;
    get_words(words, number);
    value = static_cast<int128>(uint128{number.limb[1]} << 64 | number.limb[0]);
  } else if constexpr (requires { value.limb[0]; }) {
    exact_digits<limbs<sizeof(T) / 8>> digits;
    for (std::int64_t& digit : digits.digit) digit = *words++;
    const auto number = number_of(digits);
    for (int i = 0; i < number.num_limbs; ++i) value.limb[i] = number.limb[i];
  } else if constexpr (std::is_same_v<T, bool>) {
    value = *words++ != 0;
  } else if constexpr (std::is_integral_v<T>) {
    value = static_cast<T>(*words++);
  } else {
    for_each_field(value, [&](auto& part) { get_words(words, part); });
  }
}

}  // namespace detail

/// Whether states of a fold have words that add up: exact sums, means, norms, moments and dot products of
/// floats, those of integers, counts, and these adapted or side by side in `all`. Not extrema, bits, products.
template <class F>
inline constexpr bool has_wire_v = is_exact_v<F>&& detail::adding_flag<F>();

/// Calls put(word) for each word of a state: as many for every state of the fold.
///
/// order      the words of up to 2^31 - 1 states, added up one by one in any order, are the words of a state:
///            that of all their items, with the bytes that `combine` gives
/// cost       8 bytes for each 4 of a sum, and 8 for each count: 73 words for a sum of float64
/// tested by  tests/exact/wire_test.cpp
template <class F, class Put>
requires has_wire_v<F>
void put_wire(const F&, const typename F::state& value, const Put& put) {
  detail::put_words(value, put);
}

/// The state of words, single or added up; `words` then points behind them.
template <class F>
requires has_wire_v<F>
typename F::state take_wire(const F& f, const std::int64_t*& words) {
  typename F::state value = f.identity();
  detail::get_words(words, value);
  return value;
}

/// The answer of such words; `words` then points behind them.
///
/// cost       of sums, means and norms less than `take_wire`: words that are 0 are passed over
/// tested by  tests/exact/wire_test.cpp
template <class F>
requires has_wire_v<F> result<answer_t<F>> finish_wire(const F& f, const std::int64_t*& words) {
  if constexpr (detail::rounded_sum<F>::known) {
    using number = typename F::state::number;
    const std::int64_t* const digits = words;
    const std::int64_t* const c = digits + exact_digits<number>::num_digits;
    words = c + exact_counts::num_counts;
    return f.finish_leading({c[0], c[1], c[2], c[3], c[4]},
                            detail::leading_of_digits<number>(digits));
  } else {
    return finish_state(f, take_wire(f, words));
  }
}

}  // namespace monofold
