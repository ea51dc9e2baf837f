/// runtime/gpu/signed_members: members for some types of items.

#include "runtime/gpu/device_members.cuh"

namespace monofold::runtime {

template make_device_member_type make_device_member_for<std::int8_t>;
template make_device_member_type make_device_member_for<std::int16_t>;
template make_device_member_type make_device_member_for<std::int32_t>;
template make_device_member_type make_device_member_for<std::int64_t>;

}  // namespace monofold::runtime
