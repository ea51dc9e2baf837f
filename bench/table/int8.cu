// int8: every operation of the table; CUB's sums are of 64 bits, as an exact sum needs.

#include "bench/table/case.cuh"

namespace bench {

std::vector<gpu_case> table_int8() {
  return table_of<std::int8_t, std::int8_t, std::int64_t>(gpu_items::int8, mf::plain_sum);
}

}  // namespace bench
