// int32: every operation of the table; CUB's sums are of 64 bits, as an exact sum needs.

#include "bench/table/case.cuh"

namespace bench {

std::vector<gpu_case> table_int32() {
  return table_of<std::int32_t, std::int32_t, std::int64_t>(gpu_items::int32, mf::plain_sum);
}

}  // namespace bench
