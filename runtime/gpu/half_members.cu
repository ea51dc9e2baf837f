/// runtime/gpu/half_members: members for some types of items.

#include "runtime/gpu/device_members.cuh"

namespace monofold::runtime {

template make_device_member_type make_device_member_for<float16>;
template make_device_member_type make_device_member_for<bfloat16>;

}  // namespace monofold::runtime
