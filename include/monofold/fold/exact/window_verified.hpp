#pragma once
/// fold/exact/window_verified: sums of moving windows, where the processor says whether anything was rounded.

#include <cstdint>
#include <cstring>

#include "monofold/fold/exact/few.hpp"
#include "monofold/fold/exact/vectors.hpp"
#include "monofold/fold/exact/verified_sweep.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/rounding_flags.hpp"
#include "monofold/platform/strict_arithmetic.hpp"

namespace monofold::detail {

/// A sum as high + low, apart as those of sum_of_two, and what was seen while it moved.
struct window_parts {
  double high;
  double low;
  std::int64_t minus_zeros;  // of the window, once it has moved
  bool any_minus_zero;       // among the items that entered
  bool any_zero;             // among the sums
  bool fits;                 // all of it: else the rest means nothing
};

#if defined(MONOFOLD_QUIET_VECTORS) && MONOFOLD_STRICT_DOUBLES

/// Vectors of eight doubles by instructions that raise no flag, or that gcc 12 takes apart.
struct quiet_lanes {
  using real = lanes<64>::real;
  using whole = lanes<64>::whole;

  MONOFOLD_INLINE static void add(const real& a, const real& b, real& out) {
    __asm__("vaddpd {%{rn-sae%}, %2, %1, %0|%0, %1, %2, %{rn-sae%}}" : "=v"(out) : "v"(a), "v"(b));
  }
  MONOFOLD_INLINE static void subtract(const real& a, const real& b, real& out) {
    __asm__("vsubpd {%{rn-sae%}, %2, %1, %0|%0, %1, %2, %{rn-sae%}}" : "=v"(out) : "v"(a), "v"(b));
  }
  /// The last `up` lanes of `before`, then the first ones of `own`.
  template <int up>
  MONOFOLD_INLINE static void move_up(const real& before, const real& own, real& out) {
    __asm__("valignq {%3, %2, %1, %0|%0, %1, %2, %3}"
            : "=v"(out)
            : "v"(own), "v"(before), "i"(8 - up));
  }
  /// Picks the lanes at these places, where those of b follow those of a.
  MONOFOLD_INLINE static void pick(const real& a, const real& b, const whole& places, real& out) {
    out = a;
    __asm__("vpermt2pd {%2, %1, %0|%0, %1, %2}" : "+v"(out) : "v"(places), "v"(b));
  }
  MONOFOLD_INLINE static void keep_least(const real& x, whole& least) {
    __asm__("vpminsq {%1, %0, %0|%0, %0, %1}" : "+v"(least) : "v"(x));
  }
  /// The lanes whose bits differ.
  MONOFOLD_INLINE static unsigned differ(const real& a, const real& b) {
    unsigned char mask;
    __asm__("vpcmpneqq {%2, %1, %0|%0, %1, %2}" : "=k"(mask) : "v"(a), "v"(b));
    return mask;
  }
  /// The lanes where a < b, or a = b.
  MONOFOLD_INLINE static unsigned less(const real& a, const real& b) {
    unsigned char mask;
    __asm__("vcmplt_oqpd {%2, %1, %0|%0, %1, %2}" : "=k"(mask) : "v"(a), "v"(b));
    return mask;
  }
  MONOFOLD_INLINE static unsigned equal(const real& a, const real& b) {
    unsigned char mask;
    __asm__("vcmpeqpd {%2, %1, %0|%0, %1, %2}" : "=k"(mask) : "v"(a), "v"(b));
    return mask;
  }
  /// The lanes whose last bit is 1.
  MONOFOLD_INLINE static unsigned odd(const real& a) {
    unsigned char mask;
    const whole one = whole{} + 1;
    __asm__("vptestmq {%2, %1, %0|%0, %1, %2}" : "=k"(mask) : "v"(a), "v"(one));
    return mask;
  }
  MONOFOLD_INLINE static void take_some(unsigned mask, const real& from, real& to) {
    __asm__("vmovapd {%1, %0%{%2%}|%0%{%2%}, %1}"
            : "+v"(to)
            : "v"(from), "Yk"(static_cast<unsigned char>(mask)));
  }
  /// Loads the first `count` lanes; the others are 0.
  MONOFOLD_INLINE static void load(const double* from, int count, real& out) {
    if (count >= 8) {
      std::memcpy(&out, from, 64);
    } else {
      out = real{};
      load_first(from, count, out);
    }
  }
  MONOFOLD_INLINE static void store(const real& from, int count, double* to) {
    if (count >= 8) {
      std::memcpy(to, &from, 64);
    } else {
      store_first(from, count, to);
    }
  }
};

/// The sums of the last eight differences, each by three additions.
struct eight_sums {
  using real = quiet_lanes::real;

