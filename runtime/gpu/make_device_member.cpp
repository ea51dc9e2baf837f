/// runtime/gpu/make_device_member: finds the members of a type.

#include "monofold/platform/dtype.hpp"
#include "runtime/gpu/device_member.hpp"

namespace monofold::runtime {

std::unique_ptr<device_member> make_device_member(const member_request& what) {
  return visit_dtype(what.type, [&]<class Item>() { return make_device_member_for<Item>(what); });
}

}  // namespace monofold::runtime
