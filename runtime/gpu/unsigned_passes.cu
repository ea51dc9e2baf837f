/// runtime/gpu/unsigned_passes: passes for some types of items.

#include "runtime/gpu/device_passes.cuh"

namespace monofold::runtime {

template make_device_pass_type make_device_pass_for<std::uint8_t>;
template make_device_pass_type make_device_pass_for<std::uint16_t>;
template make_device_pass_type make_device_pass_for<std::uint32_t>;
template make_device_pass_type make_device_pass_for<std::uint64_t>;
template make_device_pass_type make_device_pass_for<bool>;

}  // namespace monofold::runtime
