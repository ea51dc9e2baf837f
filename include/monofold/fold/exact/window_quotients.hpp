#pragma once
/// fold/exact/window_quotients: sums of two doubles over a count, rounded once, by vectors.

#include <cstdint>
#include <cstring>

#include "monofold/fold/exact/accumulator.hpp"
#include "monofold/fold/exact/vectors.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/strict_arithmetic.hpp"

namespace monofold::detail {

/// Counts by which neighbouring sums are divided, each larger by `step` than the one before.
struct divisors {
  double first;
  double step;
};

}  // namespace monofold::detail

#if defined(MONOFOLD_EXACT_LEVELS)

namespace monofold::detail {

/// Quotients of sums, and those between which there is doubt.
template <int bytes, bool fused>
struct quotient_lanes {
  using real = typename lanes<bytes>::real;
  using whole = typename lanes<bytes>::whole;

  real divisor;
  real inverse;
  whole any_doubt = {};
  whole any_tiny = {};
  double step;

  MONOFOLD_INLINE explicit quotient_lanes(const divisors& by) : step(by.step) {
    for (int l = 0; l < lanes<bytes>::doubles; ++l) divisor[l] = by.first + l * by.step;
    inverse = 1 / divisor;
  }
  MONOFOLD_INLINE void go_on() {
    if (step == 0) return;
    divisor += lanes<bytes>::doubles * step;
    inverse = 1 / divisor;
  }

  /// h - q * divisor, exactly.
  MONOFOLD_INLINE void rest_of(const real& h, const real& q, real& rest) const {
    MONOFOLD_AS_WRITTEN
    if constexpr (fused) {
      multiply_add<bytes>(q, -divisor, h, rest);
    } else {
      const real upper = (real)((whole)q & ~std::int64_t{0x7ffffff});  // NOLINT: 26 bits
      const real lower = q - upper;
      rest = (h - upper * divisor) - lower * divisor;
    }
  }
  /// The quotient is about h / divisor; what it leaves, exactly, is added to it, and known to 2^-50 of itself: that
  /// nearly always says to what it rounds. Else two neighbours are left, and an exact comparison with the middle
  /// between them chooses one.
  template <bool chooses>
  MONOFOLD_INLINE void take(const real& h, const real& l, real& found) {
    MONOFOLD_AS_WRITTEN
    const real q = h * inverse;
    real left;
    rest_of(h, q, left);
    const real rest = left + l;
    const real more = rest * inverse;
    const real doubt = (real)((whole)more & INT64_MAX) * 0x1p-50;  // NOLINT: the bits
    const real least = q + (more - doubt);
    const real most = q + (more + doubt);
    const real size = (real)((whole)q & INT64_MAX);          // NOLINT
    any_tiny |= (whole)(size < 0x1p-900) & (whole)(h != 0);  // NOLINT
    found = least;
    if constexpr (!chooses) {
      any_doubt |= (whole)(least != most);  // NOLINT
    } else {
      const real l_part = rest - left;
      const real below = (left - (rest - l_part)) + (l - l_part);
      const real middle = ((least - q) + (most - least) * 0.5) * divisor;
      const real even = ((whole)least << 63) != 0 ? most : least;  // NOLINT
      const real at_middle = below > 0 ? most : below < 0 ? least : even;
      found = rest > middle ? most : rest < middle ? least : at_middle;
    }
  }
  MONOFOLD_INLINE static bool any_of(const whole& lanes_of) {
    std::int64_t any = 0;
    for (int i = 0; i < lanes<bytes>::doubles; ++i) any |= lanes_of[i];
    return any != 0;
  }
};

/// Sums over counts of items, below 2^25, each rounded once; false where some are too small for that.
template <int bytes, bool fused, bool chooses>
MONOFOLD_INLINE bool divide_block_on(const double* high, const double* low, int count,
                                     const divisors& by, double* out) {
  using real = typename lanes<bytes>::real;
  constexpr int width = lanes<bytes>::doubles;
  quotient_lanes<bytes, fused> own(by);
  for (int at = 0; at < count; at += width) {
    const int n = count - at < width ? count - at : width;
    real h = {}, l = {}, found;
    if (n == width) {
      std::memcpy(&h, high + at, bytes);
      std::memcpy(&l, low + at, bytes);
      own.template take<chooses>(h, l, found);
      std::memcpy(out + at, &found, bytes);
    } else {
      for (int i = 0; i < n; ++i) {
        h[i] = high[at + i];
        l[i] = low[at + i];
      }
      own.template take<chooses>(h, l, found);
      for (int i = 0; i < n; ++i) out[at + i] = found[i];
    }
    own.go_on();
  }
  if (own.any_of(own.any_tiny)) return false;
  if constexpr (!chooses) {
    if (own.any_of(own.any_doubt)) {
      return divide_block_on<bytes, fused, true>(high, low, count, by, out);
    }
  }
  return true;
}

}  // namespace monofold::detail

#endif
