/// runtime/unsigned_members: members for some types of items.

#include "runtime/member_of.hpp"

namespace monofold::runtime {

template make_member_type make_member_for<std::uint8_t>;
template make_member_type make_member_for<std::uint16_t>;
template make_member_type make_member_for<std::uint32_t>;
template make_member_type make_member_for<std::uint64_t>;
template make_member_type make_member_for<bool>;

}  // namespace monofold::runtime
