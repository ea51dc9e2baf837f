// float32: every operation of the table.

#include "bench/table/case.cuh"

namespace bench {

std::vector<gpu_case> table_float32() {
  auto out = table_of<float, float, float>(gpu_items::float32, mf::plain_sum);
  out.push_back(table_top10<float>(gpu_items::float32));
  return out;
}

}  // namespace bench
