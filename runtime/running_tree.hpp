#pragma once
/// runtime/running_tree: a running reduction by members: as running_state, with types chosen at run time.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "monofold/engine/tree_joiner.hpp"
#include "monofold/platform/encoding.hpp"
#include "monofold/platform/status.hpp"
#include "runtime/any_engine.hpp"
#include "runtime/member_states.hpp"
#include "runtime/raw_items.hpp"

namespace monofold::runtime {

/// order      and errors of running_state, of which this keeps the saved form too
/// tested by  tests/runtime/reducer_test.cpp, tests/runtime/saved_reducer_test.cpp
class running_tree {
 public:
  running_tree(const any_engine& engine, const member_list& members, int item_bytes,
               std::int64_t first_index);

  std::int64_t first_index() const { return first_index_; }
  std::int64_t count() const { return count_; }
  /// How many items the tile in which this ends still takes; 0 at its end.
  std::int64_t items_to_boundary() const;

  /// Appends items in host memory.
  void push(const raw_items& items);
  /// Appends items that lie elsewhere: fold_whole(at, count, first_tile, first_index, out) folds whole
  /// tiles of them, and to_host(at, count) brings the others, which are fewer than two tiles, to `push`.
  template <class FoldWhole, class ToHost>
  void push_by_tiles(std::int64_t count, const FoldWhole& fold_whole, const ToHost& to_host) {
    const std::int64_t head = std::min(count, items_to_boundary());
    const std::int64_t whole = (count - head) / tile_items() * tile_items();
    if (head > 0) to_host(0, head);
    if (whole > 0) {
      fold_whole(head, whole, next_tile(), end_index(), nodes_);
      count_ += whole;
    }
    if (head + whole < count) to_host(head + whole, count - head - whole);
  }
  void merge(const running_tree& next);
  /// Appends `count` items that were folded elsewhere, by their state.
  void append(const member_states& folded, std::int64_t count);

  /// The state of everything so far, where there is anything.
  result<member_states> total() const;
  /// The parts of a saved state; `total_only`: the tree is not kept. `load` refuses, as malformed_state,
  /// what no `save` leaves.
  void save(byte_writer& out, bool total_only) const;
  void load(byte_reader& in);

 private:
  std::int64_t tile_items() const { return tile_items_of(item_bytes_); }
  std::int64_t end_index() const { return first_index_ + count_; }
  std::int64_t held() const { return static_cast<std::int64_t>(pending_.size()) / item_bytes_; }
  std::int64_t next_tile() const { return (end_index() - held() - grid_origin_) / tile_items(); }
  members_fold fold() const { return {members_}; }
  void hold(const raw_items& items);
  member_states fold_pending() const;
  void write(byte_writer& out, const member_states& value) const;
  member_states read(byte_reader& in) const;
  void load_nodes(byte_reader& in, std::int64_t first_tile, std::int64_t end_tile);

  const any_engine* engine_;
  const member_list* members_;
  int item_bytes_;
  std::int64_t first_index_;
  std::int64_t count_ = 0;
  // Tiles are counted from here: from 0 where the shard starts on the global grid.
  std::int64_t grid_origin_ = 0;
  any_engine::joiner nodes_;           // whole tiles since grid_origin_ (or first_index_)
  std::vector<char> pending_;          // the items after them, fewer than a tile
  std::vector<member_states> closed_;  // none, or the state of what lies before grid_origin_
};

}  // namespace monofold::runtime
