#include "ladder/climber.cuh"

namespace monofold::ladder {

climber* make_float64_climber(const task& what, const void* items) {
  return make_climber<double, double>(what, items);
}

}  // namespace monofold::ladder