  real ones = {}, twos = {}, fours = {};  // those of the vector before

  MONOFOLD_INLINE void take(const real& x, real& out) {
    real moved;
    quiet_lanes::move_up<1>(ones, x, moved);
    ones = x;
    const real two = x + moved;
    quiet_lanes::move_up<2>(twos, two, moved);
    twos = two;
    const real four = two + moved;
    quiet_lanes::move_up<4>(fours, four, moved);
    fours = four;
    out = four + moved;
  }
};

/// Sums of windows as upper + lower, each in a lane.
struct slid_sums {
  using real = quiet_lanes::real;

  real upper, lower;

  /// The sum, rounded quietly, and what that left out.
  MONOFOLD_INLINE void round(real& high) const {
    real one = real{} + 1.0;
    multiply_add_quietly(upper, one, lower, high);
  }
  MONOFOLD_INLINE void rest_of(const real& high, real& low) const {
    real b_part, a_part, b_rest, a_rest;
    quiet_lanes::subtract(high, upper, b_part);
    quiet_lanes::subtract(high, b_part, a_part);
    quiet_lanes::subtract(upper, a_part, a_rest);
    quiet_lanes::subtract(lower, b_part, b_rest);
    quiet_lanes::add(a_rest, b_rest, low);
  }
};

/// Items, or numbers for as many windows, one after the other: those at even places and those at odd ones.
struct even_and_odd {
  using real = quiet_lanes::real;
  using whole = quiet_lanes::whole;

  whole evens = {0, 2, 4, 6, 8, 10, 12, 14}, odds = {1, 3, 5, 7, 9, 11, 13, 15};
  whole first = {0, 8, 1, 9, 2, 10, 3, 11}, second = {4, 12, 5, 13, 6, 14, 7, 15};

  MONOFOLD_INLINE void part(const real (&in_line)[2], real& even, real& odd) const {
    quiet_lanes::pick(in_line[0], in_line[1], evens, even);
    quiet_lanes::pick(in_line[0], in_line[1], odds, odd);
  }
  MONOFOLD_INLINE void load(const double* from, int count, real (&in_line)[2]) const {
    quiet_lanes::load(from, count, in_line[0]);
    quiet_lanes::load(from + 8, count > 8 ? count - 8 : 0, in_line[1]);
  }
  MONOFOLD_INLINE void store(const real& even, const real& odd, int count, double* to) const {
    real out;
    quiet_lanes::pick(even, odd, first, out);
    quiet_lanes::store(out, count, to);
    if (count <= 8) return;
    quiet_lanes::pick(even, odd, second, out);
    quiet_lanes::store(out, count - 8, to + 8);
  }
};

/// A window's sum, in lanes for each second of sixteen windows one after the other: items go by pairs, and what the
/// second one of a pair has added is taken away for the windows between.
///
/// Items are cut at an anchor, rounded quietly. All other additions raise a flag where they are not exact: where none
/// was raised both parts make up each item, and both sums are those of their parts, however large the items are. A
/// NaN, which raises none, stays in the last sum.
struct verified_slide {
  using real = quiet_lanes::real;

  real anchor;
  real one = real{} + 1.0;
  slid_sums odd, even;
  eight_sums uppers, lowers;

