/// compile_fail/gpu_groups_string_keys: on a GPU a key is one word.
// EXPECT: Why=monofold::why::on_a_gpu_a_key_is_a_number_or_an_array_of_up_to_8_bytes

#include <string>
#include <vector>

#include "monofold/group_by.cuh"
#include "monofold/monofold.cuh"

auto answer(const std::vector<std::string>& keys, const monofold::contiguous_view<float>& items) {
  return monofold::group_by(monofold::gpu, keys, items, monofold::plain_sum);
}
