/// compile_fail/gpu_operator_is_no_fold: nvcc says how an operator becomes a fold.
// EXPECT: Why=monofold::why::an_operator_is_no_fold_wrap_it_by_ordered

#include <functional>

#include "monofold/monofold.cuh"

auto answer(const monofold::contiguous_view<float>& items) {
  return monofold::reduce(monofold::gpu, items, std::plus<>{});
}
