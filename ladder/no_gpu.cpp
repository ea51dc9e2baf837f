/// ladder/no_gpu: what stands in for the rungs on a GPU where no CUDA compiler was found.

#include <stdexcept>

#include "ladder/device.hpp"

monofold::ladder::climber* monofold_ladder_on_gpu(const monofold::ladder::task& /*what*/,
                                                  const void* /*items*/) {
  throw std::runtime_error(monofold_ladder_no_gpu());
}
const char* monofold_ladder_no_gpu() { return "this build has no GPU engine"; }
