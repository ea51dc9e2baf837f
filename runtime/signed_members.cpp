/// runtime/signed_members: members for some types of items.

#include "runtime/member_of.hpp"

namespace monofold::runtime {

template make_member_type make_member_for<std::int8_t>;
template make_member_type make_member_for<std::int16_t>;
template make_member_type make_member_for<std::int32_t>;
template make_member_type make_member_for<std::int64_t>;

}  // namespace monofold::runtime
