#pragma once
/// level/slot_array: an array of accumulators, states or items that no constructor touches.

#include <type_traits>

#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// An array whose elements are written before they are read: no constructor runs for types that
/// have one. Plain types get a plain array, which compilers see through best.
template <class T, int n, bool plain = std::is_trivially_default_constructible_v<T>>
struct slot_array {
  T values[n];
  MONOFOLD_HD T& operator[](int i) { return values[i]; }
  MONOFOLD_HD const T& operator[](int i) const { return values[i]; }
};
template <class T, int n>
struct slot_array<T, n, false> {
  union {
    T values[n];
  };
  MONOFOLD_HD slot_array() {}   // NOLINT: the point of the type
  MONOFOLD_HD ~slot_array() {}  // NOLINT
  MONOFOLD_HD T& operator[](int i) { return values[i]; }
  MONOFOLD_HD const T& operator[](int i) const { return values[i]; }
};

}  // namespace monofold::detail
