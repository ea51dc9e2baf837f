// The way in: from the tool and the tests to the rungs of this library.

#include "ladder/device.hpp"

#include <cstdint>

#include "ladder/climbers.hpp"
#include "monofold/platform/version.hpp"

extern "C" __attribute__((visibility("default"))) monofold::ladder::climber*
monofold_ladder_climber(const monofold::ladder::task& what, const void* items) {
  using namespace monofold::ladder;
  switch (what.type) {
    case element_type::int32: return make_int32_climber(what, items);
    case element_type::int64: return make_int64_climber(what, items);
    case element_type::float32: return make_float32_climber(what, items);
    case element_type::float64: break;
  }
  return make_float64_climber(what, items);
}

extern "C" __attribute__((visibility("default"))) const char* monofold_ladder_version() {
  return monofold::version;
}
