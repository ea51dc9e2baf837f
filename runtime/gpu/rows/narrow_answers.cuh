#pragma once
/// runtime/gpu/rows/narrow_answers: answers of a few rows at once that are narrower than the doubles which decide them.
///
/// What all rows have in common is done once, and nothing branches between the rows: so the instructions of one are
/// there while another waits.

#include <cstdint>
#include <type_traits>

#include "monofold/platform/dtype.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/rounded.hpp"
#include "runtime/gpu/rows/row_answers.cuh"

namespace monofold::runtime {

/// The bits of the answers that numbers from `low` to `high` have; a bit for each that is not decided, because these
/// have two, or a 16-bit one is neither normal nor 0.
template <int count>
MONOFOLD_GPU std::uint32_t narrowed_between(const double (&low)[count], const double (&high)[count],
                                            dtype to, std::uint32_t (&bits)[count]) {
  if (to == dtype::float64) return (std::uint32_t{1} << count) - 1;
  std::uint32_t left = 0;
  if (to == dtype::float32) {
    MONOFOLD_UNROLL
    for (int i = 0; i < count; ++i) {
      bits[i] = bits_as<std::uint32_t>(static_cast<float>(low[i]));
      if (bits[i] != bits_as<std::uint32_t>(static_cast<float>(high[i]))) left |= 1u << i;
    }
    return left;
  }
  const auto narrow = [&]<class Half>(Half) {
    MONOFOLD_UNROLL
    for (int i = 0; i < count; ++i) {
      std::uint64_t one = 0;
      std::uint64_t other = 0;
      const bool is_low_there = narrowed_normal<Half>(low[i], one);
      const bool is_high_there = narrowed_normal<Half>(high[i], other);
      using monofold::detail::bits_but_sign;
      const bool is_zero = (bits_but_sign(low[i]) | bits_but_sign(high[i])) == 0;
      const std::uint32_t is_one_there =
          (is_low_there ? 1u : 0u) & (is_high_there ? 1u : 0u) & (one == other ? 1u : 0u);
      bits[i] = static_cast<std::uint32_t>(is_zero ? bits_as<std::uint64_t>(low[i]) >> 48 : one);
      left |= (is_zero ? 0u : is_one_there ^ 1u) << i;
    }
  };
  if (to == dtype::bfloat16) {
    narrow(bfloat16{});
  } else {
    narrow(float16{});
  }
  return left;
}

/// The same of numbers that are less than `away` from `near`.
template <int count>
MONOFOLD_GPU std::uint32_t narrowed_around(const double (&near)[count], const double (&away)[count],
                                           dtype to, std::uint32_t (&bits)[count]) {
  double low[count];
  double high[count];
  MONOFOLD_UNROLL
  for (int i = 0; i < count; ++i) {
    low[i] = rounded_sum(near[i], -away[i]);
    high[i] = rounded_sum(near[i], away[i]);
  }
  return narrowed_between(low, high, to, bits);
}

/// The bits of the answers that numbers have which are 0 where `near` is, and else positive: a bit for each that is no
/// normal number.
///
/// shape      near: nearer to the number than a quarter of what lies between two answers. side(i, m): below 0, 0 or
///            above 0 where number i is less than m, m, or more
template <int count, class Side>
MONOFOLD_GPU std::uint32_t narrowed_by_sides(const double (&near)[count], dtype to,
                                             const Side& side, std::uint32_t (&bits)[count]) {
  std::uint32_t left = 0;
  const auto narrow = [&]<class Real>(Real) {
    using format = float_format<Real>;
    constexpr int cut = bits_cut<Real>;
    using word = std::conditional_t<(cut > 32), std::uint32_t, std::uint64_t>;
    constexpr std::uint64_t unit = std::uint64_t{1} << cut;
    constexpr word least = word{1} << format::fraction_bits;
    constexpr int bias_gap = float_format<double>::max_exponent - format::max_exponent;
    MONOFOLD_UNROLL
    for (int i = 0; i < count; ++i) {
      // The middle above the answer that near's upper bits are. Where near and the number lie on both sides of that
      // answer, or of the next one, this is still what is rounded to, because no middle is between them.
      const auto own = bits_as<std::uint64_t>(near[i]);
      const double at = side(i, bits_as<double>((own & ~(unit - 1)) | unit / 2));
      const auto lower = static_cast<word>(own >> cut);
      const bool is_up = at > 0 || (at == 0 && (lower & 1) != 0);
      const word found = lower + (is_up ? 1 : 0) - (word{bias_gap} << format::fraction_bits);
      const bool is_normal = found - least < static_cast<word>(format::infinity) - least;
      bits[i] = near[i] == 0 ? 0 : static_cast<std::uint32_t>(found);
      left |= (near[i] == 0 || is_normal ? 0u : 1u) << i;
    }
  };
  switch (to) {
    case dtype::float32: narrow(float{}); break;
    case dtype::bfloat16: narrow(bfloat16{}); break;
    case dtype::float16: narrow(float16{}); break;
    default: return (std::uint32_t{1} << count) - 1;
  }
  return left;
}

}  // namespace monofold::runtime
