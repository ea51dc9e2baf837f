#pragma once
/// fold/top: the k largest or smallest items, with their indices.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "monofold/fold/extrema.hpp"
#include "monofold/fold/nan.hpp"
#include "monofold/fold/order_key.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/status.hpp"

namespace monofold {

/// The chosen items, best first, and where they are.
template <class Item>
struct top_answer {
  std::vector<Item> values;
  std::vector<std::int64_t> indices;
};

/// The k best items: largest first for `smallest` = false.
///
/// order      exact: any schedule; ties go to the lower index; NaN come last (or not at all under
///            `omit`); -0 lies below +0
/// errors     empty_input where there are fewer than k items; invalid_argument where k < 0
/// cost       one comparison an item, vectorised; an item that enters costs O(1) amortised
/// tested by  tests/fold/top_test.cpp, tests/gpu/top_test.cu
template <class Item, bool smallest, nan_rule rule = nan_rule::propagate>
struct top_fold {
  using item_type = Item;
  // NaN must lose, as it does for an extremum under `omit`.
  using extremum_type = extremum_fold<Item, smallest, nan_rule::omit>;
  using key = typename extremum_type::key;
  using entry = extremum<key>;
  /// Candidates in no order; once there are k, `bound` is the k-th best so far.
  struct state {
    std::vector<entry> candidates;
    key bound = extremum_type::worst;
    bool full = false;

    state() = default;
    state(const state&) = default;
    state(state&&) = default;
    state& operator=(const state&) = default;
    state& operator=(state&&) = default;
    // Not a default one: nvcc would take that for a function of the device too.
    ~state() {}  // NOLINT

    template <class Self, class Visit>
    static void each_field(Self& self, const Visit& visit) {
      visit(self.candidates);
      visit(self.bound);
      visit(self.full);
    }
  };
  static constexpr bool commutative = true;
  static constexpr bool exact = true;

  std::int64_t k;

  static bool before(const entry& a, const entry& b) {
    if (a.key != b.key) return extremum_type::better(a.key, b.key);
    return a.index < b.index;
  }
  /// All NaN are one value, below everything.
  static key key_of(const Item& item) {
    const key own = extremum_type::key_of(item);
    if constexpr (order_key<Item>::has_nan) {
      if (extremum_type::is_nan_key(own)) return extremum_type::worst;
    }
    return own;
  }

  state identity() const { return {}; }
  state lift(const Item& item, std::int64_t index) const {
    state own;
    insert(own, item, index);
    return own;
  }
  state combine(const state& left, const state& right) const {
    state joined = left;
    joined.candidates.insert(joined.candidates.end(), right.candidates.begin(),
                             right.candidates.end());
    shrink(joined, size());
    return joined;
  }

  /// The one form of states that stand for the same items: the k best, in their order.
  state canonical(state s) const {
    shrink(s, size());
    std::sort(s.candidates.begin(), s.candidates.end(), before);
    return s;
  }

  MONOFOLD_INLINE void absorb_run(state& own, const Item* items, std::int64_t count,
                                  std::int64_t index) const {
    if (k <= 0) return;
    for (std::int64_t at = 0; at < count; at += block_items) {
      const std::int64_t n = count - at < block_items ? count - at : block_items;
      // Items come in ascending order of index, so an item equal to the bound is too late.
      if (own.full && !extremum_type::better(best_number(items + at, n), own.bound)) continue;
      absorb_block(own, items + at, n, index + at);
    }
  }

  /// `absorb_run` with another way to find what may enter: next_better(begin, bound) is the place of the first item
  /// from `begin` on that is better than the bound, or `count`.
  template <class NextBetter>
  MONOFOLD_INLINE void absorb_found(state& own, const Item* items, std::int64_t count,
                                    std::int64_t index, const NextBetter& next_better) const {
    if (k <= 0) return;
    for (std::int64_t at = 0; at < count;) {
      std::int64_t end = count - at < block_items ? count : at + block_items;
      if (own.full) {
        at = next_better(at, own.bound);
        end = count;
      }
      at += enter(own, items + at, end - at, index + at);
    }
  }

