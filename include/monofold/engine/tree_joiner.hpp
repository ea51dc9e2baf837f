#pragma once
/// engine/tree_joiner: joins the states of any number of neighbouring nodes of the plan's tree.

#include <utility>
#include <vector>

#include "monofold/plan/tree.hpp"

namespace monofold {

/// Joins the states of neighbouring nodes, given from left to right, as a binary counter does.
///
/// order      node (k, 2j) and node (k, 2j + 1) are combined to node (k + 1, j); at the end a node
///            without a right neighbour passes through. The tree is a function of the number of
///            tiles alone. Left operands are always the lower tiles
/// errors     none; nodes must be neighbours: each starts where the one before it ended
/// cost       one combine for each state but the first; at most 2 x 64 states kept, on the heap
/// tested by  tests/engine/tree_joiner_test.cpp
template <class State>
class tree_joiner {
 public:
  struct entry {
    tree_node node;
    State value;
  };

  /// Appends the state of `node`.
  template <class Fold>
  void push(const Fold& f, tree_node node, State value) {
    // A node of odd position is combined with the one to its left, where that is here: a joiner may
    // start in the middle of the grid, and then the left neighbour is in another joiner.
    while (!entries_.empty() && (node.position & 1) != 0 &&
           entries_.back().node.level == node.level) {
      value = f.combine(entries_.back().value, value);
      entries_.pop_back();
      node = {node.level + 1, node.position >> 1};
    }
    entries_.push_back({node, std::move(value)});
  }

  bool empty() const { return entries_.empty(); }
  const std::vector<entry>& entries() const { return entries_; }
  void clear() { entries_.clear(); }

  /// The state of everything pushed. Must not be empty.
  template <class Fold>
  State total(const Fold& f) const {
    auto it = entries_.rbegin();
    State sum = it->value;
    for (++it; it != entries_.rend(); ++it) sum = f.combine(it->value, sum);
    return sum;
  }
  /// That of everything pushed and a node that follows, which is not kept.
  template <class Fold>
  State total_with(const Fold& f, State last) const {
    for (auto it = entries_.rbegin(); it != entries_.rend(); ++it)
      last = f.combine(it->value, last);
    return last;
  }

 private:
  std::vector<entry> entries_;
};

}  // namespace monofold
