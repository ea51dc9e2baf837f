#pragma once
/// emulation/launch_shape: what <<<>>> says, and how the kernel is called.

#include <cstddef>

#include "emulation/dimensions.hpp"

namespace monofold::emulation {

struct launch_shape {
  const void* kernel = nullptr;
  dim3 grid;
  dim3 block;
  dim3 cluster;
  std::size_t shared_bytes = 0;
  void (*call)(const void* kernel, const void* const* arguments) = nullptr;
};

}  // namespace monofold::emulation
