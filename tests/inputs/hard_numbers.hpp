#pragma once
/// inputs/hard_numbers: named numbers and sequences that break careless reductions.

#include <cstdint>
#include <limits>
#include <vector>

#include "tests/inputs/random.hpp"

namespace inputs {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
inline constexpr double largest = std::numeric_limits<double>::max();
inline constexpr double smallest_normal = std::numeric_limits<double>::min();
inline constexpr double smallest = std::numeric_limits<double>::denorm_min();

/// Every kind of double once.
inline std::vector<double> kinds_of_double() {
  return {0.0,     -0.0,     1.0,       -1.0,       smallest,      -smallest, smallest_normal,
          largest, -largest, infinity,  -infinity,  not_a_number,  1e300,     -1e-300,
          0x1p480, 0x1p-480, 0x1.8p480, 0x1.8p-481, -not_a_number, 0.1,       3.0};
}

/// Large numbers and their negatives around small ones: the sum cancels to what is small.
inline std::vector<double> cancelling(std::size_t pairs, std::uint64_t seed) {
  std::vector<double> out;
  for (std::size_t i = 0; i < pairs; ++i) out.push_back(spread_double(seed + i, 60) * 0x1p60);
  for (std::size_t i = 0; i < pairs; ++i) out.push_back(unit_double(seed + 7919 * i));
  for (std::size_t i = pairs; i-- > 0;) out.push_back(-out[i]);
  return out;
}

/// Numbers that differ from a large one in their last bits: variance formulas lose everything.
inline std::vector<double> near_a_billion(std::size_t n, std::uint64_t seed) {
  std::vector<double> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(1e9 + unit_double(seed + i) * 1e-3);
  return out;
}

inline std::vector<double> all_subnormal(std::size_t n, std::uint64_t seed) {
  std::vector<double> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(unit_double(seed + i) * 0x1p-1030);
  return out;
}

}  // namespace inputs
