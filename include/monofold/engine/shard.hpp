#pragma once
/// engine/shard: what a rank or a device makes of its items, and one state made of what all have.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "monofold/engine/cpu.hpp"
#include "monofold/engine/tree_joiner.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/fold/name.hpp"
#include "monofold/plan/tiles.hpp"
#include "monofold/plan/tree.hpp"
#include "monofold/platform/encoding.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/shape/part.hpp"

namespace monofold::detail {

/// Neighbouring items as the grid of tiles cuts them: some at either end that fill no tile, and whole tiles.
struct shard_cut {
  std::int64_t first;  // index of the first item
  std::int64_t head;   // items before the first whole tile, or all of them
  std::int64_t first_tile;
  std::int64_t end_tile;
  std::int64_t tail;

  static constexpr shard_cut of(std::int64_t first, std::int64_t count, std::int64_t tile) {
    const std::int64_t into = first % tile;
    const std::int64_t head = into == 0 ? 0 : std::min(count, tile - into);
    const std::int64_t first_tile = (first + head) / tile;  // read only where there is one
    const std::int64_t whole = (count - head) / tile;
    return {first, head, first_tile, first_tile + whole, count - head - whole * tile};
  }
};

template <class T>
inline constexpr bool travels_as_it_is_v = std::is_trivially_copyable_v<T>;

/// Appends a state or an item: its memory where that is all of it, else its encoding.
template <class T, class Encode>
void put_value(byte_writer& out, const T& value, const Encode& encode_it) {
  if constexpr (travels_as_it_is_v<T>) {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    out.put(bytes);
  } else {
    encode_it();
  }
}
template <class F>
void put_state(byte_writer& out, const F& f, const typename F::state& value) {
  put_value(out, value, [&] { encode_state(out, f, value); });
}
template <class Item>
void put_item(byte_writer& out, const Item& item) {
  put_value(out, item, [&] { encode(out, item); });
}

template <class T>
T take_value(byte_reader& in) {
  if constexpr (travels_as_it_is_v<T>) {
    T value;
    std::memcpy(static_cast<void*>(&value), in.take(sizeof(T)).data(), sizeof(T));
    return value;
  } else {
    return decoded<T>(in);
  }
}

/// Whether the bytes of a shard follow from its place alone.
template <class F, class Item>
inline constexpr bool has_known_bytes_v = travels_as_it_is_v<typename F::state> &&
                                          (is_exact_v<F> || travels_as_it_is_v<Item>);

template <class F, class Item>
std::int64_t known_shard_bytes(std::int64_t first, std::int64_t count) {
  constexpr auto state_bytes = static_cast<std::int64_t>(sizeof(typename F::state));
  if (is_exact_v<F>) return count == 0 ? 0 : state_bytes;
  const shard_cut cut = shard_cut::of(first, count, tile_items_v<Item>);
  std::int64_t nodes = 0;
  for (std::int64_t tile = cut.first_tile; tile < cut.end_tile; ++nodes) {
    tile = next_node(tile, cut.end_tile, 62).end_tile();
  }
  return nodes * state_bytes + (cut.head + cut.tail) * static_cast<std::int64_t>(sizeof(Item));
}

/// Appends the bytes of a shard: of an exact fold one state; else items at the ends as they are, and between
/// them the states of the largest nodes of the plan's tree. No items: no bytes.
///
/// cost       one pass by the engine; at most 2 x 62 states and two tiles of items
template <class Engine, class F, class View>
void put_shard(const Engine& engine, const F& f, const View& view, std::int64_t first,
               byte_writer& out) {
  using item = typename View::item_type;
  const auto count = static_cast<std::int64_t>(view.size());
  if (count == 0) return;
  tree_joiner<typename F::state> nodes;
  if constexpr (is_exact_v<F>) {
    fold_tiles(engine, f, view, 0, first, nodes);
    put_state(out, f, nodes.total(f));
  } else {
    const shard_cut cut = shard_cut::of(first, count, tile_items_v<item>);
    const auto put_items = [&](std::int64_t at, std::int64_t n) {
      if (n == 0) return;
      visit_items(engine, part_of(view, at, n), [&](const item& one) { put_item(out, one); });
    };
    put_items(0, cut.head);
    const std::int64_t whole = count - cut.head - cut.tail;
    if (whole > 0) {
      fold_tiles(engine, f, part_of(view, cut.head, whole), cut.first_tile, first + cut.head,
                 nodes);
    }
    for (const auto& entry : nodes.entries()) put_state(out, f, entry.value);
    put_items(count - cut.tail, cut.tail);
  }
}

/// Takes the shards of all ranks, or devices, in their order, and makes of them the state of all items.
///
/// order      the plan's tree over all items: what one call on them gives, wherever shards begin
template <class F, class Item>
class shard_joiner {
 public:
  using state = typename F::state;

