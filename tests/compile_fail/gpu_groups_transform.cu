/// compile_fail/gpu_groups_transform: a kernel computes the keys; their function is for the host alone.
// EXPECT: calling a __host__ function\("hour_of::operator ?\(\).*item_of_view_needs_MONOFOLD_HD

#include "monofold/group_by.cuh"
#include "monofold/monofold.cuh"

struct hour_of {
  int operator()(int seconds) const { return seconds / 3600; }
};

auto answer(const monofold::contiguous_view<int>& seconds,
            const monofold::contiguous_view<float>& items) {
  return monofold::group_by(monofold::gpu, monofold::transform(seconds, hour_of{}), items,
                            monofold::plain_sum);
}
