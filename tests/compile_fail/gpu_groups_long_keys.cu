/// compile_fail/gpu_groups_long_keys: on a GPU a key is one word.
// EXPECT: Why=monofold::why::on_a_gpu_a_key_is_a_number_or_an_array_of_up_to_8_bytes

#include <array>

#include "monofold/group_by.cuh"
#include "monofold/monofold.cuh"

auto answer(const monofold::contiguous_view<std::array<char, 9>>& keys,
            const monofold::contiguous_view<float>& items) {
  return monofold::reduce_by_key(monofold::gpu, keys, items, monofold::plain_sum);
}
