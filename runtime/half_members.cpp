/// runtime/half_members: members for some types of items.

#include "runtime/member_of.hpp"

namespace monofold::runtime {

template make_member_type make_member_for<float16>;
template make_member_type make_member_for<bfloat16>;

}  // namespace monofold::runtime
