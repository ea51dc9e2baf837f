/// runtime/float_members: members for some types of items.

#include "runtime/member_of.hpp"

namespace monofold::runtime {

template make_member_type make_member_for<float>;
template make_member_type make_member_for<double>;

}  // namespace monofold::runtime
