#include "ladder/rung_runner.cuh"

namespace monofold::ladder {

rung_runner* make_int32_rung_runner(const task& what, const void* items) {
  return make_rung_runner<std::int32_t, std::uint32_t>(what, items);
}

}  // namespace monofold::ladder
