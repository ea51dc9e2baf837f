// The way in: from the tool and the tests to the rungs of this library.

#include "ladder/device.hpp"

#include <cstdint>

#include "ladder/rung_runners.hpp"
#include "monofold/platform/version.hpp"

extern "C" __attribute__((visibility("default"))) monofold::ladder::rung_runner*
monofold_ladder_runner(const monofold::ladder::task& what, const void* items) {
  using namespace monofold::ladder;
  switch (what.type) {
    case element_type::int32: return make_int32_rung_runner(what, items);
    case element_type::int64: return make_int64_rung_runner(what, items);
    case element_type::float32: return make_float32_rung_runner(what, items);
    case element_type::float64: break;
  }
  return make_float64_rung_runner(what, items);
}

extern "C" __attribute__((visibility("default"))) const char* monofold_ladder_version() {
  return monofold::version;
}
