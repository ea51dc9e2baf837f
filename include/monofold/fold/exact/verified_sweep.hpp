#pragma once
/// fold/exact/verified_sweep: deposits a block into bins where the processor says whether anything was rounded.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "monofold/fold/exact/range_lanes.hpp"
#include "monofold/fold/exact/sweep.hpp"
#include "monofold/fold/exact/vectors.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/rounding_flags.hpp"

#if defined(__GNUC__) && !defined(__CUDA_ARCH__)

namespace monofold::detail {

#if defined(MONOFOLD_QUIET_VECTORS)
template <bool wanted>
using flags_of = std::conditional_t<wanted, rounding_flags, no_flags>;

/// out = a * b + c and a * b, rounded, which raises no flag.
MONOFOLD_INLINE void multiply_add_quietly(const lanes<64>::real& a, const lanes<64>::real& b,
                                          const lanes<64>::real& c, lanes<64>::real& out) {
  out = c;
  __asm__("vfmadd231pd {%{rn-sae%}, %2, %1, %0|%0, %1, %2, %{rn-sae%}}"
          : "+v"(out)
          : "v"(a), "v"(b));
}
MONOFOLD_INLINE void multiply_quietly(const lanes<64>::real& a, const lanes<64>::real& b,
                                      lanes<64>::real& out) {
  __asm__("vmulpd {%{rn-sae%}, %2, %1, %0|%0, %1, %2, %{rn-sae%}}" : "=v"(out) : "v"(a), "v"(b));
}

/// Deposits x into bins from `first` on, of which the last must take what is left without rounding.
///
/// The sum of a bin is rounded quietly. Where `taken` and what is left are not, both sums make up x, however large it
/// is. By multiplications as in fold/exact/bin_vectors; `balanced`: of what is left too, where additions are many.
template <int depth, int first, int v, bool balanced = false, class Bins, class Vector>
MONOFOLD_INLINE void deposit_verified(Bins& m, const Vector& x, const Vector& one) {
  Vector left = x;
  unrolled<depth - 1>([&](auto k) __attribute__((always_inline)) {
    Vector& bin = m[first + k][v];
    Vector sum;
    multiply_add_quietly(left, one, bin, sum);
    const Vector taken = bin - sum;
    bin = sum;
    if constexpr (balanced) {
      Vector next;
      multiply_add<64>(taken, one, left, next);
      left = next;
    } else {
      left += taken;
    }
  });
  m[first + depth - 1][v] += left;
}

/// The same with the square of an item, of doubles in two parts.
template <int bins, int v, class Item, class Bins, class Vector>
MONOFOLD_INLINE void deposit_square_verified(Bins& m, const Vector& x, const Vector& one) {
  if constexpr (sizeof(Item) == 8) {
    constexpr int depth = bins / 2;
    Vector p, rest;
    multiply_quietly(x, x, p);
    multiply_subtract<64>(x, x, p, rest);
    deposit_verified<depth, 0, v>(m, p, one);
    deposit_verified<depth, depth, v, true>(m, rest, one);
  } else {
    static_assert(bins == 2);
    Vector sum, left;
    multiply_add_quietly(x, x, m[0][v], sum);
    const Vector deposited = m[0][v] - sum;
    m[0][v] = sum;
    multiply_add<64>(x, x, deposited, left);
    m[1][v] += left;
  }
}

/// As `sweep`, of items of 32 and 64 bits; says whether one of `values` may be -0. What else a block has is not
/// looked at: the flags of the processor tell whether a result was rounded that must not be, and the exponents of
/// the bins whether they count units.
template <int bytes, int bins, sweep_kind kind, class Item, int vectors>
MONOFOLD_INLINE bool verified_sweep(const Item* items, int count,
                                    typename lanes<bytes>::real (&sums)[bins][vectors]) {
  MONOFOLD_AS_WRITTEN
  using real = typename lanes<bytes>::real;
  constexpr int line = line_items<Item>;
  constexpr int in_line = line * 8 / bytes;  // vectors of doubles
  static_assert(sweep_streams * in_line % vectors == 0, "every lane takes as many deposits");
  real m[bins][vectors];
  std::memcpy(m, sums, sizeof(m));
  range_lanes<bytes, Item, false, kind == sweep_kind::values> range;  // -0 alone is asked for
  real one = real{} + 1.0;
  keep_rounded(one);
  const auto take = [&](const Item* at, auto first) __attribute__((always_inline)) {
    widen<bytes, kind == sweep_kind::magnitudes>(
        at, range, [&](auto j, const real& x) __attribute__((always_inline)) {
          constexpr int v = (first + j) % vectors;
          if constexpr (kind == sweep_kind::squares) {
            deposit_square_verified<bins, v, Item>(m, x, one);
          } else if constexpr (bins == 1) {
            m[0][v] += x;
          } else {
            deposit_verified<bins, 0, v, true>(m, x, one);
          }
        });
  };
  constexpr int group = sweep_streams * line;
  const line_order<Item> order(count);
  const Item* at = items;
  for (int turns = count / group; turns > 0; --turns, at += order.step) {
    unrolled<sweep_streams>([&](auto p) __attribute__((always_inline)) {
      prefetch(at + p * order.apart, order.ahead);
      take(at + p * order.apart, std::integral_constant<int, p * in_line>{});
    });
  }
  for (int done = count / group * group; done < count; done += line) {
    take(items + done, std::integral_constant<int, 0>{});
  }
  std::memcpy(sums, m, sizeof(m));
  return range.may_have_minus_zero();
}

/// The 16-bit floats of a line as doubles, in no order. Converted, not moved as in `widen`: infinities and NaN stay what
/// they are, and leave the bins without a look at the items.
template <class Item>
MONOFOLD_INLINE void convert_halves(const Item* line, lanes<64>::real (&out)[4]) {
  using floats = lanes<64>::floats;
  floats x[4];
  if constexpr (std::is_same_v<Item, float16>) {
    unrolled<4>([&](auto i) __attribute__((always_inline)) {
      lanes<16>::quarter_bits halves;
      std::memcpy(&halves, line + 8 * i, sizeof(halves));
      __asm__("vcvtph2ps {%1, %0|%0, %1}" : "=v"(x[i]) : "vm"(halves));
    });
  } else {
    unrolled<2>([&](auto h) __attribute__((always_inline)) {
      lanes<32>::half_bits pairs;
      std::memcpy(&pairs, line + 16 * h, sizeof(pairs));
      x[2 * h] = (floats)(pairs << 16);              // NOLINT: the bits, as in the next
      x[2 * h + 1] = (floats)(pairs & 0xffff0000u);  // NOLINT
    });
  }
  unrolled<4>([&](auto i) __attribute__((always_inline)) {
    __asm__("vcvtps2pd {%1, %0|%0, %1}" : "=v"(out[i]) : "v"(x[i]));
  });
}

/// Deposits squares of 16-bit floats into two bins, of a lane those of two lines at once, and where asked the items
/// into one bin; says of such items whether one may be -0.
///
/// Squares have at most 22 significant bits: eight of them are mostly a double together, and the flags tell where they
/// are not.
template <int bytes, bool with_items, class Item, int num>
MONOFOLD_INLINE bool sweep_square_groups(const Item* items, int count,
                                         typename lanes<bytes>::real (&squares)[2][num],
                                         typename lanes<bytes>::real (&values)[num]) {
  MONOFOLD_AS_WRITTEN
  using real = typename lanes<bytes>::real;
  constexpr int line = line_items<Item>;
  real m[2][num], v[num];
  std::memcpy(m, squares, sizeof(m));
  std::memcpy(v, values, sizeof(v));
  range_lanes<bytes, Item, false, with_items> range;  // -0 alone is asked for
  real one = real{} + 1.0;
  keep_rounded(one);
  const auto take = [&](const Item* at, auto lines, auto a) __attribute__((always_inline)) {
    MONOFOLD_AS_WRITTEN
    real part[2], x[4];  // of a group: short chains of additions
    unrolled<lines>([&](auto l) __attribute__((always_inline)) {
      MONOFOLD_AS_WRITTEN
      const Item* const from = at + l * line;
      prefetch(from, page_bytes);
      if constexpr (with_items) {
        typename decltype(range)::words bits;
        std::memcpy(&bits, from, sizeof(bits));
        range.note(bits);
      }
      convert_halves(from, x);
      if constexpr (with_items) {
        unrolled<2>([&](auto h) __attribute__((always_inline)) {
          real sum;
          const real both = x[2 * h] + x[2 * h + 1];
          multiply_add<bytes>(both, one, v[h % num], sum);
          v[h % num] = sum;
        });
      }
      unrolled<4>([&](auto j) __attribute__((always_inline)) {
        real& sum = part[j % 2];
        if constexpr (l == 0 && j < 2) {
          sum = x[j] * x[j];
        } else {
          real next;
          multiply_add<bytes>(x[j], x[j], sum, next);
          sum = next;
        }
      });
    });
    const real group = part[0] + part[1];
    deposit_verified<2, 0, a>(m, group, one);
  };
  int done = 0;
  for (; done + 2 * num * line <= count; done += 2 * num * line) {
    unrolled<num>([&](auto a) __attribute__((always_inline)) {
      take(items + done + 2 * a * line, std::integral_constant<int, 2>{}, a);
    });
  }
  for (; done < count; done += line) {
    take(items + done, std::integral_constant<int, 1>{}, std::integral_constant<int, 0>{});
  }
  std::memcpy(squares, m, sizeof(m));
  std::memcpy(values, v, sizeof(v));
  return range.may_have_minus_zero();
}
#else
template <bool wanted>
using flags_of = no_flags;
#endif

}  // namespace monofold::detail

#endif