  MONOFOLD_INLINE verified_slide(double at, double high, double low) : anchor(real{} + at) {
    keep_rounded(one);
    real part[2], rest[2];
    cut(real{} + high, part[0], rest[0]);
    cut(real{} + low, part[1], rest[1]);
    odd.upper = part[0] + part[1];
    odd.lower = rest[0] + rest[1];
  }
  MONOFOLD_INLINE void cut(const real& x, real& part, real& rest) const {
    real sum;
    multiply_add_quietly(x, one, anchor, sum);
    part = sum - anchor;
    rest = x - part;
  }
  /// Those of even places, and of odd ones.
  MONOFOLD_INLINE void take(const real& first, const real& second) {
    real part[2], rest[2];
    cut(first, part[0], rest[0]);
    cut(second, part[1], rest[1]);
    add(part, rest);
  }
  MONOFOLD_INLINE void take(const real (&leaving)[2], const real (&entering)[2]) {
    real part[2], rest[2], part_out, rest_out;
    for (int p = 0; p < 2; ++p) {
      cut(entering[p], part[p], rest[p]);
      cut(leaving[p], part_out, rest_out);
      part[p] -= part_out;
      rest[p] -= rest_out;
    }
    add(part, rest);
  }

 private:
  MONOFOLD_INLINE void add(const real (&part)[2], const real (&rest)[2]) {
    real sum;
    uppers.take(part[0] + part[1], sum);
    odd.upper += sum;
    even.upper = odd.upper - part[1];
    lowers.take(rest[0] + rest[1], sum);
    odd.lower += sum;
    even.lower = odd.lower - rest[1];
  }
};

/// Sums over a count, rounded once.
///
/// A quotient nearby leaves a rest that is exact where no flag is raised. The rest over the count lies between its
/// products with both inverses, and so do what these round to: they are alike, or the exact middle decides.
struct verified_quotients {
  using real = quiet_lanes::real;

  real divisor, inverse, below, above;

  MONOFOLD_INLINE explicit verified_quotients(double by)
      : divisor(real{} + by), inverse(real{} + 1 / by) {
    // The inverse is off by 2^-53 of itself, and so is each of these.
    below = inverse * (1 - 0x1p-50);
    above = inverse * (1 + 0x1p-50);
  }
  MONOFOLD_INLINE void take(const slid_sums& sum, real& found) const {
    real high, q, most, rest;
    sum.round(high);
    multiply_quietly(high, inverse, q);
    multiply_add<64>(q, -divisor, high, rest);
    rest += (sum.upper - high) + sum.lower;
    multiply_add_quietly(rest, below, q, found);
    multiply_add_quietly(rest, above, q, most);
    const unsigned doubt = quiet_lanes::differ(found, most);
    if (__builtin_expect(doubt != 0, 0)) choose(doubt, q, rest, most, found);
  }

