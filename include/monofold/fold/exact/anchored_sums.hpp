#pragma once
/// fold/exact/anchored_sums: sums of some thousand doubles, of their squares and of products, in one pass by vectors.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "monofold/fold/exact/accumulator.hpp"
#include "monofold/fold/exact/anchors.hpp"
#include "monofold/fold/exact/bin_vectors.hpp"
#include "monofold/fold/exact/few_vectors.hpp"
#include "monofold/fold/exact/sum_of_two.hpp"
#include "monofold/fold/exact/sweep.hpp"
#include "monofold/fold/exact/vectors.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/instruction_set.hpp"
#include "monofold/platform/strict_arithmetic.hpp"

#if defined(MONOFOLD_EXACT_X86)

namespace monofold::detail {

// One look at so few items tells where bins must stand to hold them all. Bins are those of fold/exact/anchors with room
// for all items in one lane, so that lanes and bins are added up as doubles, without error.

/// The smallest and the largest of some doubles, of zeros either.
struct double_range {
  double least;
  double most;

  double magnitude() const { return -least > most ? -least : most; }
};

/// A number that is high + low, |low| at most half a unit of high, give or take `lost`.
using doubtful_sum = sum_of_two;

/// Calls take(i, n, v) for vectors of items [i, i + n), the last one perhaps of fewer, by chain v of `num`.
template <int bytes, int num, class Take>
MONOFOLD_INLINE void by_vectors(std::int64_t count, const Take& take) {
  constexpr std::int64_t width = bytes / 8;
  std::int64_t i = 0;
  for (; i + num * width <= count; i += num * width) {
    unrolled<num>([&](auto v) __attribute__((always_inline)) { take(i + v * width, width, v); });
  }
  for (; i < count; i += width) {
    take(i, count - i < width ? count - i : width, std::integral_constant<int, 0>{});
  }
}

/// The next items; `other` where there are none.
template <class Vector>
MONOFOLD_INLINE void load_doubles(const double* from, std::int64_t count, double other,
                                  Vector& out) {
  if (count == sizeof(Vector) / 8) {
    std::memcpy(&out, from, sizeof(out));
    return;
  }
  out = Vector{} + other;
#if !defined(__clang__)
  if constexpr (sizeof(Vector) == 64) return load_first(from, static_cast<int>(count), out);
#endif
  for (std::int64_t l = 0; l < count; ++l) out[l] = from[l];
}

/// a < b ? a : b in each lane, or a > b. By name: of the comparison gcc makes two instructions.
template <bool largest, class Vector>
MONOFOLD_INLINE void take_extremum(const Vector& a, const Vector& b, Vector& out) {
#if !defined(__clang__)
  if constexpr (largest) {
    __asm__("vmaxpd {%2, %1, %0|%0, %1, %2}" : "=v"(out) : "v"(a), "v"(b));
  } else {
    __asm__("vminpd {%2, %1, %0|%0, %1, %2}" : "=v"(out) : "v"(a), "v"(b));
  }
#else
  out = (largest ? a > b : a < b) ? a : b;
#endif
}

/// lost |= a ^ b, of their bits. By name: gcc makes two instructions of it.
template <class Vector, class Whole>
MONOFOLD_INLINE void note_difference(const Vector& a, const Vector& b, Whole& lost) {
#if !defined(__clang__)
  if constexpr (sizeof(Vector) == 64) {
    __asm__("vpternlogq {$0xf6, %2, %1, %0|%0, %1, %2, 0xf6}" : "+v"(lost) : "v"(a), "v"(b));
    return;
  }
#endif
  lost |= (Whole)a ^ (Whole)b;  // NOLINT: the bits
}

/// `sees_nan`: `out.most` is NaN where an item is; else NaN behind the first item are passed over.
template <bool sees_nan>
struct range_work {
  const double* items;
  std::int64_t count;
  double_range& out;

