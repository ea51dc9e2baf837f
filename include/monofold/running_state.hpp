#pragma once
/// running_state: a reduction that takes its data in pieces.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "monofold/engine/cpu.hpp"
#include "monofold/engine/tree_joiner.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/fold/name.hpp"
#include "monofold/platform/encoding.hpp"
#include "monofold/platform/sealed.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/shape/view.hpp"

namespace monofold {

/// The state of a reduction over chunks, files or shards.
///
/// shape      `push` appends items of type `Item` (`transform` makes them of others: nothing is
///            converted in silence); `merge` appends another state's items. Indices are global: the
///            first item has index `first_index()`
/// order      pushing chunks of any sizes gives the bits of one call on all of them. So does
///            merging states whose shards start at multiples of `tile_items` and were given their
///            `first_index`, from the shard at 0 on; other merges combine totals in order, and
///            only exact folds then give the bits of one call
/// sync       one thread at a time; `push` itself uses the engine's threads
/// errors     as status of the thrown `error`, invalid_argument: from push for a negative count, or
///            items that lie side by side at a null pointer (other views are taken at their word);
///            from merge where `next` does not start where this one ends. The state stays as it was
/// cost       push: one pass, and a copy of the items that do not fill a tile (at most a tile)
/// tested by  tests/api/running_state_test.cpp
template <class Item, class F, class Engine = cpu_engine>
requires fold_on<F, Item>
class running_state {
 public:
  using fold_type = bound_fold_t<F, Item>;
  using state_type = typename fold_type::state;
  using item_type = Item;
  static constexpr std::int64_t tile_items = tile_items_v<Item>;

  /// `Engine`: any for which fold_tiles of engine/cpu has a counterpart; from outside: the processor.
  explicit running_state(const F& f, std::int64_t first_index = 0, Engine engine = {})
      : fold_(bind_fold<Item>(f)), engine_(engine), first_index_(first_index) {
    if (first_index < 0) throw error(status::invalid_argument, "first_index is negative");
    if (first_index % tile_items != 0) grid_origin_ = first_index;
  }

  std::int64_t first_index() const { return first_index_; }
  std::int64_t count() const { return count_; }
  /// How many items the tile in which this state ends still takes; 0 at its end.
  std::int64_t items_to_boundary() const {
    return pending_.empty() ? 0 : tile_items - static_cast<std::int64_t>(pending_.size());
  }
  /// The engine of later calls.
  void use_engine(const Engine& engine) { engine_ = engine; }

  /// Appends the items of a range.
  template <reducible Range>
  void push(const Range& range) {
    constexpr bool of_our_type = std::is_same_v<item_of_t<Range>, Item>;
    static_assert(of_our_type,
                  "push: the range has items of another type than the state; "
                  "monofold::transform converts them");
    const auto view = view_of(range);
    if constexpr (!of_our_type) {
      return;
    } else if constexpr (contiguous_item_view<std::remove_cvref_t<decltype(view)>>) {
      push(view.data(), view.size());
    } else {
      if (view.size() < 0) throw error(status::invalid_argument, "negative count");
      push_view(view);
    }
  }

  /// Appends `count` items in memory.
  void push(const Item* items, std::int64_t count) {
    if (count < 0) throw error(status::invalid_argument, "negative count");
    if (count > 0 && items == nullptr) throw error(status::invalid_argument, "null items");
    push_view(contiguous_view<Item>(items, count));
  }

  /// Appends everything that `next` has seen.
  void merge(const running_state& next) {
    if (next.first_index_ != end_index()) {
      throw error(status::invalid_argument, "merge of a state that does not start where this ends");
    }
    if (next.count_ == 0) return;
    const bool one_grid = closed_.empty() && next.closed_.empty() && pending_.empty() &&
                          grid_origin_ == next.grid_origin_;
    if (one_grid) {
      for (const auto& entry : next.nodes_.entries()) nodes_.push(fold_, entry.node, entry.value);
      pending_ = next.pending_;
      count_ += next.count_;
    } else {
      append(*next.total(), next.count_);
    }
  }

