/// runtime/make_member: finds the source file that has a fold.

#include "monofold/platform/status.hpp"
#include "runtime/member.hpp"

namespace monofold::runtime {

std::unique_ptr<member> make_member(const member_request& what) {
  for (const auto make :
       {make_sum_member, make_moments_member, make_summary_member, make_norm_member,
        make_extrema_member, make_top_member, make_bits_member}) {
    if (std::unique_ptr<member> made = make(what)) return made;
  }
  throw error(status::unsupported);
}

}  // namespace monofold::runtime
