#pragma once
/// runtime/gpu/device_library: what libmonofold finds in a library of kernels, which it loads at run time.
///
/// Two such libraries are built from the same sources: libmonofold_gpu by nvcc, libmonofold_emulated
/// by g++ for the emulated device. Each defines the functions of devices.hpp and device_pass.hpp for
/// itself and hands out this table of them; libmonofold's own functions of these names ask the table.

#include <cstdint>
#include <memory>
#include <vector>

#include "monofold/platform/version.hpp"
#include "runtime/gpu/device_pass.hpp"
#include "runtime/gpu/devices.hpp"

namespace monofold::runtime {

struct device_library {
  const char* version = monofold::version;  // a library of another one is not used
  decltype(&runtime::find_gpus) find_gpus = &runtime::find_gpus;
  decltype(&runtime::use_gpu) use_gpu = &runtime::use_gpu;
  decltype(&runtime::is_device_memory) is_device_memory = &runtime::is_device_memory;
  decltype(&runtime::copy_from_device) copy_from_device = &runtime::copy_from_device;
  decltype(&runtime::make_pinned) make_pinned = &runtime::make_pinned;
  decltype(&runtime::make_device_work) make_device_work = &runtime::make_device_work;
  decltype(&runtime::fold_pieces) fold_pieces = &runtime::fold_pieces;
};

/// The name of the function without arguments that returns a `const device_library*`.
inline constexpr char device_library_symbol[] = "monofold_device_library";

}  // namespace monofold::runtime
