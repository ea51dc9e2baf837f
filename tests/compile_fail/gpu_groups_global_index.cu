/// compile_fail/gpu_groups_global_index: items were moved, and their places are not kept.
// EXPECT: Why=monofold::why::on_a_gpu_indices_count_in_their_group_there_is_no_global_index

#include "monofold/group_by.cuh"
#include "monofold/monofold.cuh"

auto answer(const monofold::contiguous_view<int>& keys,
            const monofold::contiguous_view<float>& items) {
  return monofold::group_by(monofold::gpu, keys, items, monofold::argmax,
                            monofold::key_order::sorted, monofold::global_index);
}