  template <int bytes>
  MONOFOLD_INLINE void run() const {
    MONOFOLD_AS_WRITTEN
    constexpr int num = 4;  // to hide the latency of the operation
    using real = typename lanes<bytes>::real;
    real least[num], most[num];
    [[maybe_unused]] real none[num] = {};  // what numbers less themselves are
    for (int v = 0; v < num; ++v) least[v] = most[v] = real{} + items[0];
    by_vectors<bytes, num>(
        count, [&](auto i, auto n, auto v) __attribute__((always_inline)) {
          MONOFOLD_AS_WRITTEN
          real x;
          load_doubles(items + i, n, items[0], x);
          take_extremum<false>(x, least[v], least[v]);
          take_extremum<true>(x, most[v], most[v]);
          if constexpr (sees_nan) none[v] += x - x;
        });
    for (int v = 1; v < num; ++v) {
      take_extremum<false>(least[v], least[0], least[0]);
      take_extremum<true>(most[v], most[0], most[0]);
      if constexpr (sees_nan) none[0] += none[v];
    }
    out = {least[0][0], most[0][0]};
    for (int l = 1; l < bytes / 8; ++l) {
      if (least[0][l] < out.least) out.least = least[0][l];
      if (most[0][l] > out.most) out.most = most[0][l];
    }
    for (int l = 0; sees_nan && l < bytes / 8; ++l) out.most += none[0][l];
  }
};

/// The largest magnitude, by bits: of NaN, and of infinities, what is no number.
struct magnitude_work {
  const double* items;
  std::int64_t count;
  double& out;

  template <int bytes>
  MONOFOLD_INLINE void run() const {
    constexpr int num = 4;  // to hide the latency of the operation
    using real = typename lanes<bytes>::real;
    using whole = typename lanes<bytes>::whole;
    whole most[num] = {};
    by_vectors<bytes, num>(
        count, [&](auto i, auto n, auto v) __attribute__((always_inline)) {
          real x;
          load_doubles(items + i, n, 0, x);
          take_larger((whole)x & INT64_MAX, most[v]);  // NOLINT: the bits
        });
    for (int v = 1; v < num; ++v) take_larger(most[v], most[0]);
    std::int64_t all = 0;
    for (int l = 0; l < bytes / 8; ++l) all = most[0][l] > all ? most[0][l] : all;
    out = bits_as<double>(static_cast<std::uint64_t>(all));
  }

 private:
  template <class Vector>
  MONOFOLD_INLINE static void take_larger(const Vector& x, Vector& most) {
#if !defined(__clang__)
    if constexpr (sizeof(Vector) == 64) {
      __asm__("vpmaxsq {%1, %0, %0|%0, %0, %1}" : "+v"(most) : "v"(x));
      return;
    }
#endif
    most = x > most ? x : most;
  }
};

/// The two bins that a sum of `count` terms below 2^max_exponent begins with.
struct two_anchors {
  double first, second;

  two_anchors(int max_exponent, std::int64_t count) {
    const int headroom = bit_width_of(static_cast<std::uint64_t>(count)) + 1;
    first = bits_as<double>(anchor_bits(bin_exponent(max_exponent, headroom, 0)));
    second = bits_as<double>(anchor_bits(bin_exponent(max_exponent, headroom, 1)));
  }
};

/// What lanes have taken since they began.
template <class Vector>
MONOFOLD_INLINE double taken_by(const Vector& bin, double anchor) {
  MONOFOLD_AS_WRITTEN
  double sum = 0;
  for (std::size_t l = 0; l < sizeof(Vector) / 8; ++l) sum += bin[l] - anchor;
  return sum;
}

/// The same of products, whose second bin begins at 0, and rounds. The numbers that it is given, for n products below
/// 2^m with h bits of headroom, are at most 2^(m + h - 53), and rounded; a lane's n / 4 of them at most are added up
/// with as many roundings of numbers that are not larger than them together.
struct products_sum {
  double anchor, doubt;

