/// runtime/make_member: finds the members of a type.

#include "monofold/platform/dtype.hpp"
#include "monofold/platform/status.hpp"
#include "runtime/member_of.hpp"

namespace monofold::runtime {

std::unique_ptr<member> make_member(const member_request& what) {
  if (what.kind == family::logsumexp) return make_logsumexp_member(what);
  std::unique_ptr<member> made =
      visit_dtype(what.type, [&]<class Item>() { return make_member_for<Item>(what); });
  if (made == nullptr) throw error(status::unsupported);
  return made;
}

}  // namespace monofold::runtime
