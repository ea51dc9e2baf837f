/// runtime/gpu/signed_passes: passes for some types of items.

#include "runtime/gpu/device_passes.cuh"

namespace monofold::runtime {

template make_device_pass_type make_device_pass_for<std::int8_t>;
template make_device_pass_type make_device_pass_for<std::int16_t>;
template make_device_pass_type make_device_pass_for<std::int32_t>;
template make_device_pass_type make_device_pass_for<std::int64_t>;

}  // namespace monofold::runtime
