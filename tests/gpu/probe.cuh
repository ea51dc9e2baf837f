#pragma once
/// gpu/probe: folds for host and device whose state tells the whole tree apart.

#include <cstdint>
#include <vector>

#include "monofold/platform/host_device.hpp"
#include "tests/inputs/random.hpp"

namespace gpu_tests {

/// An item of any size, without alignment.
template <int bytes>
struct sized_item {
  std::uint8_t byte[bytes];
};

/// The same, aligned as numbers of its size are.
template <int bytes>
struct alignas(bytes) aligned_item {
  std::uint8_t byte[bytes];
};

template <class Item>
std::vector<Item> probe_items(std::size_t count) {
  std::vector<Item> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t mixed = inputs::mixed(i);
    for (std::size_t b = 0; b < sizeof(Item); ++b) {
      out[i].byte[b] = static_cast<std::uint8_t>(mixed >> b % 8 * 8);
    }
  }
  return out;
}

/// A hash of (left, right) that is neither associative nor commutative: another grouping, order, item
/// or index gives another state. (No fold by the contract; that is what makes it show the tree.)
template <class Item, bool may_swap, int padding = 0>
struct tree_probe {
  struct state {
    std::uint64_t hash;
    std::uint64_t copies[padding + 1];
    friend bool operator==(const state& a, const state& b) {
      for (int i = 0; i <= padding; ++i) {
        if (a.copies[i] != b.copies[i]) return false;
      }
      return a.hash == b.hash;
    }
  };
  static constexpr bool commutative = may_swap;

  MONOFOLD_HD static state of(std::uint64_t hash) {
    state out;
    out.hash = hash;
    for (int i = 0; i <= padding; ++i) out.copies[i] = hash + static_cast<std::uint64_t>(i);
    return out;
  }
  MONOFOLD_HD static std::uint64_t hash_of(const Item& item, std::int64_t index) {
    std::uint64_t h = static_cast<std::uint64_t>(index) * 0x9e3779b97f4a7c15u + 1;
    for (const std::uint8_t b : item.byte) h = h * 31 + b;
    return h;
  }
  MONOFOLD_HD state lift(const Item& item, std::int64_t index) const {
    return of(hash_of(item, index));
  }
  MONOFOLD_HD state combine(const state& l, const state& r) const {
    return of((l.hash ^ (l.hash >> 29)) * 0xbf58476d1ce4e5b9u + (r.hash ^ (r.hash >> 31)) * 5 +
              l.copies[padding] * 3 + r.copies[padding / 2]);
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

  MONOFOLD_HD state lift(const Item& item, std::int64_t index) const {
    return base{}.lift(item, index);
  }
  MONOFOLD_HD state combine(const state& l, const state& r) const { return base{}.combine(l, r); }
  MONOFOLD_HD bool suffices(const accumulator& tile, std::int64_t count) const {
    return (tile.hash + static_cast<std::uint64_t>(count)) % 3 == 0;
  }
  MONOFOLD_HD accumulating_probe again(const accumulator& tile, std::int64_t count) const {
    return {tile.hash * static_cast<std::uint64_t>(count)};
  }
  MONOFOLD_HD accumulator open(const Item& item, std::int64_t index) const {
    return {base::hash_of(item, index) ^ seed, 1};
  }
  MONOFOLD_HD void absorb(accumulator& own, const Item& item, std::int64_t index) const {
    own.hash = own.hash * 7 + base::hash_of(item, index) + seed;
    ++own.items;
  }
  MONOFOLD_HD accumulator join(const accumulator& l, const accumulator& r) const {
    return {l.hash * 11 + r.hash * 13 + 1, l.items + r.items};
  }
  MONOFOLD_HD state flush(const accumulator& own, std::int64_t count) const {
    return base::of(own.hash * 17 + static_cast<std::uint64_t>(count) * 19 +
                    static_cast<std::uint64_t>(own.items));
  }
};

}  // namespace gpu_tests