 private:
  /// In lanes of doubt there are neighbours: the rest is compared with that of the middle between them, times the
  /// count.
  MONOFOLD_INLINE void choose(unsigned doubt, const real& q, const real& rest, const real& other,
                              real& found) const {
    const real middle = ((found - q) + (other - found) * 0.5) * divisor;
    const unsigned beyond = quiet_lanes::less(rest, middle) ^ quiet_lanes::less(found, other);
    const unsigned at_middle = quiet_lanes::equal(rest, middle);
    const unsigned takes_other =
        at_middle != 0 ? (at_middle & quiet_lanes::odd(found)) | (~at_middle & beyond) : beyond;
    quiet_lanes::take_some(doubt & takes_other, other, found);
  }
};

/// What a window's sums are asked for as.
enum class slid_as { sums, sums_and_rests, means };

/// How many doubles have these bits.
MONOFOLD_INLINE std::int64_t count_bits(const double* items, int count, std::int64_t wanted) {
  using whole = lanes<32>::whole;
  whole found = {};
  for (int at = 0; at < count; at += 4) {
    whole x = whole{} + ~wanted;
    std::memcpy(&x, items + at, count - at < 4 ? static_cast<std::size_t>(count - at) * 8 : 32);
    found -= x == wanted;
  }
  return found[0] + found[1] + found[2] + found[3];
}

/// A block of windows: where it lies, and what becomes of it.
struct verified_block {
  const double* leaving;  // null: nothing leaves
  const double* entering;
  int count;
  double anchor;
  std::int64_t divisor;  // of means
  double* high;          // sums, or means
  double* low;           // rests
};

template <slid_as kind, bool grows = false>
MONOFOLD_INLINE void slide_verified_as(const verified_block& block, window_parts& sum) {
  using real = quiet_lanes::real;
  const rounding_flags flags;
  verified_quotients quotients(static_cast<double>(block.divisor));
  seen_by(flags, quotients.below);
  seen_by(flags, quotients.above);
  flags.clear();  // the inverses were rounded
  verified_slide own(block.anchor, sum.high, sum.low);
  lanes<64>::whole least = {};
  const even_and_odd turns;
  const auto take = [&](int at, int n) __attribute__((always_inline)) {
    real in_line[2], leaving[2], entering[2], even, odd;
    turns.load(block.entering + at, n, in_line);
    quiet_lanes::keep_least(in_line[0], least);
    quiet_lanes::keep_least(in_line[1], least);
    turns.part(in_line, entering[0], entering[1]);
    if constexpr (grows) {
      own.take(entering[0], entering[1]);
    } else {
      turns.load(block.leaving + at, n, in_line);
      turns.part(in_line, leaving[0], leaving[1]);
      own.take(leaving, entering);
    }
    if constexpr (kind == slid_as::means) {
      quotients.take(own.even, even);
      quotients.take(own.odd, odd);
    } else {
      own.even.round(even);
      own.odd.round(odd);
    }
    turns.store(even, odd, n, block.high + at);
    if constexpr (kind == slid_as::sums_and_rests) {
      real even_rest, odd_rest;
      own.even.rest_of(even, even_rest);
      own.odd.rest_of(odd, odd_rest);
      turns.store(even_rest, odd_rest, n, block.low + at);
    }
  };
  int at = 0;
  for (; at + 16 <= block.count; at += 16) take(at, 16);
  if (at < block.count) take(at, block.count - at);
  seen_by(flags, own.odd.upper);
  seen_by(flags, own.odd.lower);
  const double upper = own.odd.upper[7], lower = own.odd.lower[7];
  sum.fits = !flags.any() && upper - upper == 0 && lower - lower == 0;
  const sum_and_rest last(upper, lower);
  sum.high = last.sum;
  sum.low = last.rest;
  sum.any_minus_zero = sum.any_zero = false;
  bool any = sum.minus_zeros != 0;
  for (int i = 0; i < 8; ++i) any |= least[i] == INT64_MIN;
  if (!any) return;
  // Rare, and looked for apart; the zeros of means are not those of sums.
  const std::int64_t entered = count_bits(block.entering, block.count, INT64_MIN);
  sum.minus_zeros += entered;
  if constexpr (!grows) sum.minus_zeros -= count_bits(block.leaving, block.count, INT64_MIN);
  sum.any_minus_zero = entered != 0;
  sum.any_zero = kind == slid_as::means || count_bits(block.high, block.count, 0) != 0;
}

/// As `slide_block`, of any items, or the means; a block without flags is right, and `sum.fits` says so.
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi2"), noinline)) inline void
slide_verified(const verified_block& block, window_parts& sum) {
  const strict_arithmetic arithmetic;
  if (block.leaving == nullptr) {
    if (block.low != nullptr) {
      slide_verified_as<slid_as::sums_and_rests, true>(block, sum);
    } else {
      slide_verified_as<slid_as::sums, true>(block, sum);
    }
  } else if (block.divisor != 0) {
    slide_verified_as<slid_as::means>(block, sum);
  } else if (block.low != nullptr) {
    slide_verified_as<slid_as::sums_and_rests>(block, sum);
  } else {
    slide_verified_as<slid_as::sums>(block, sum);
  }
}

#endif

}  // namespace monofold::detail
