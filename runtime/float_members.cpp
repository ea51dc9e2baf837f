/// runtime/float_members: members for some types of items, and for two types of the numbers that logsumexp keeps.

#include "runtime/member_of.hpp"

namespace monofold::runtime {

template make_member_type make_member_for<float>;
template make_member_type make_member_for<double>;

std::unique_ptr<member> make_logsumexp_member(const member_request& what) {
  constexpr auto rule = nan_rule::propagate;  // the fold is told
  if (what.type == dtype::float64) {
    return std::make_unique<member_of<family::logsumexp, double, rule>>(what);
  }
  return std::make_unique<member_of<family::logsumexp, float, rule>>(what);
}

}  // namespace monofold::runtime
