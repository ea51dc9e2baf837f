#pragma once
/// runtime/erased_fold: several members as one fold, so that the CPU engine can run them.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "monofold/level/core.hpp"
#include "runtime/member.hpp"

namespace monofold {

namespace runtime {

/// An item of a size, of which the plan needs to know no more.
template <int bytes>
struct alignas(bytes) raw_item {
  unsigned char byte[static_cast<std::size_t>(bytes)];

  template <class Self, class Visit>
  static void each_field(Self& self, const Visit& visit) {
    for (auto& one : self.byte) visit(one);
  }
};

/// The states of all members; copied by cloning.
class erased_state {
 public:
  erased_state() = default;
  erased_state(erased_state&&) noexcept = default;
  erased_state& operator=(erased_state&&) noexcept = default;
  erased_state(const erased_state& other) {
    for (const auto& part : other.parts) parts.push_back(part->clone());
  }
  erased_state& operator=(const erased_state& other) { return *this = erased_state(other); }
  ~erased_state() = default;

  std::vector<std::unique_ptr<state_box>> parts;
};

/// A fold over raw items whose members read the same blocks in turn.
template <class Raw>
struct erased_fold {
  using state = erased_state;

  const std::vector<std::unique_ptr<member>>* members;

  state lift(const Raw& item, std::int64_t index) const;
  state combine(const state& left, const state& right) const {
    state joined;
    for (std::size_t i = 0; i < members->size(); ++i) {
      joined.parts.push_back((*members)[i]->combine(*left.parts[i], *right.parts[i]));
    }
    return joined;
  }
};

}  // namespace runtime

template <class Raw>
class node_folder<runtime::erased_fold<Raw>, Raw> {
 public:
  explicit node_folder(const runtime::erased_fold<Raw>& fold) {
    for (const auto& one : *fold.members) folders_.push_back(one->start());
    if (!folders_.empty()) folders_.front()->lead();
  }
  void add(const Raw* items, std::int64_t count, std::int64_t index) {
    for (const auto& one : folders_) one->add(items, count, index);
  }
  runtime::erased_state total() const {
    runtime::erased_state all;
    for (const auto& one : folders_) all.parts.push_back(one->total());
    return all;
  }

 private:
  std::vector<std::unique_ptr<runtime::member_folder>> folders_;
};

namespace runtime {

template <class Raw>
erased_state erased_fold<Raw>::lift(const Raw& item, std::int64_t index) const {
  node_folder<erased_fold, Raw> folder(*this);
  folder.add(&item, 1, index);
  return folder.total();
}

}  // namespace runtime

}  // namespace monofold
