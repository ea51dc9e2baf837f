/// runtime/gpu/device_library: the table of this library of kernels. Compiled into each of them.

#include "runtime/gpu/device_library.hpp"

extern "C" __attribute__((visibility("default"))) const monofold::runtime::device_library*
monofold_device_library() {
  static const monofold::runtime::device_library own;
  return &own;
}
