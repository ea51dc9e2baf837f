/// compile_fail/gpu_generate: a kernel calls the function of `generate`, which is for the host alone.
// EXPECT: calling a __host__ function\("root_of::operator.*item_of_view_needs_MONOFOLD_HD

#include "monofold/monofold.cuh"

struct root_of {
  double operator()(std::int64_t i) const { return 1.0 / static_cast<double>(i + 1); }
};

auto answer(std::int64_t count) {
  return monofold::reduce(monofold::gpu, monofold::generate(count, root_of{}), monofold::sum);
}
