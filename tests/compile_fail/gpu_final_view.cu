/// compile_fail/gpu_final_view: a kernel calls the items of a final view, which are for the host alone.
// EXPECT: calling a __host__ function\("squares::operator.*item_of_view_needs_MONOFOLD_HD

#include "monofold/monofold.cuh"

struct squares final {
  using item_type = float;
  const float* items;
  unsigned count;

  unsigned size() const { return count; }
  float operator[](std::int64_t i) const { return items[i] * items[i]; }
};

auto answer(const squares& view) { return monofold::reduce(monofold::gpu, view, monofold::sum); }