  /// Appends `count` items that were folded elsewhere, by their state: this one's total and it are
  /// combined, and what is pushed later has a tree of its own.
  void append(const state_type& folded, std::int64_t count) {
    state_type joined = count_ != 0 ? fold_.combine(*total(), folded) : folded;
    closed_.clear();
    closed_.push_back(std::move(joined));
    nodes_.clear();
    pending_.clear();
    count_ += count;
    grid_origin_ = end_index();
  }

  /// The state of everything so far, where there is anything.
  result<state_type> total() const {
    if (count_ == 0) return status::empty_input;
    tree_joiner<state_type> tail = nodes_;
    if (!pending_.empty()) fold_pending(tail);
    if (closed_.empty()) return tail.total(fold_);
    return tail.empty() ? closed_[0] : fold_.combine(closed_[0], tail.total(fold_));
  }

  /// The answer for everything so far; more may be pushed afterwards.
  result<answer_t<fold_type>> try_finish() const {
    const result<state_type> all = total();
    return all ? finish_state(fold_, *all) : finish_empty(fold_);
  }

  /// The same, returning the bare value.
  ///
  /// errors     throws `error` with the status where there is no value
  answer_t<fold_type> finish() const { return try_finish().value(); }

  /// Everything that it holds, as the bytes of a file; nothing is lost: what is pushed or merged
  /// later has the bits that it would have had here. Of exact folds only the total is kept, so that
  /// sums of equal data have equal bytes, whatever the chunks.
  ///
  /// shape      the layout of platform/sealed, named by fold/name; the same on every machine
  /// tested by  tests/api/saved_state_test.cpp
  std::vector<unsigned char> save() const requires named_fold<fold_type> {
    byte_writer out;
    save_parts(out, is_exact_v<fold_type>,
               [&](byte_writer& to, const state_type& value) { encode_state(to, fold_, value); });
    return seal(fold_name<Item>(fold_), out.bytes());
  }

  /// Becomes what was saved; the fold and its parameters are this one's.
  ///
  /// errors     malformed_state, with a reason: bytes that are no saved state, a damaged one, one of
  ///            another fold or another type of item. The state stays as it was
  void load(std::span<const unsigned char> bytes) requires named_fold<fold_type> {
    const unsealed saved = unseal(bytes);
    const std::string own = fold_name<Item>(fold_);
    if (saved.name != own) {
      throw error(status::malformed_state, "it holds: " + saved.name + "; not: " + own);
    }
    byte_reader in(saved.payload);
    load_parts(in, [](byte_reader& from) { return decoded<state_type>(from); });
  }

  /// What `save` writes, by a function for states; `total_only`: the tree is not kept.
  template <class Encode>
  void save_parts(byte_writer& out, bool total_only, const Encode& write) const {
    encode(out, first_index_);
    encode(out, count_);
    if (total_only && count_ != 0) {
      encode(out, end_index());
      encode(out, true);
      write(out, *total());
      encode(out, std::uint64_t{0});
      encode(out, std::uint64_t{0});
      return;
    }
    encode(out, grid_origin_);
    encode(out, !closed_.empty());
    if (!closed_.empty()) write(out, closed_[0]);
    encode(out, static_cast<std::uint64_t>(nodes_.entries().size()));
    for (const auto& entry : nodes_.entries()) {
      encode(out, static_cast<std::int32_t>(entry.node.level));
      encode(out, entry.node.position);
      write(out, entry.value);
    }
    encode(out, static_cast<std::uint64_t>(pending_.size()));
    for (const cell& one : pending_) encode(out, one.item);
  }

