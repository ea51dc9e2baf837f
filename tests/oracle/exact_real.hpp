#pragma once
/// oracle/exact_real: sums and sums of products of doubles without any rounding.

#include <cmath>
#include <cstdint>

#include "tests/oracle/big_integer.hpp"

namespace oracle {

/// A finite double as an integer multiple of 2^-1074.
inline big_integer units_of(double x) {
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(x), &exponent);  // in [1/2, 1)
  // fraction * 2^53 is an integer; x = that * 2^(exponent - 53).
  auto whole = static_cast<std::int64_t>(std::ldexp(fraction, 53));
  int shift = exponent - 53 + 1074;
  for (; shift < 0; ++shift) whole /= 2;  // only zeros are dropped: x is a multiple of 2^-1074
  const big_integer units = big_integer(whole).shifted_left(shift);
  return std::signbit(x) ? -units : units;
}

/// A number that is a multiple of 2^-2148: every double, and every product of two.
class exact_real {
 public:
  exact_real() = default;
  exact_real(double x) : units_(units_of(x).shifted_left(1074)) {}  // NOLINT: a number

  static exact_real product(double x, double y) {
    exact_real out;
    out.units_ = units_of(x) * units_of(y);
    return out;
  }
  exact_real operator+(const exact_real& other) const { return of(units_ + other.units_); }
  exact_real operator-(const exact_real& other) const { return of(units_ - other.units_); }
  exact_real& operator+=(const exact_real& other) { return *this = *this + other; }
  exact_real magnitude() const { return of(units_.magnitude()); }

  const big_integer& units() const { return units_; }
  /// In long double, whose exponents reach far enough; off by some units in its last place.
  long double approximate() const { return std::ldexp(units_.approximate(), -2148); }

 private:
  static exact_real of(big_integer units) {
    exact_real out;
    out.units_ = std::move(units);
    return out;
  }

  big_integer units_;
};

/// |computed - exact|; NaN and infinities give NaN, which no bound holds.
inline long double error_of(double computed, const exact_real& exact) {
  if (!std::isfinite(computed)) return std::nanl("");
  return (exact_real(computed) - exact).magnitude().approximate();
}

/// n times the sum of squared deviations: n * sum x^2 - (sum x)^2, exactly, as long double.
template <class Items>
long double scaled_deviations(const Items& items) {
  big_integer sum;      // units of 2^-1074
  big_integer squares;  // units of 2^-2148
  std::int64_t n = 0;
  for (const double x : items) {
    const big_integer units = units_of(x);
    sum += units;
    squares += units * units;
    ++n;
  }
  return std::ldexp((squares * n - sum * sum).approximate(), -2148);
}

}  // namespace oracle
