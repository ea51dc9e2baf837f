#pragma once
/// ladder/emulated_names: gives code for the emulated device names of its own.
///
/// One program holds the rungs twice, compiled by nvcc and for the emulated device, and libmonofold
/// beside them. A linker would keep one copy of each template. So what g++ compiles with this file
/// before it lies in another namespace; shared are the types that are declared here.

#include "emulation/builtins.hpp"
#include "emulation/copies.hpp"
// clang-format off: these two come before everything else.
#include <cuda_runtime.h>
// clang-format on

#include "emulation/report.hpp"
#include "ladder/device.hpp"

namespace monofold_emulated {
namespace emulation = ::monofold::emulation;
namespace ladder {
using namespace ::monofold::ladder;
}
}  // namespace monofold_emulated

#define monofold monofold_emulated