  products_sum(int max_exponent, std::int64_t count)
      : anchor(two_anchors(max_exponent, count).first) {
    const auto n = static_cast<double>(count);
    doubt = n * (n / 8 + 9) * (anchor * 0x1p-106);
  }

  template <class Vector>
  MONOFOLD_INLINE void finish(const Vector& high, const Vector& low, doubtful_sum& out) const {
    add_with_rest<double>(taken_by(high, anchor), taken_by(low, 0), out.high, out.low);
    out.lost = doubt;
  }
};

/// Sums of items, which two doubles hold where `sum.lost` is 0, and where asked of their squares.
template <bool with_squares>
struct moments_work {
  const double* items;
  std::int64_t count;
  int max_exponent;  // all are below 2^max_exponent
  sum_of_two& sum;
  doubtful_sum& squares;

  template <int bytes>
  MONOFOLD_INLINE void run() const {
    MONOFOLD_AS_WRITTEN
    using real = typename lanes<bytes>::real;
    using whole = typename lanes<bytes>::whole;
    const two_anchors anchors(max_exponent, count);
    const products_sum of_squares(with_squares ? 2 * max_exponent : 0, count);
    real high = real{} + anchors.first, low = real{} + anchors.second;
    real square = real{} + of_squares.anchor, square_low = {};
    whole lost = {};
    by_vectors<bytes, 1>(
        count, [&](auto i, auto n, auto) __attribute__((always_inline)) {
          MONOFOLD_AS_WRITTEN
          real x;
          load_doubles(items + i, n, 0, x);
          const real sum_high = high + x;
          const real left = x - (sum_high - high);
          const real sum_low = low + left;
          note_difference(sum_low - low, left, lost);
          high = sum_high;
          low = sum_low;
          if constexpr (with_squares) deposit_product<bytes>(square, square_low, x, x);
        });
    add_with_rest<double>(taken_by(high, anchors.first), taken_by(low, anchors.second), sum.high,
                          sum.low);
    std::int64_t any = 0;
    for (int l = 0; l < bytes / 8; ++l) any |= lost[l];
    sum.lost = sum.high - sum.high + (any << 1 == 0 ? 0 : 1);  // NaN where an item is
    if constexpr (with_squares) of_squares.finish(square, square_low, squares);
  }
};

/// The sum of products of pairs in `out.high`, rounded once, where `out.lost` is 0.
struct products_work {
  const double* left;
  const double* right;
  std::int64_t count;
  int max_exponent;
  sum_of_two& out;

  template <int bytes>
  MONOFOLD_INLINE void run() const {
    MONOFOLD_AS_WRITTEN
    using real = typename lanes<bytes>::real;
    const products_sum all(max_exponent, count);
    real high[2] = {real{} + all.anchor, real{} + all.anchor}, low[2] = {};
    by_vectors<bytes, 2>(
        count, [&](auto i, auto n, auto v) __attribute__((always_inline)) {
          real x, y;
          load_doubles(left + i, n, 0, x);
          load_doubles(right + i, n, 0, y);
          deposit_product<bytes>(high[v], low[v], x, y);
        });
    all.finish(high[0] + (high[1] - all.anchor), low[0] + low[1], out);
    // What these additions round away is below 2^-105 of `high`.
    const double doubt = out.lost + (out.high < 0 ? -out.high : out.high) * 0x1p-104;
    out.lost = out.high + (out.low - doubt) == out.high + (out.low + doubt) ? 0 : 1;
  }
};

/// Where the first item is that has some bits, or the count.
struct find_work {
  const double* items;
  std::int64_t count;
  double item;
  std::int64_t& out;

