/// runtime/gpu/float_passes: passes for some types of items.

#include "runtime/gpu/device_passes.cuh"

namespace monofold::runtime {

template make_device_pass_type make_device_pass_for<float>;
template make_device_pass_type make_device_pass_for<double>;

}  // namespace monofold::runtime
