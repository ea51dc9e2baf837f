#include "ladder/rung_runner.cuh"

namespace monofold::ladder {

rung_runner* make_int64_rung_runner(const task& what, const void* items) {
  return make_rung_runner<std::int64_t, std::uint64_t>(what, items);
}

}  // namespace monofold::ladder
