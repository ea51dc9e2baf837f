#pragma once
/// plan/tree: in which order states meet. One rule at every height: neighbours first.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "monofold/platform/host_device.hpp"

namespace monofold {

/// A node of the tree over tiles: the 2^level tiles that start at tile `position << level`, cut
/// off at the end of the data.
struct tree_node {
  int level;
  std::int64_t position;

  constexpr std::int64_t first_tile() const { return position << level; }
  constexpr std::int64_t end_tile() const { return (position + 1) << level; }
  friend constexpr bool operator==(const tree_node&, const tree_node&) = default;
};

/// The largest node that starts at tile `first`, has at most 2^max_level tiles and ends by `end`.
constexpr tree_node next_node(std::int64_t first, std::int64_t end, int max_level) {
  int level = max_level;
  if (first != 0) {
    const int aligned = std::countr_zero(static_cast<std::uint64_t>(first));
    level = aligned < level ? aligned : level;
  }
  while ((std::int64_t{1} << level) > end - first) --level;
  return {level, first >> level};
}

/// Joins the states of up to 2^max_level neighbouring tiles, as a binary counter does.
///
/// order      node (k, 2j) meets node (k, 2j + 1) to give node (k + 1, j); at the end a node
///            without a right neighbour passes through. Left operands are always the lower tiles
/// cost       one combine for each state but the first; max_level + 1 states kept, no allocation
/// tested by  tests/plan/tree_test.cpp
template <class State, int max_level>
class node_joiner {
 public:
  template <class Fold>
  MONOFOLD_INLINE void push(const Fold& f, State value) {
    std::int64_t carry = count_++;
    for (; (carry & 1) != 0; carry >>= 1) value = f.combine(stack_[--depth_], value);
    stack_[depth_++] = std::move(value);
  }

  bool empty() const { return depth_ == 0; }

  template <class Fold>
  MONOFOLD_INLINE State total(const Fold& f) const {
    std::size_t at = depth_ > 0 ? depth_ - 1 : 0;
    State all = stack_[at];
    while (at > 0) all = f.combine(stack_[--at], all);
    return all;
  }

 private:
  std::array<State, max_level + 1> stack_{};
  std::int64_t count_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace monofold
