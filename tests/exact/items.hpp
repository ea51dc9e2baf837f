#pragma once
/// exact/items: data for exact folds of every type, and what their sum must be.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "monofold/platform/numbers.hpp"
#include "tests/inputs/random.hpp"
#include "tests/oracle/fixed_sum.hpp"

namespace inputs {

/// Cases per test: `usual`, times MONOFOLD_EXACT_CASES where the environment has it.
inline std::int64_t many(std::int64_t usual) {
  const char* factor = std::getenv("MONOFOLD_EXACT_CASES");
  return factor == nullptr ? usual : usual * std::max<std::int64_t>(1, std::atoll(factor));
}

/// A double of the same value; of a NaN, a NaN. Written for itself: conversions are under test too.
inline double value_of(double x) { return x; }
inline double value_of(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const auto field = (bits >> 23) & 0xff;
  const double fraction = bits & 0x7fffff;
  double size = field == 0 ? std::ldexp(fraction, -149)
                           : std::ldexp(fraction + 0x800000, static_cast<int>(field) - 150);
  if (field == 0xff) {
    size = fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : std::numeric_limits<double>::infinity();
  }
  return bits >> 31 != 0 ? -size : size;
}
inline double value_of(monofold::bfloat16 x) {
  return value_of(std::bit_cast<float>(std::uint32_t{x.bits} << 16));
}
inline double value_of(monofold::float16 x) {
  const int field = (x.bits >> 10) & 0x1f;
  const double fraction = x.bits & 0x3ff;
  double size = field == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 0x400, field - 25);
  if (field == 0x1f) {
    size = fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : std::numeric_limits<double>::infinity();
  }
  return x.bits >> 15 != 0 ? -size : size;
}

/// The same bits as doubles; all NaN are the positive quiet one.
template <class Real>
bool same(Real got, double want) {
  const double have = value_of(got);
  if (want != want) {
    const auto one = sizeof(Real) == 8 ? 0x7ff8000000000000 : std::uint64_t{0};
    return have != have && (one == 0 || std::bit_cast<std::uint64_t>(have) == one);
  }
  return std::bit_cast<std::uint64_t>(have) == std::bit_cast<std::uint64_t>(want);
}

/// What the sum must be, by the rules of docs/exact.md.
template <class Item>
double expected_sum(const std::vector<Item>& items, const oracle::binary& format) {
  oracle::fixed_sum sum;
  bool nan = false, up = false, down = false, minus_zero = !items.empty();
  for (const Item& item : items) {
    const double x = value_of(item);
    nan = nan || std::isnan(x);
    up = up || x == std::numeric_limits<double>::infinity();
    down = down || x == -std::numeric_limits<double>::infinity();
    minus_zero = minus_zero && x == 0 && std::signbit(x);
    if (std::isfinite(x)) sum.add(x);
  }
  if (nan || (up && down)) return std::bit_cast<double>(std::uint64_t{0x7ff8000000000000});
  if (up) return std::numeric_limits<double>::infinity();
  if (down) return -std::numeric_limits<double>::infinity();
  return minus_zero ? -0.0 : sum.nearest(format);
}

template <class Item>
Item from_bits(std::uint64_t bits) {
  if constexpr (sizeof(Item) == 8) return std::bit_cast<Item>(bits);
  if constexpr (sizeof(Item) == 4) return std::bit_cast<Item>(static_cast<std::uint32_t>(bits));
  if constexpr (sizeof(Item) == 2) return std::bit_cast<Item>(static_cast<std::uint16_t>(bits));
}

/// The fields of a type: fraction bits and the largest exponent field.
template <class Item>
struct fields {
  static constexpr int total = 8 * sizeof(Item);
  static constexpr int fraction = sizeof(Item) == 8                         ? 52
                                  : sizeof(Item) == 4                       ? 23
                                  : std::is_same_v<Item, monofold::float16> ? 10
                                                                            : 7;
  static constexpr int top_field = (1 << (total - 1 - fraction)) - 1;
};

