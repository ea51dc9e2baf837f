#pragma once
/// inputs/random: numbers from fixed seeds.

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace inputs {

using generator = std::mt19937_64;  // its sequence is fixed by the C++ standard

/// A cheap, well-mixed function of an index: the finaliser of splitmix64.
constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// In [-1, 1), with 53 random bits.
inline double unit_double(std::uint64_t seed) {
  return static_cast<double>(static_cast<std::int64_t>(mixed(seed)) >> 11) * 0x1p-52;
}

/// Any bit pattern that is a finite double.
inline double any_finite(generator& random) {
  for (;;) {
    const auto x = std::bit_cast<double>(random());
    if (std::isfinite(x)) return x;
  }
}

/// Numbers over `decades` powers of two around 1, both signs.
inline double spread_double(std::uint64_t seed, int powers) {
  const auto p = static_cast<int>(mixed(seed ^ 0x5555) % static_cast<unsigned>(2 * powers + 1));
  return std::ldexp(unit_double(seed), p - powers);
}

inline std::vector<double> spread_doubles(std::size_t n, int powers, std::uint64_t seed) {
  std::vector<double> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(spread_double(seed * 1000003 + i, powers));
  return out;
}

template <class Integer>
std::vector<Integer> integers(std::size_t n, std::uint64_t seed) {
  std::vector<Integer> out;
  for (std::size_t i = 0; i < n; ++i) {
    out.push_back(static_cast<Integer>(mixed(seed * 1000003 + i)));
  }
  return out;
}

}  // namespace inputs
