/// runtime/gpu/half_passes: passes for some types of items.

#include "runtime/gpu/device_passes.cuh"

namespace monofold::runtime {

template make_device_pass_type make_device_pass_for<float16>;
template make_device_pass_type make_device_pass_for<bfloat16>;

}  // namespace monofold::runtime
