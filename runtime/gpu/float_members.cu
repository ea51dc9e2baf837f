/// runtime/gpu/float_members: members for some types of items.

#include "runtime/gpu/device_members.cuh"

namespace monofold::runtime {

template make_device_member_type make_device_member_for<float>;
template make_device_member_type make_device_member_for<double>;

}  // namespace monofold::runtime