  result<top_answer<Item>> finish(const state& s) const {
    if (k < 0) return status::invalid_argument;
    const state sorted = canonical(s);
    if (static_cast<std::int64_t>(sorted.candidates.size()) < k) return status::empty_input;
    top_answer<Item> answer;
    for (const entry& e : sorted.candidates) {
      answer.values.push_back(extremum_type::item_of(e.key));
      answer.indices.push_back(e.index);
    }
    return answer;
  }

 private:
  static constexpr std::int64_t block_items = 4096 / sizeof(Item);

  std::size_t size() const { return static_cast<std::size_t>(k < 0 ? 0 : k); }

  /// The best key among `items`, NaN not counted: they never pass a bound.
  MONOFOLD_INLINE static key best_number(const Item* items, std::int64_t count) {
    const key found = extremum_type::best_key(items, count);
    if constexpr (order_key<Item>::has_nan) {
      if (extremum_type::is_nan_key(found)) return extremum_type::worst;
    }
    return found;
  }

  /// Whether an item is better than the bound; of NaN any answer will do.
  static bool may_enter(const Item* items, std::int64_t count, key bound) {
    // Without an instruction set for it a compiler compares 64 bits in pieces: fewer times this way.
    if constexpr (sizeof(key) == 8) return extremum_type::better(best_number(items, count), bound);
    int hits = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      hits |= extremum_type::better(extremum_type::key_of(items[i]), bound) ? 1 : 0;
    }
    return hits != 0;
  }

  void insert(state& own, const Item& item, std::int64_t index) const {
    if constexpr (rule == nan_rule::omit) {
      if (is_nan(item)) return;
    }
    own.candidates.push_back({key_of(item), index});
  }

  /// The first items, as long as half of them pass the bound: how many it looked at. Twice k candidates are kept before
  /// the worse half is dropped: O(1) an insertion, amortised.
  [[gnu::noinline]] std::int64_t enter(state& own, const Item* items, std::int64_t count,
                                       std::int64_t index) const {
    const auto limit = size() * 2 + 16;
    std::int64_t misses = 0;
    for (std::int64_t i = 0;; ++i) {
      const bool is_end = i == count;
      if (!is_end && own.full && !extremum_type::better(key_of(items[i]), own.bound)) {
        ++misses;
        if (2 * misses > i + 1) return i + 1;
        continue;
      }
      if (!is_end) insert(own, items[i], index + i);
      // A first bound as soon as there can be one; later ones come with the limit. One call: two would make a function
      // of what is inlined here.
      if (is_end ? !own.full : own.candidates.size() >= limit) shrink(own, size());
      if (is_end) return count;
    }
  }

  MONOFOLD_INLINE void absorb_block(state& own, const Item* items, std::int64_t count,
                                    std::int64_t index) const {
    constexpr std::int64_t stretch = 64;
    for (std::int64_t at = 0; at < count; at += stretch) {
      const std::int64_t end = count - at < stretch ? count : at + stretch;
      // Most stretches of a block with a candidate have none.
      if (own.full && !may_enter(items + at, end - at, own.bound)) continue;
      for (std::int64_t i = at; i < end;) i += enter(own, items + i, end - i, index + i);
    }
  }

  static void shrink(state& own, std::size_t keep) {
    if (own.candidates.size() < keep) return;
    if (keep == 0) return own.candidates.clear();
    const auto kth = own.candidates.begin() + static_cast<std::ptrdiff_t>(keep) - 1;
    std::nth_element(own.candidates.begin(), kth, own.candidates.end(), before);
    own.bound = kth->key;
    own.full = true;
    own.candidates.resize(keep);
  }
};

namespace detail {

template <bool smallest>
struct top_family {
  std::int64_t k;

  template <class Item>
  requires is_number_v<Item>
  constexpr auto on() const { return top_fold<Item, smallest>{k}; }
};

}  // namespace detail

/// The k largest items, largest first: `top_answer` with values and indices.
constexpr detail::top_family<false> top(std::int64_t k) { return {k}; }

/// The k smallest items, smallest first.
constexpr detail::top_family<true> bottom(std::int64_t k) { return {k}; }

}  // namespace monofold
