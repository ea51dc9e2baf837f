#pragma once
/// runtime/member_states: the states of several members, which fold the same items, as one.

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/member.hpp"

namespace monofold::runtime {

using member_list = std::vector<std::unique_ptr<member>>;

/// One state a member; copied by cloning.
class member_states {
 public:
  member_states() = default;
  member_states(member_states&&) noexcept = default;
  member_states& operator=(member_states&&) noexcept = default;
  member_states(const member_states& other) {
    parts.reserve(other.parts.size());
    for (const auto& part : other.parts) parts.push_back(part->clone());
  }
  member_states& operator=(const member_states& other) { return *this = member_states(other); }
  ~member_states() = default;

  std::vector<std::unique_ptr<state_box>> parts;
};

/// What joins them, for the trees of engine/.
struct members_fold {
  using state = member_states;

  state combine(const state& left, const state& right) const {
    state joined = left;
    for (std::size_t i = 0; i < members->size(); ++i) {
      (*members)[i]->combine(*joined.parts[i], *right.parts[i]);
    }
    return joined;
  }

  const member_list* members;
};

}  // namespace monofold::runtime
