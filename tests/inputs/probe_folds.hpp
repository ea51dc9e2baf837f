#pragma once
/// inputs/probe_folds: folds whose state tells the whole tree apart, and items of every size.

#include <array>
#include <cstddef>
#include <cstdint>

#include "tests/inputs/random.hpp"

namespace inputs {

/// An item of any size; its bytes are a function of its number.
template <std::size_t bytes>
struct sized_item {
  std::array<std::uint8_t, bytes> byte;

  static sized_item of(std::int64_t number) {
    sized_item out;
    for (std::size_t b = 0; b < bytes; ++b) {
      out.byte[b] =
          static_cast<std::uint8_t>(mixed(static_cast<std::uint64_t>(number)) >> b % 8 * 8);
    }
    return out;
  }
};

/// A hash of (left, right) that is neither associative nor commutative: any other grouping, order,
/// item or index gives another state. (It is no fold by the contract; that is what makes it show
/// the tree.) `padding` words make the state larger without telling more.
template <class Item, bool may_swap, std::size_t padding = 0>
struct tree_probe {
  struct state {
    std::uint64_t hash;
    [[no_unique_address]] std::array<std::uint64_t, padding> unused;
    friend bool operator==(const state& a, const state& b) { return a.hash == b.hash; }
  };
  static constexpr bool commutative = may_swap;

  state lift(const Item& item, std::int64_t index) const {
    std::uint64_t h = static_cast<std::uint64_t>(index) * 0x9e3779b97f4a7c15u + 1;
    for (const std::uint8_t b : item.byte) h = h * 31 + b;
    return {h, {}};
  }
  state combine(const state& l, const state& r) const {
    return {(l.hash ^ (l.hash >> 29)) * 0xbf58476d1ce4e5b9u + (r.hash ^ (r.hash >> 31)) * 5 + 1,
            {}};
  }
};

/// The same with a private accumulator, a flush that sees the count, and a second pass at times.
template <class Item, bool may_swap>
struct accumulating_probe {
  using base = tree_probe<Item, may_swap>;
  using state = typename base::state;
  struct accumulator {
    std::uint64_t hash;
    std::int32_t items;  // padding follows
  };
  static constexpr bool commutative = may_swap;

  std::uint64_t seed = 0;  // not 0 in a second pass

  state lift(const Item& item, std::int64_t index) const { return base{}.lift(item, index); }
  state combine(const state& l, const state& r) const { return base{}.combine(l, r); }
  bool suffices(const accumulator& tile, std::int64_t count) const {
    return (tile.hash + static_cast<std::uint64_t>(count)) % 3 == 0;
  }
  accumulating_probe again(const accumulator& tile, std::int64_t count) const {
    return {tile.hash * static_cast<std::uint64_t>(count)};
  }
  accumulator open(const Item& item, std::int64_t index) const {
    return {lift(item, index).hash ^ seed, 1};
  }
  void absorb(accumulator& own, const Item& item, std::int64_t index) const {
    own.hash = own.hash * 7 + lift(item, index).hash + seed;
    ++own.items;
  }
  accumulator join(const accumulator& l, const accumulator& r) const {
    return {l.hash * 11 + r.hash * 13 + 1, l.items + r.items};
  }
  state flush(const accumulator& own, std::int64_t count) const {
    return {own.hash * 17 + static_cast<std::uint64_t>(count) * 19 +
                static_cast<std::uint64_t>(own.items),
            {}};
  }
};

}  // namespace inputs