  template <int bytes>
  MONOFOLD_INLINE void run() const {
    constexpr int width = bytes / 8, at_once = 64;
    using whole = typename lanes<bytes>::bits;
    const auto wanted = bits_as<std::uint64_t>(item);
    std::int64_t i = 0;
    for (; i + at_once <= count; i += at_once) {
      whole seen = whole{} - 1;
      unrolled<at_once / width>([&](auto v) __attribute__((always_inline)) {
        whole x;
        std::memcpy(&x, items + i + v * width, sizeof(x));
        see(x ^ wanted, seen);
      });
      if (has_seen_zero(seen)) break;
    }
    while (i < count && bits_as<std::uint64_t>(items[i]) != wanted) ++i;
    out = i;
  }

 private:
  template <class Whole>
  MONOFOLD_INLINE static void see(const Whole& x, Whole& seen) {
#if !defined(__clang__)
    if constexpr (sizeof(Whole) == 64) {
      __asm__("vpminuq {%1, %0, %0|%0, %0, %1}" : "+v"(seen) : "v"(x));
      return;
    }
#endif
    seen &= ~((x - 1) & ~x);  // the highest bit tells whether x is 0
  }
  template <class Whole>
  MONOFOLD_INLINE static bool has_seen_zero(const Whole& seen) {
#if !defined(__clang__)
    if constexpr (sizeof(Whole) == 64) {
      unsigned char zeros;
      __asm__("vptestnmq {%1, %1, %0|%0, %1, %1}" : "=k"(zeros) : "v"(seen));
      return zeros != 0;
    }
#endif
    std::uint64_t all = ~std::uint64_t{0};
    for (std::size_t l = 0; l < sizeof(Whole) / 8; ++l) all &= seen[l];
    return all >> 63 == 0;
  }
};

struct widen_work {
  const float* items;
  std::int64_t count;
  double* out;

  template <int>
  MONOFOLD_INLINE void run() const {
    for (std::int64_t i = 0; i < count; ++i) out[i] = items[i];
  }
};

template <class Work>
__attribute__((target("avx2,fma,bmi2"), noinline)) void run_avx2(const Work& work) {
  work.template run<32>();
}
template <class Work>
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi2"), noinline)) void
run_avx512(const Work& work) {
  work.template run<64>();
}
/// With vectors of the instruction set in use, which is not the baseline.
template <class Work>
void run_by_vectors(const Work& work) {
  const strict_arithmetic arithmetic;
  instruction_set_in_use() == instruction_set::avx512 ? run_avx512(work) : run_avx2(work);
}

MONOFOLD_INLINE bool is_summable(const double_range& range) {
  const double most = range.magnitude();
  return most > 0x1p-400 && most < 0x1p400;
}
/// False: some are infinite, or where asked NaN, or all too large or too small for sums of squares, as 0 is.
template <bool sees_nan>
bool find_range(const double* items, std::int64_t count, double_range& out) {
  run_by_vectors(range_work<sees_nan>{items, count, out});
  return is_summable(out);
}
MONOFOLD_INLINE int exponent_above(const double_range& range) {
  return static_cast<int>(bits_as<std::uint64_t>(range.magnitude()) >> 52) - 1022;
}

/// From so many items on a look at their range takes less time than a second double a lane.
inline constexpr std::int64_t least_anchored = 128;

/// What a few doubles add up to, all in one function.
struct sum_of_few {
  double_range range;
  sum_of_two sum;
  bool is_known;  // else two doubles do not hold it, or range or -0 forbid it
};
struct sum_of_few_work {
  const double* items;
  std::int64_t count;
  bool refuses_minus_zero;
  sum_of_few& out;

  template <int bytes>
  MONOFOLD_INLINE void run() const {
    out.is_known = false;
    std::int64_t place = count;
    if (refuses_minus_zero) find_work{items, count, -0.0, place}.template run<bytes>();
    range_work<false>{items, count, out.range}.template run<bytes>();  // of NaN the sum is none
    if (place != count || !is_summable(out.range)) return;
    doubtful_sum unused;
    moments_work<false>{items, count, exponent_above(out.range), out.sum, unused}
        .template run<bytes>();
    out.is_known = out.sum.lost == 0;
  }
};

}  // namespace monofold::detail

#endif
