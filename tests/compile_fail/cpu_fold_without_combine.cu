/// compile_fail/cpu_fold_without_combine: nvcc says what a fold lacks, on a CPU too.
// EXPECT: Why=monofold::why::the_fold_has_no_combine_of_two_states

#include "monofold/monofold.cuh"

struct longest {
  using state = int;
  state lift(int item, std::int64_t) const { return item; }
};

auto answer(const monofold::contiguous_view<int>& items) {
  return monofold::reduce(items, longest{});
}
