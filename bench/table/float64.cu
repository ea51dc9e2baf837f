// float64: every operation of the table.

#include "bench/table/case.cuh"

namespace bench {

std::vector<gpu_case> table_float64() {
  auto out = table_of<double, double, double>(gpu_items::float64, mf::plain_sum);
  out.push_back(table_top10<double>(gpu_items::float64));
  return out;
}

}  // namespace bench
