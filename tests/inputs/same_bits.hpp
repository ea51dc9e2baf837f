#pragma once
/// inputs/same_bits: comparison of values by their bits, for padding-free types.

#include <bit>
#include <cstdint>

namespace inputs {

inline bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}
inline bool same_bits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

}  // namespace inputs
