#pragma once
/// platform/bits: the bits of a value as another type, on the host and on a device.

#include <type_traits>

#include "monofold/platform/host_device.hpp"

namespace monofold {

/// std::bit_cast, which device code may call too: nvcc takes the function of the standard library
/// for a host function unless the user passes a flag.
template <class To, class From>
requires(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To> &&
         std::is_trivially_copyable_v<From>) MONOFOLD_HD constexpr To bits_as(const From& from) {
  return __builtin_bit_cast(To, from);
}

}  // namespace monofold