  /// What `load` reads, to the end. Bytes that no state leaves are refused, so that later calls meet none.
  template <class Decode>
  void load_parts(byte_reader& in, const Decode& decode_state) {
    const auto refuse = [] { throw error(status::malformed_state, "its parts do not fit"); };
    running_state read(*this);
    read.nodes_.clear();
    read.pending_.clear();
    read.closed_.clear();
    decode(in, read.first_index_);
    decode(in, read.count_);
    decode(in, read.grid_origin_);
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    if (read.first_index_ < 0 || read.count_ < 0 || read.count_ > most - read.first_index_) {
      refuse();
    }
    const std::int64_t end = read.end_index();
    const std::int64_t first = read.first_index_;
    const bool is_closed = decoded<bool>(in);
    if (is_closed) {
      if (read.grid_origin_ <= first || read.grid_origin_ > end) refuse();
      read.closed_.push_back(decode_state(in));
    } else if (read.grid_origin_ != (first % tile_items == 0 ? 0 : first)) {
      refuse();
    }
    // The nodes stand side by side, from the grid's origin, or the first item, on.
    std::int64_t tile = is_closed ? 0 : (first - read.grid_origin_) / tile_items;
    const std::int64_t end_tile = (end - read.grid_origin_) / tile_items;
    const auto num_nodes = decoded<std::uint64_t>(in);
    for (std::uint64_t i = 0; i < num_nodes; ++i) {
      const auto level = decoded<std::int32_t>(in);
      const auto position = decoded<std::int64_t>(in);
      if (level < 0 || level > 62 || position < 0 || position > most >> level) refuse();
      const tree_node node{level, position};
      const std::int64_t size = std::int64_t{1} << level;
      if (node.first_tile() != tile || size > end_tile - tile) refuse();
      tile += size;
      read.nodes_.push(read.fold_, node, decode_state(in));
    }
    const auto num_pending = static_cast<std::int64_t>(decoded<std::uint64_t>(in));
    if (tile != end_tile) refuse();
    if (num_pending != end - read.grid_origin_ - end_tile * tile_items) refuse();
    for (std::int64_t i = 0; i < num_pending; ++i) read.pending_.push_back({decoded<Item>(in)});
    if (in.size() != 0) refuse();
    *this = std::move(read);
  }

 private:
  // An item in a struct: a std::vector<bool> has no items that a pointer could point at.
  struct cell {
    Item item;
  };
  static_assert(sizeof(cell) == sizeof(Item));

  std::int64_t end_index() const { return first_index_ + count_; }

  template <class View>
  void fold_whole_tiles(const View& view, std::int64_t index, tree_joiner<state_type>& out) const {
    fold_tiles(engine_, fold_, view, (index - grid_origin_) / tile_items, index, out);
  }

  void fold_pending(tree_joiner<state_type>& out) const {
    const auto held = static_cast<std::int64_t>(pending_.size());
    fold_whole_tiles(contiguous_view<Item>(&pending_.data()->item, held), end_index() - held, out);
  }

  template <class View>
  void push_view(const View& view) {
    std::int64_t at = 0;
    if (!pending_.empty()) {
      const std::int64_t missing = tile_items - static_cast<std::int64_t>(pending_.size());
      at = std::min(missing, view.size());
      hold(view, 0, at);
      if (at < missing) return;
      fold_pending(nodes_);
      pending_.clear();
    }
    const std::int64_t whole = (view.size() - at) / tile_items * tile_items;
    if (whole > 0) fold_whole_tiles(part_of(view, at, whole), end_index(), nodes_);
    count_ += whole;
    hold(view, at + whole, view.size());
  }

  /// Keeps items that do not fill a tile yet.
  template <class View>
  void hold(const View& view, std::int64_t from, std::int64_t to) {
    for (std::int64_t i = from; i < to; ++i) pending_.push_back({view[i]});
    count_ += to - from;
  }

  template <class View>
  static auto part_of(const View& view, std::int64_t at, std::int64_t count) {
    if constexpr (contiguous_item_view<View>) {
      return contiguous_view<Item>(view.data() + at, count);
    } else if constexpr (requires { view.part(at, count); }) {
      return view.part(at, count);
    } else {
      return generate(count, [view, at](std::int64_t i) -> Item { return view[at + i]; });
    }
  }

  fold_type fold_;
  Engine engine_;
  std::int64_t first_index_;
  std::int64_t count_ = 0;
  // Tiles are counted from here: from 0 where the shard starts on the global grid.
  std::int64_t grid_origin_ = 0;
  tree_joiner<state_type> nodes_;   // whole tiles since grid_origin_ (or first_index_)
  std::vector<cell> pending_;       // the items after them, fewer than a tile
  std::vector<state_type> closed_;  // none, or the state of what lies before grid_origin_
};

}  // namespace monofold
