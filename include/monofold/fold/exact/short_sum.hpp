#pragma once
/// fold/exact/short_sum: the exact sum of a few items, in one integer of 128 bits.

#include <cstdint>
#include <type_traits>

#include "monofold/fold/exact/leading.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/status.hpp"

namespace monofold::detail {

/// So many items are summed this way, where their exponents allow it.
inline constexpr int most_short = 64;
inline constexpr int short_bits = 127 - 7;  // 7: for the carries of 64 items

template <class Term>
inline constexpr bool is_magnitude_v = false;
template <class Item>
inline constexpr bool is_magnitude_v<magnitude_term<Item>> = true;

/// True for folds that finish from the counts and the leading bits of a sum of items or of their magnitudes.
template <class F>
inline constexpr bool has_short_sum_v = requires(const F& f, const exact_counts& counts,
                                                 const leading_number& sum) {
  requires std::is_same_v<typename F::term, value_term<typename F::term::item>> ||
      is_magnitude_v<typename F::term>;
  f.finish_leading(counts, sum);
};

/// The sum of 1 to `most_short` items; false where it is for the long way: an item is not finite, or their
/// exponents lie too far apart.
///
/// order      exact: any
/// cost       two passes; no loop depends on the size of a state, which is 312 bytes for float64
/// tested by  tests/exact/short_sum_test.cpp
template <class Term>
MONOFOLD_INLINE bool sum_few(const typename Term::item* items, int count, exact_counts& counts,
                             leading_number& sum) {
  using format = float_format<typename Term::item>;
  constexpr bool magnitudes = is_magnitude_v<Term>;
  constexpr std::uint64_t sign = format::sign_bit;
  constexpr std::uint64_t implied = std::uint64_t{1} << format::fraction_bits;
  constexpr int special = 2 * format::max_exponent - 1;
  // The field of a subnormal number means the exponent of 1; zeros have none and lie nowhere.
  int high = 1;
  int low = special;
  bool other = magnitudes;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t bits = float_bits(items[i]);
    const std::uint64_t size = bits & (sign - 1);
    const int field = static_cast<int>(size >> format::fraction_bits);
    const int lowest = size == 0 ? special : field;
    high = field > high ? field : high;
    low = lowest < low ? lowest : low;
    other |= bits != sign;
  }
  if (high == special) return false;
  if (low > high) low = high;  // nothing but zeros
  if (low == 0) low = 1;
  if (high - low + format::precision > short_bits) return false;
  int128 total = 0;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t bits = float_bits(items[i]);
    const std::uint64_t size = bits & (sign - 1);
    const int field = static_cast<int>(size >> format::fraction_bits);
    const std::uint64_t significand = (size & (implied - 1)) | (field != 0 ? implied : 0);
    const int shift = field > low ? field - low : 0;
    const auto term = static_cast<int128>(uint128{significand} << shift);
    total += !magnitudes && (bits & sign) != 0 ? -term : term;
  }
  const bool negative = total < 0;
  const auto magnitude = static_cast<uint128>(negative ? -total : total);
  counts = {count, 0, 0, 0, other ? 1 : 0};
  sum = {leading_of(magnitude, format::least_exponent + low - 1), negative};
  return true;
}

}  // namespace monofold::detail
