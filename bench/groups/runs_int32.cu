// Runs of float32 by int32.

#include "bench/groups/runs.cuh"

namespace bench {

std::vector<groups_family> runs_by_int32() { return runs_by<std::int32_t>(gpu_items::int32); }

}  // namespace bench
