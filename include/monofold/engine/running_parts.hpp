#pragma once
/// engine/running_parts: what a reduction in pieces keeps from one piece to the next, and its saved form.

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "monofold/engine/tree_joiner.hpp"
#include "monofold/plan/tree.hpp"
#include "monofold/platform/encoding.hpp"
#include "monofold/platform/status.hpp"

namespace monofold::detail {

/// All but the items that do not fill a tile yet: who has this holds those.
///
/// order      see running_state
/// tested by  tests/api/running_state_test.cpp, tests/runtime/reducer_test.cpp
template <class State>
struct running_parts {
  std::int64_t first_index = 0;
  std::int64_t count = 0;  // held items too
  // Tiles are counted from here: from 0 where the shard starts on the global grid.
  std::int64_t grid_origin = 0;
  tree_joiner<State> nodes{};   // whole tiles since grid_origin (or first_index)
  std::vector<State> closed{};  // none, or the state of what lies before grid_origin

  static running_parts of_nothing(std::int64_t first_index, std::int64_t tile_items) {
    if (first_index < 0) throw error(status::invalid_argument, "first_index is negative");
    return {first_index, 0, first_index % tile_items != 0 ? first_index : 0};
  }

  std::int64_t end_index() const { return first_index + count; }

  /// The state of everything, where there is anything; fold_held() gives that of the held items.
  template <class F, class FoldHeld>
  result<State> total(const F& f, bool any_held, const FoldHeld& fold_held) const {
    if (count == 0) return status::empty_input;
    State all{};
    bool any = any_held;
    if (any_held) all = fold_held();
    // Joined with all to its left in turn, as tree_joiner does with a node that it is given last.
    const auto join = [&](const State& left) {
      all = any ? f.combine(left, all) : left;
      any = true;
    };
    const auto& entries = nodes.entries();
    for (auto it = entries.rbegin(); it != entries.rend(); ++it) join(it->value);
    for (const State& before : closed) join(before);
    return all;
  }

  /// Takes over the tree of `next`, which must start where this one ends, and says whether it can: where
  /// both are on one grid. `aligned`: no items are held here.
  template <class F>
  bool take_over(const F& f, const running_parts& next, bool aligned) {
    if (next.first_index != end_index()) {
      throw error(status::invalid_argument, "merge of a state that does not start where this ends");
    }
    if (!aligned || !closed.empty() || !next.closed.empty() || grid_origin != next.grid_origin) {
      return false;
    }
    for (const auto& entry : next.nodes.entries()) nodes.push(f, entry.node, entry.value);
    count += next.count;
    return true;
  }

  /// What is left when all so far has become one state, and what follows has a tree of its own.
  running_parts closed_up(State all) const {
    running_parts out{first_index, count, end_index()};
    out.closed.push_back(std::move(all));
    return out;
  }
};

/// The bytes of a saved state, behind its head: write(out, state) for each state, `num_held` items, which
/// write_held() writes.
template <class State, class Write, class WriteHeld>
void save_parts(byte_writer& out, const running_parts<State>& own, const Write& write,
                std::size_t num_held, const WriteHeld& write_held) {
  encode(out, own.first_index);
  encode(out, own.count);
  encode(out, own.grid_origin);
  encode(out, !own.closed.empty());
  if (!own.closed.empty()) write(out, own.closed[0]);
  encode(out, static_cast<std::uint64_t>(own.nodes.entries().size()));
  for (const auto& entry : own.nodes.entries()) {
    encode(out, static_cast<std::int32_t>(entry.node.level));
    encode(out, entry.node.position);
    write(out, entry.value);
  }
  encode(out, static_cast<std::uint64_t>(num_held));
  if (num_held != 0) write_held();
}

[[noreturn]] inline void refuse_parts() {
  throw error(status::malformed_state, "its parts do not fit");
}

/// The nodes of tiles [first_tile, end_tile), which stand side by side.
template <class State, class F, class Read>
void load_nodes(byte_reader& in, const F& f, std::int64_t first_tile, std::int64_t end_tile,
                const Read& read, tree_joiner<State>& out) {
  std::int64_t tile = first_tile;
  const auto num_nodes = decoded<std::uint64_t>(in);
  for (std::uint64_t i = 0; i < num_nodes; ++i) {
    const auto level = decoded<std::int32_t>(in);
    const auto position = decoded<std::int64_t>(in);
    if (level < 0 || level > 62) refuse_parts();
    if (position < 0 || position > std::numeric_limits<std::int64_t>::max() >> level) {
      refuse_parts();
    }
    const tree_node node{level, position};
    const std::int64_t size = std::int64_t{1} << level;
    if (node.first_tile() != tile || size > end_tile - tile) refuse_parts();
    tile += size;
    out.push(f, node, read(in));
  }
  if (tile != end_tile) refuse_parts();
}

/// What save_parts wrote, to the end: read(in) gives a state, read_held(count) reads the held items. Bytes
/// that no state leaves are refused as malformed_state, so that later calls meet none.
template <class State, class F, class Read, class ReadHeld>
running_parts<State> load_parts(byte_reader& in, const F& f, std::int64_t tile_items,
                                const Read& read, const ReadHeld& read_held) {
  running_parts<State> own;
  decode(in, own.first_index);
  decode(in, own.count);
  decode(in, own.grid_origin);
  const std::int64_t first = own.first_index;
  const std::int64_t origin = own.grid_origin;
  if (first < 0 || own.count < 0 || own.count > std::numeric_limits<std::int64_t>::max() - first) {
    refuse_parts();
  }
  const std::int64_t end = own.end_index();
  const bool is_closed = decoded<bool>(in);
  if (is_closed) {
    if (origin <= first || origin > end) refuse_parts();
    own.closed.push_back(read(in));
  } else if (origin != (first % tile_items == 0 ? 0 : first)) {
    refuse_parts();
  }
  // From the grid's origin, or the first item, on.
  const std::int64_t end_tile = (end - origin) / tile_items;
  load_nodes(in, f, is_closed ? 0 : (first - origin) / tile_items, end_tile, read, own.nodes);
  const auto num_held = static_cast<std::int64_t>(decoded<std::uint64_t>(in));
  if (num_held != end - origin - end_tile * tile_items) refuse_parts();
  read_held(num_held);
  if (in.size() != 0) refuse_parts();
  return own;
}

}  // namespace monofold::detail