  /// `first`: the index of the first item of the first shard. One that is not 0 makes a larger shard of shards: its
  /// `put` is then called, not `total`.
  explicit shard_joiner(const F& f, std::int64_t first = 0)
      : fold_(f),
        first_(first),
        head_(static_cast<std::size_t>(shard_cut::of(first, tile, tile).head)) {}

  /// The next `count` items, of a rank.
  void take(byte_reader& in, std::int64_t count) {
    take(
        count, [&] { return take_value<state>(in); }, [&] { return take_value<Item>(in); });
  }

  /// The same of calls that each give the next of a shard's states, or of its single items.
  template <class NextState, class NextItem>
  void take(std::int64_t count, const NextState& next_state, const NextItem& next_item) {
    if (count == 0) return;
    const std::int64_t first = first_ + count_;
    count_ += count;
    if constexpr (is_exact_v<F>) {
      nodes_.push(fold_, {0, num_shards_++}, next_state());  // any grouping will do
    } else {
      const shard_cut cut = shard_cut::of(first, count, tile);
      take_items(cut.head, next_item);
      for (std::int64_t at = cut.first_tile; at < cut.end_tile;) {
        const tree_node node = next_node(at, cut.end_tile, 62);
        nodes_.push(fold_, node, next_state());
        at = node.end_tile();
      }
      next_tile_ = (first + count - cut.tail) / tile;
      take_items(cut.tail, next_item);
    }
  }

  std::int64_t count() const { return count_; }

  /// Once all are there; none where they have no item.
  std::optional<state> total() {
    if (count_ == 0) return {};
    if (!held_.empty()) close_tile();
    return nodes_.total(fold_);
  }

  /// Appends all of it as a shard, as `put_shard` does.
  void put(byte_writer& out) const {
    if (count_ == 0) return;
    if constexpr (is_exact_v<F>) {
      put_state(out, fold_, nodes_.total(fold_));
    } else {
      for (const cell& one : before_) put_item(out, one.item);
      for (const auto& entry : nodes_.entries()) put_state(out, fold_, entry.value);
      for (const cell& one : held_) put_item(out, one.item);
    }
  }

 private:
  static constexpr std::int64_t tile = tile_items_v<Item>;

  // An item in a struct: a std::vector<bool> has no items that a pointer could point at.
  struct cell {
    Item item;
  };
  static_assert(sizeof(cell) == sizeof(Item));

  template <class NextItem>
  void take_items(std::int64_t count, const NextItem& next_item) {
    for (std::int64_t i = 0; i < count; ++i) {
      if (before_.size() < head_) {
        before_.push_back({next_item()});
        continue;
      }
      held_.push_back({next_item()});
      if (static_cast<std::int64_t>(held_.size()) == tile) close_tile();
    }
  }

  void close_tile() {
    const auto held = static_cast<std::int64_t>(held_.size());
    const contiguous_view<Item> items(&held_.data()->item, held);
    nodes_.push(fold_, {0, next_tile_}, fold_node(fold_, items, 0, held, next_tile_ * tile));
    ++next_tile_;
    held_.clear();
  }

  const F& fold_;
  std::int64_t first_;
  std::size_t head_;          // items before the first whole tile
  std::vector<cell> before_;  // of those
  tree_joiner<state> nodes_;
  std::vector<cell> held_;  // the items after the last whole tile
  std::int64_t next_tile_ = 0;
  std::int64_t num_shards_ = 0;
  std::int64_t count_ = 0;
};

}  // namespace monofold::detail
