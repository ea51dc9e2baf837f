/// ladder/no_emulated: what stands in for the rungs on the emulated device in builds without it.

#include <stdexcept>

#include "ladder/device.hpp"

monofold::ladder::climber* monofold_ladder_on_emulated(const monofold::ladder::task& /*what*/,
                                                       const void* /*items*/) {
  throw std::runtime_error(monofold_ladder_no_emulated());
}
const char* monofold_ladder_no_emulated() { return "this build has no emulated device"; }
