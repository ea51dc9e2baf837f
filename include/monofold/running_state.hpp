#pragma once
/// running_state: a reduction that takes its data in pieces.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "monofold/engine/cpu.hpp"
#include "monofold/engine/running_parts.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/fold/name.hpp"
#include "monofold/plan/tiles.hpp"
#include "monofold/plan/tree.hpp"
#include "monofold/platform/encoding.hpp"
#include "monofold/platform/sealed.hpp"
#include "monofold/platform/sha256.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/shape/part.hpp"
#include "monofold/shape/view.hpp"

namespace monofold {

/// The state of a reduction over chunks, files or shards.
///
/// shape      `push` appends items of type `Item` (`transform` makes them of others: nothing is
///            converted in silence; __half are items of float16, __nv_bfloat16 of bfloat16); `merge` appends another state's items. Indices are global: the
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
/// tested by  tests/api/running_state_test.cpp, tests/gpu/running_state_test.cu
template <class Item, class F, class Engine = cpu_engine>
requires fold_on<F, Item>
class running_state {
 public:
  using fold_type = bound_fold_t<F, Item>;
  using state_type = typename fold_type::state;
  using item_type = Item;
  static constexpr std::int64_t tile_items = tile_items_v<Item>;

  /// `Engine`: any for which fold_tiles and visit_items of engine/cpu have counterparts.
  explicit running_state(const F& f, std::int64_t first_index = 0, Engine engine = {})
      : fold_(bind_fold<Item>(f)),
        engine_(engine),
        parts_(detail::running_parts<state_type>::of_nothing(first_index, tile_items)) {}

  std::int64_t first_index() const { return parts_.first_index; }
  std::int64_t count() const { return parts_.count; }
  /// How many items the tile in which this state ends still takes; 0 at its end.
  std::int64_t items_to_boundary() const { return pending_.empty() ? 0 : tile_items - held(); }
  /// The engine of later calls.
  void use_engine(const Engine& engine) { engine_ = engine; }

  /// Appends the items of a range; by an engine other than the state's, `push(mf::gpu, items)` for items
  /// that a device reads (running_state.cuh).
  template <reducible Range>
  void push(const Range& range) {
    push(engine_, range);
  }
  template <class By, reducible Range>
  void push(const By& engine, const Range& range) {
    constexpr bool of_our_type =
        std::is_same_v<item_of_t<Range>, Item> || detail::other_name_of<item_of_t<Range>, Item>;
    static_assert(of_our_type,
                  "push: the range has items of another type than the state; "
                  "monofold::transform converts them");
    if constexpr (of_our_type) {
      const auto view = own_view_of(range);
      if (view.size() < 0) throw error(status::invalid_argument, "negative count");
      if constexpr (contiguous_item_view<std::remove_cvref_t<decltype(view)>>) {
        if (view.size() > 0 && view.data() == nullptr) {
          throw error(status::invalid_argument, "null items");
        }
      }
      push_view(engine, view);
    }
  }

  /// Appends `count` items in memory.
  void push(const Item* items, std::int64_t count) { push(contiguous_view<Item>(items, count)); }
  template <detail::other_name_of<Item> Other>
  void push(const Other* items, std::int64_t count) {
    push(contiguous_view<Other>(items, count));
  }

  /// Appends everything that `next` has seen.
  void merge(const running_state& next) {
    const bool is_joined = parts_.take_over(fold_, next.parts_, pending_.empty());
    if (is_joined) {
      pending_ = next.pending_;
    } else if (next.count() != 0) {
      append(*next.total(), next.count());
    }
  }

  /// Appends `count` items that were folded elsewhere, by their state: this one's total and it are
  /// combined, and what is pushed later has a tree of its own.
  void append(const state_type& folded, std::int64_t count) {
    const auto before = total();
    state_type joined = before ? fold_.combine(*before, folded) : folded;
    pending_.clear();
    parts_.count += count;
    parts_ = parts_.closed_up(std::move(joined));
  }

  /// Subtracts everything that `part` has seen, all of which this state has seen too, wherever; first_index()
  /// stays. What is left has the bytes of a state that never saw those items.
  ///
  /// errors     throws invalid_argument for items that cannot have been here, as far as counts tell; the state stays
  ///            as it was. A fold whose states are no sums or counts does not compile
  /// tested by  tests/api/saved_state_test.cpp
  void subtract(const running_state& part) requires subtracts<fold_type> {
    const std::int64_t left = count() - part.count();
    if (left < 0) throw error(status::invalid_argument, "fewer items than are taken out");
    if (part.count() == 0) return;
    state_type rest = *total();
    if (!fold_.subtract(rest, *part.total())) {
      throw error(status::invalid_argument, "items that were not there are taken out");
    }
    pending_.clear();
    parts_ = detail::running_parts<state_type>::of_nothing(first_index(), tile_items);
    if (left == 0) return;
    parts_.count = left;
    parts_ = parts_.closed_up(std::move(rest));
  }

