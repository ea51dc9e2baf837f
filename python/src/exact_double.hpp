#pragma once
/// python/src/exact_double: a float as a double, whatever this thread's arithmetic does with subnormal numbers.

#include <cstdint>
#include <cstring>

namespace monofold::python {

inline double exact_double(float x) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude >= 0x00800000u) return static_cast<double>(x);
  const double size = static_cast<double>(static_cast<std::int32_t>(magnitude)) * 0x1p-149;
  return bits >> 31 != 0 ? -size : size;
}

}  // namespace monofold::python
