// Runs of float32 by int64.

#include "bench/groups/runs.cuh"

namespace bench {

std::vector<groups_family> runs_by_int64() { return runs_by<std::int64_t>(gpu_items::int64); }

}  // namespace bench
