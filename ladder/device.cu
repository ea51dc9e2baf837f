// The two ways in: from the tool and the tests to the code of one device.

#include "ladder/device.hpp"

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

#include "ladder/climber.cuh"

namespace monofold::ladder {

namespace {

climber* make_any_climber(const task& what, const void* items) {
  int count = 0;
  require(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  if (count == 0) throw std::runtime_error("no device");
  switch (what.type) {
    case element_type::int32: return make_int32_climber(what, items);
    case element_type::int64: return make_int64_climber(what, items);
    case element_type::float32: return make_float32_climber(what, items);
    case element_type::float64: break;
  }
  return make_float64_climber(what, items);
}

}  // namespace

}  // namespace monofold::ladder

#if defined(MONOFOLD_EMULATED)
monofold::ladder::climber* monofold_ladder_on_emulated(const monofold::ladder::task& what,
                                                       const void* items) {
  return monofold::ladder::make_any_climber(what, items);
}
const char* monofold_ladder_no_emulated() { return nullptr; }
#else
monofold::ladder::climber* monofold_ladder_on_gpu(const monofold::ladder::task& what,
                                                  const void* items) {
  return monofold::ladder::make_any_climber(what, items);
}
const char* monofold_ladder_no_gpu() { return nullptr; }
#endif
