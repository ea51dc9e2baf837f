#pragma once
/// ladder/operators: what is folded: sum, extrema, mean, product of 2x2 matrices, the two largest.
///
/// Each is a fold as fold/fold.hpp has it, with states that shared memory can hold: no
/// constructors.

#include <cstdint>
#include <limits>
#include <type_traits>

#include "monofold/platform/host_device.hpp"

namespace monofold::ladder {

/// Where sums of items are kept: two int32 may not fit one.
template <class T>
using sum_t = std::conditional_t<std::is_integral_v<T>, std::int64_t, T>;

/// Below every number, and above. Variables: device code may use their values, and not call the
/// host functions that make them.
template <class T>
inline constexpr T lowest_v = std::numeric_limits<T>::has_infinity
                                  ? -std::numeric_limits<T>::infinity()
                                  : std::numeric_limits<T>::lowest();
template <class T>
inline constexpr T highest_v = std::numeric_limits<T>::has_infinity
                                   ? std::numeric_limits<T>::infinity()
                                   : std::numeric_limits<T>::max();

template <class T>
struct sum_of {
  using item = T;
  using state = sum_t<T>;
  static constexpr bool commutative = true;
  static constexpr bool exact = std::is_integral_v<T>;
  MONOFOLD_HD state identity() const { return 0; }
  MONOFOLD_HD state lift(T x, std::int64_t = 0) const { return x; }
  MONOFOLD_HD state combine(state l, state r) const { return l + r; }
};

template <class T>
struct max_of {
  using item = T;
  using state = T;
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  MONOFOLD_HD state identity() const { return lowest_v<T>; }
  MONOFOLD_HD state lift(T x, std::int64_t = 0) const { return x; }
  MONOFOLD_HD state combine(state l, state r) const { return l < r ? r : l; }
};

template <class T>
struct min_of {
  using item = T;
  using state = T;
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  MONOFOLD_HD state identity() const { return highest_v<T>; }
  MONOFOLD_HD state lift(T x, std::int64_t = 0) const { return x; }
  MONOFOLD_HD state combine(state l, state r) const { return r < l ? r : l; }
};

template <class T>
struct mean_of {
  using item = T;
  struct state {
    sum_t<T> sum;
    std::int64_t count;
  };
  static constexpr bool commutative = true;
  static constexpr bool exact = std::is_integral_v<T>;
  MONOFOLD_HD state identity() const { return {0, 0}; }
  MONOFOLD_HD state lift(T x, std::int64_t = 0) const { return {x, 1}; }
  MONOFOLD_HD state combine(const state& l, const state& r) const {
    return {l.sum + r.sum, l.count + r.count};
  }
};

template <class T>
struct matrix2 {
  T a, b, c, d;
};

/// Not commutative. Integers are unsigned: they wrap.
template <class T>
struct product_of {
  using item = matrix2<T>;
  using state = matrix2<T>;
  static constexpr bool commutative = false;
  static constexpr bool exact = std::is_integral_v<T>;
  MONOFOLD_HD state identity() const { return {1, 0, 0, 1}; }
  MONOFOLD_HD state lift(const item& x, std::int64_t = 0) const { return x; }
  MONOFOLD_HD state combine(const state& l, const state& r) const {
    return {l.a * r.a + l.b * r.c, l.a * r.b + l.b * r.d, l.c * r.a + l.d * r.c,
            l.c * r.b + l.d * r.d};
  }
};

/// The largest and the second largest; equal ones count twice.
template <class T>
struct two_largest_of {
  using item = T;
  struct state {
    T first, second;
  };
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  MONOFOLD_HD state identity() const { return {lowest_v<T>, lowest_v<T>}; }
  MONOFOLD_HD state lift(T x, std::int64_t = 0) const { return {x, lowest_v<T>}; }
  MONOFOLD_HD state combine(const state& l, const state& r) const {
    const max_of<T> larger;
    const min_of<T> smaller;
    // The second largest is the smaller of the firsts, unless a second of the winner's is above.
    return {larger.combine(l.first, r.first),
            smaller.combine(larger.combine(l.first, r.second), larger.combine(l.second, r.first))};
  }
};

/// The same operator on states: what joins partial results.
template <class F>
struct joined {
  using item = typename F::state;
  using state = typename F::state;
  static constexpr bool commutative = F::commutative;
  F f;
  MONOFOLD_HD state identity() const { return f.identity(); }
  MONOFOLD_HD state lift(const state& x, std::int64_t = 0) const { return x; }
  MONOFOLD_HD state combine(const state& l, const state& r) const { return f.combine(l, r); }
};

}  // namespace monofold::ladder
