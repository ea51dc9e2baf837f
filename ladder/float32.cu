#include "ladder/rung_runner.cuh"

namespace monofold::ladder {

rung_runner* make_float32_rung_runner(const task& what, const void* items) {
  return make_rung_runner<float, float>(what, items);
}

}  // namespace monofold::ladder