/// 0 to 8 items: any bits, or of neighbouring exponents, or negatives and neighbours of each other,
/// so that sums cancel, tie and fall among the subnormal numbers.
template <class Item>
void draw_small(generator& random, std::vector<Item>& items) {
  using f = fields<Item>;
  const std::uint64_t how = random();
  const int n = static_cast<int>(how % 9);
  const int mode = static_cast<int>((how >> 8) % 8);
  const auto centre = (how >> 16) % f::top_field;
  items.clear();
  for (int i = 0; i < n; ++i) {
    std::uint64_t bits = random();
    if (mode >= 2) {
      const std::uint64_t spread = mode < 5 ? 4 : 60;
      const std::uint64_t field = (centre + (bits >> 56) % spread) % f::top_field;
      std::uint64_t fraction = bits & ((std::uint64_t{1} << f::fraction) - 1);
      if (bits >> 54 & 1) fraction &= fraction << 1 & fraction << 3;
      if ((bits >> 53 & 3) == 3) fraction = 0;
      bits = field << f::fraction | fraction | (bits >> 63) << (f::total - 1);
    }
    if (mode % 2 == 1 && !items.empty() && (bits >> 40 & 1)) {
      const auto& old = items[(bits >> 41) % items.size()];
      std::uint64_t again = 0;
      std::memcpy(&again, &old, sizeof(Item));
      bits = again ^ (std::uint64_t{1} << (f::total - 1)) ^ (bits >> 30 & 1);
    }
    items.push_back(from_bits<Item>(bits));
  }
}

inline const std::vector<std::string> kinds_of_data = {
    "uniform",     "normal",     "wide",       "any finite", "subnormal", "zeros",
    "minus zeros", "some zeros", "cancelling", "specials",   "integers"};

/// Items of one of `kinds_of_data`.
template <class Item>
std::vector<Item> items_of(const std::string& kind, int n, std::uint64_t seed) {
  using f = fields<Item>;
  constexpr std::uint64_t sign = std::uint64_t{1} << (f::total - 1);
  constexpr std::uint64_t fraction = (std::uint64_t{1} << f::fraction) - 1;
  constexpr std::uint64_t one = std::uint64_t{f::top_field / 2};  // the field of [1, 2)
  generator random(seed);
  std::vector<Item> out;
  for (int i = 0; i < n; ++i) {
    const std::uint64_t r = random();
    const std::uint64_t s = random();
    // The exponent of a uniform number: k below the top with probability 2^-k.
    const auto below = static_cast<std::uint64_t>(std::countr_zero(s | std::uint64_t{1} << 40));
    std::uint64_t field = one - 1 - (below < one ? below : one - 1);
    std::uint64_t bits = r & fraction;
    if (kind == "normal") field += s >> 62;
    if (kind == "wide") field = one / 2 + s % one;
    if (kind == "any finite") field = s % f::top_field;
    if (kind == "subnormal") field = 0;
    if (kind == "integers") field = one + s % 8, bits &= ~(fraction >> 4);
    if (kind != "uniform") bits |= r & sign;
    bits |= field << f::fraction;
    if (kind == "zeros" || (kind == "some zeros" && s % 3 == 0)) bits = r & sign;
    if (kind == "minus zeros") bits = sign;
    if (kind == "cancelling" && i % 2 == 1) {
      std::uint64_t before = 0;
      std::memcpy(&before, &out.back(), sizeof(Item));
      bits = before ^ sign ^ (s % 64 == 0 ? 1 : 0);
    }
    if (kind == "specials" && s % 61 == 0) {
      bits = (r & sign) | std::uint64_t{f::top_field} << f::fraction | (s % 7 == 0 ? 1 : 0);
    }
    out.push_back(from_bits<Item>(bits));
  }
  return out;
}

/// A sum of condition about 2^bits: half of the items over that many binades, the other half
/// chosen so that what was summed so far nearly vanishes, then shuffled.
///
/// source     the idea is that of algorithm 6.1 of Ogita, Rump and Oishi 2005, SIAM J. Sci. Comput.
///            26(6), for dot products
inline std::vector<double> ill_conditioned(int n, int bits, std::uint64_t seed) {
  generator random(seed);
  std::vector<double> out;
  oracle::fixed_sum sum;
  const int half = n / 2;
  for (int i = 0; i < half; ++i) {
    const int e = i == 0 ? bits : i == 1 ? 0 : static_cast<int>(random() % (bits / 2 + 1));
    out.push_back(std::ldexp(unit_double(random()), e));
    sum.add(out.back());
  }
  for (int i = half; i < n; ++i) {
    const int e = bits / 2 * (n - 1 - i) / (n - half);
    const double x = std::ldexp(unit_double(random()), e) - sum.nearest(oracle::binary64);
    out.push_back(x);
    sum.add(x);
  }
  for (std::size_t i = out.size(); i > 1; --i) std::swap(out[i - 1], out[random() % i]);
  return out;
}

}  // namespace inputs
