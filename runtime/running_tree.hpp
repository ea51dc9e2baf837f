#pragma once
/// runtime/running_tree: a running reduction by members: as running_state, with types chosen at run time.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "monofold/engine/running_parts.hpp"
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

  std::int64_t first_index() const { return parts_.first_index; }
  std::int64_t count() const { return parts_.count; }
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
      fold_whole(head, whole, next_tile(), parts_.end_index(), parts_.nodes);
      parts_.count += whole;
    }
    if (head + whole < count) to_host(head + whole, count - head - whole);
  }
  void merge(const running_tree& next);
  /// Appends what another tree of the same members has seen, wherever it began: by its state.
  void append(const running_tree& next);
  /// Appends `count` items that were folded elsewhere, by their state.
  void append(const member_states& folded, std::int64_t count);
  /// Has `count` items from now on, with this state where there are any; the first index stays.
  void replace(member_states folded, std::int64_t count);

  /// Has `count` items more, or fewer, of which the settled state tells.
  void count_on(std::int64_t count);

  /// Becomes as another tree of the same members.
  void assign(const running_tree& other);

  /// Keeps the state of everything so far in place of the tree.
  void settle();
  /// That state, where nothing was pushed after it; else null.
  const member_states* settled() const;

  /// The state of everything so far, where there is anything.
  result<member_states> total() const;
  /// Calls use(state) with it, or with null where there is nothing; without a copy where it is kept.
  template <class Use>
  auto with_total(const Use& use) const {
    if (const member_states* const kept = settled()) return use(kept);
    const result<member_states> made = total();
    return use(made ? &*made : nullptr);
  }
  /// The parts of a saved state; `total_only`: the tree is not kept. `load` refuses, as malformed_state,
  /// what no `save` leaves.
  void save(byte_writer& out, bool total_only) const;
  void load(byte_reader& in);

 private:
  std::int64_t tile_items() const { return tile_items_of(item_bytes_); }
  std::int64_t held() const { return static_cast<std::int64_t>(pending_.size()) / item_bytes_; }
  std::int64_t next_tile() const {
    return (parts_.end_index() - held() - parts_.grid_origin) / tile_items();
  }
  members_fold fold() const { return {members_}; }
  void hold(const raw_items& items);
  member_states fold_pending() const;
  void write(byte_writer& out, const member_states& value) const;
  member_states read(byte_reader& in) const;

  const any_engine* engine_;
  const member_list* members_;
  int item_bytes_;
  monofold::detail::running_parts<member_states> parts_;
  std::vector<char> pending_;  // the items after the last whole tile
};

}  // namespace monofold::runtime
