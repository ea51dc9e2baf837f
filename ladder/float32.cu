#include "ladder/climber.cuh"

namespace monofold::ladder {

climber* make_float32_climber(const task& what, const void* items) {
  return make_climber<float, float>(what, items);
}

}  // namespace monofold::ladder
