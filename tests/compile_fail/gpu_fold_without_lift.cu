/// compile_fail/gpu_fold_without_lift: nvcc says what a fold lacks.
// EXPECT: Why=monofold::why::the_fold_has_no_lift_from_an_item_and_its_index

#include "monofold/monofold.cuh"

struct longest {
  using state = int;
  MONOFOLD_HD state lift(int item) const { return item; }
  MONOFOLD_HD state combine(state left, state right) const { return left < right ? right : left; }
};

auto answer(const monofold::contiguous_view<float>& items) {
  return monofold::reduce(monofold::gpu, items, longest{});
}
