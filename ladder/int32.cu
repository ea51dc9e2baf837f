#include "ladder/climber.cuh"

namespace monofold::ladder {

climber* make_int32_climber(const task& what, const void* items) {
  return make_climber<std::int32_t, std::uint32_t>(what, items);
}

}  // namespace monofold::ladder