  /// The state of everything so far, where there is anything.
  result<state_type> total() const {
    return parts_.total(fold_, !pending_.empty(), [this] { return fold_pending(); });
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
  /// later has the bits that it would have had here. Exact folds keep only their total, so that sums
  /// of equal data have equal bytes, whatever the chunks.
  ///
  /// shape      the layout of platform/sealed, named by fold/name; the same on every machine
  /// tested by  tests/api/saved_state_test.cpp
  std::vector<unsigned char> save() const requires named_fold<fold_type> {
    byte_writer out;
    const auto write = [&](byte_writer& to, const state_type& value) {
      encode_state(to, fold_, value);
    };
    if (is_exact_v<fold_type> && count() != 0) {
      detail::save_parts(out, parts_.closed_up(*total()), write, 0, [] {});
    } else {
      detail::save_parts(out, parts_, write, pending_.size(), [&] {
        for (const cell& one : pending_) encode(out, one.item);
      });
    }
    return seal(fold_name<Item>(fold_), out.bytes());
  }

  /// A receipt for the items seen, which two parties compare: the SHA-256 of those bytes. States of one fold, type and
  /// first index that have seen the same items have the same one. A fold that is not exact does not compile.
  ///
  /// tested by  tests/api/saved_state_test.cpp
  sha256_digest digest() const requires(named_fold<fold_type>&& is_exact_v<fold_type>) {
    return sha256_of(save());
  }

  /// Whether two states would be saved as the same bytes: of an exact fold, whether their items and first indices are
  /// equal. The bytes of another fold, and so this, depend on the pieces.
  ///
  /// tested by  tests/api/saved_state_test.cpp
  friend bool operator==(const running_state& left,
                         const running_state& right) requires named_fold<fold_type> {
    return left.save() == right.save();
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
    byte_reader in(saved.payload, saved.version);
    std::vector<cell> held;
    parts_ = detail::load_parts<state_type>(
        in, fold_, tile_items, [](byte_reader& from) { return decoded<state_type>(from); },
        [&](std::int64_t n) {
          for (std::int64_t i = 0; i < n; ++i) held.push_back({decoded<Item>(in)});
        });
    pending_ = std::move(held);
  }

 private:
  /// The view of a range of `Item`, or of CUDA's name for it.
  template <class Range>
  static constexpr auto own_view_of(const Range& range) {
    if constexpr (std::is_same_v<item_of_t<Range>, Item>) {
      return view_of(range);
    } else {
      return stored_view_of(range);
    }
  }

  // An item in a struct: a std::vector<bool> has no items that a pointer could point at.
  struct cell {
    Item item;
  };
  static_assert(sizeof(cell) == sizeof(Item));

  std::int64_t held() const { return static_cast<std::int64_t>(pending_.size()); }
  /// The tile in which held items, or the next one, lie.
  std::int64_t next_tile() const {
    return (parts_.end_index() - held() - parts_.grid_origin) / tile_items;
  }

  /// By this thread: there are few.
  state_type fold_pending() const {
    const contiguous_view<Item> items(&pending_.data()->item, held());
    return detail::fold_node(fold_, items, 0, held(), parts_.end_index() - held());
  }

  template <class By, class View>
  void push_view(const By& engine, const View& view) {
    if constexpr (std::is_same_v<By, cpu_engine>) {
      take_view(engine, view);
    } else {
      running_state next(*this);  // a device may fail halfway
      next.take_view(engine, view);
      *this = std::move(next);
    }
  }

  template <class By, class View>
  void take_view(const By& engine, const View& view) {
    std::int64_t at = 0;
    if (!pending_.empty()) {
      at = std::min(items_to_boundary(), view.size());
      hold(engine, view, 0, at);
      if (held() < tile_items) return;
      const tree_node node{0, next_tile()};
      parts_.nodes.push(fold_, node, fold_pending());
      pending_.clear();
    }
    const std::int64_t whole = (view.size() - at) / tile_items * tile_items;
    if (whole > 0) {
      fold_tiles(engine, fold_, detail::part_of(view, at, whole), next_tile(), parts_.end_index(),
                 parts_.nodes);
    }
    parts_.count += whole;
    hold(engine, view, at + whole, view.size());
  }

  /// Keeps items that do not fill a tile yet.
  template <class By, class View>
  void hold(const By& engine, const View& view, std::int64_t from, std::int64_t to) {
    if (from == to) return;
    visit_items(engine, detail::part_of(view, from, to - from),
                [this](const Item& item) { pending_.push_back({item}); });
    parts_.count += to - from;
  }

  fold_type fold_;
  Engine engine_;
  detail::running_parts<state_type> parts_;
  std::vector<cell> pending_;  // the items after the last whole tile
};

}  // namespace monofold
