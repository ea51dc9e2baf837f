#include "ladder/climber.cuh"

namespace monofold::ladder {

climber* make_int64_climber(const task& what, const void* items) {
  return make_climber<std::int64_t, std::uint64_t>(what, items);
}

}  // namespace monofold::ladder
