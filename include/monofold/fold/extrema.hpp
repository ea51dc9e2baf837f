#pragma once
/// fold/extrema: min, max, argmin, argmax, minmax and all of them together.

#include <cstdint>
#include <limits>
#include <utility>

#include "monofold/fold/nan.hpp"
#include "monofold/fold/order_key.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/status.hpp"

namespace monofold {

/// A key and where it was first seen; index -1: nowhere yet.
template <class Key>
struct extremum {
  Key key;
  std::int64_t index;
};

/// The smallest (or largest) item and its first index, by integer keys.
///
/// order      exact: any schedule; ties go to the lowest index; -0 lies below +0
/// errors     empty_input where there is no item (that is not skipped)
/// accuracy   exact. NaN under `propagate`: the result is NaN, its index that of the first NaN
/// cost       absorb_run reads items once, and a block again where it improves the result
template <class Item, bool smallest, nan_rule rule = nan_rule::propagate>
struct extremum_fold {
  using keys = order_key<Item>;
  using key = typename keys::type;
  using state = extremum<key>;
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  static constexpr bool picks_smallest = smallest;
  // NaN must win under `propagate` and lose under `omit`.
  static constexpr bool nan_below = smallest == (rule == nan_rule::propagate);
  static constexpr key worst =
      smallest ? std::numeric_limits<key>::max() : std::numeric_limits<key>::min();
  static constexpr key best =
      smallest ? std::numeric_limits<key>::min() : std::numeric_limits<key>::max();

  MONOFOLD_HD static key key_of(const Item& item) {
    if constexpr (nan_below) {
      return keys::nan_low(item);
    } else {
      return keys::nan_high(item);
    }
  }
  MONOFOLD_HD static bool is_nan_key(key k) {
    if constexpr (nan_below) {
      return keys::is_nan_low(k);
    } else {
      return keys::is_nan_high(k);
    }
  }
  MONOFOLD_HD static bool better(key a, key b) { return smallest ? a < b : b < a; }
  MONOFOLD_HD static Item item_of(key k) {
    if constexpr (nan_below) {
      return keys::from_nan_low(k);
    } else {
      return keys::from_nan_high(k);
    }
  }

  MONOFOLD_HD state lift(const Item& item, std::int64_t index) const {
    const key k = key_of(item);
    if constexpr (keys::has_nan) {
      // All NaN are one value: the first of them counts, not the one with the oddest payload.
      if (is_nan_key(k)) {
        return rule == nan_rule::propagate ? state{best, index} : state{worst, -1};
      }
    }
    return {k, index};
  }

  MONOFOLD_HD state combine(const state& left, const state& right) const {
    if (better(left.key, right.key)) return left;
    if (better(right.key, left.key)) return right;
    // As unsigned numbers -1 is the largest: an absent side loses.
    return static_cast<std::uint64_t>(left.index) <= static_cast<std::uint64_t>(right.index)
               ? left
               : right;
  }

  MONOFOLD_HD state identity() const { return {worst, -1}; }

  /// The best key among `items`, NaN keys included.
  MONOFOLD_HD static key best_key(const Item* items, std::int64_t count) {
    constexpr int lanes = 128 / sizeof(key);  // four AVX2 registers of independent comparisons
    key lane[lanes];
    for (int l = 0; l < lanes; ++l) lane[l] = worst;
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
      for (int l = 0; l < lanes; ++l) {
        const key k = key_of(items[i + l]);
        lane[l] = better(k, lane[l]) ? k : lane[l];
      }
    }
    key found = worst;
    for (; i < count; ++i) {
      const key k = key_of(items[i]);
      found = better(k, found) ? k : found;
    }
    for (int l = 0; l < lanes; ++l) found = better(lane[l], found) ? lane[l] : found;
    return found;
  }

  MONOFOLD_HD void absorb_run(state& own, const Item* items, std::int64_t count,
                              std::int64_t index) const {
    absorb_known(own, best_key(items, count), items, count, index);
  }

  /// `absorb_run` where the best key among the items is known.
  MONOFOLD_HD void absorb_known(state& own, key found, const Item* items, std::int64_t count,
                                std::int64_t index) const {
    // Most blocks do not improve the result: one comparison and out. An equal key cannot improve
    // it unless nothing was seen yet, since runs come in ascending order of index; where they do
    // not (a state merged from elsewhere), combine compares indices.
    if (own.index >= 0 && own.index < index && !better(found, own.key)) return;
    std::int64_t at = 0;
    if constexpr (keys::has_nan) {
      if (is_nan_key(found)) {
        if constexpr (rule == nan_rule::propagate) {
          while (!is_nan(items[at])) ++at;
          own = combine(own, {best, index + at});
        }
        return;  // under `omit` there is nothing but NaN here
      }
    }
    // First the stretch, by a loop without an exit that compilers vectorise, then the item.
    constexpr std::int64_t stretch = 64;
    for (; at + stretch <= count; at += stretch) {
      int hits = 0;
      for (std::int64_t i = 0; i < stretch; ++i) hits += key_of(items[at + i]) == found ? 1 : 0;
      if (hits != 0) break;
    }
    while (key_of(items[at]) != found) ++at;
    own = combine(own, {found, index + at});
  }

  MONOFOLD_HD static bool has_value(const state& s) { return s.index >= 0; }
  MONOFOLD_HD static Item value(const state& s) { return item_of(s.key); }
};

/// An item and its index.
template <class Item>
struct indexed {
  Item value;
  std::int64_t index;
};

/// The smallest and the largest item, with their first indices.
template <class Item>
struct extrema_answer {
  Item min;
  Item max;
  std::int64_t argmin;
  std::int64_t argmax;
};

template <class Item, nan_rule rule = nan_rule::propagate>
struct extrema_fold {
  using low = extremum_fold<Item, true, rule>;
  using high = extremum_fold<Item, false, rule>;
  struct state {
    typename low::state min;
    typename high::state max;
  };
  static constexpr bool commutative = true;
  static constexpr bool exact = true;

  MONOFOLD_HD state lift(const Item& item, std::int64_t index) const {
    return {low{}.lift(item, index), high{}.lift(item, index)};
  }
  MONOFOLD_HD state combine(const state& left, const state& right) const {
    return {low{}.combine(left.min, right.min), high{}.combine(left.max, right.max)};
  }
  MONOFOLD_HD state identity() const { return {low{}.identity(), high{}.identity()}; }
  MONOFOLD_HD void absorb_run(state& own, const Item* items, std::int64_t count,
                              std::int64_t index) const {
    low{}.absorb_run(own.min, items, count, index);
    high{}.absorb_run(own.max, items, count, index);
  }
  MONOFOLD_HD_CALL constexpr result<extrema_answer<Item>> finish(const state& s) const {
    if (!low::has_value(s.min)) return status::empty_input;
    return extrema_answer<Item>{low::value(s.min), high::value(s.max), s.min.index, s.max.index};
  }
};

namespace detail {

enum class extremum_part { value, index };

template <class Item, bool smallest, extremum_part part>
struct extremum_answer_fold : extremum_fold<Item, smallest> {
  using base = extremum_fold<Item, smallest>;
  using answer = std::conditional_t<part == extremum_part::value, Item, std::int64_t>;

  MONOFOLD_HD_CALL constexpr result<answer> finish(const typename base::state& s) const {
    if (!base::has_value(s)) return status::empty_input;
    if constexpr (part == extremum_part::value) {
      return base::value(s);
    } else {
      return s.index;
    }
  }
};

/// The smallest (or largest) item as a key alone, for who asks neither for its index nor for the state.
///
/// shape      at least one item: no key says that there was none
template <class Item, bool smallest>
struct extreme_key_fold {
  using extremum = extremum_fold<Item, smallest>;
  using state = typename extremum::key;
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  static constexpr state worst = extremum::worst;

  MONOFOLD_HD state lift(const Item& item, std::int64_t) const { return extremum::key_of(item); }
  MONOFOLD_HD state combine(state left, state right) const {
    return extremum::better(right, left) ? right : left;
  }
  MONOFOLD_HD state identity() const { return worst; }
  MONOFOLD_HD static Item item_of(state key) { return extremum::item_of(key); }
  MONOFOLD_HD_CALL constexpr result<Item> finish(state key) const { return item_of(key); }
};

/// Whether a fold is one of these.
template <class F>
inline constexpr bool is_extreme_key_fold_v = false;
template <class Item, bool smallest>
inline constexpr bool is_extreme_key_fold_v<extreme_key_fold<Item, smallest>> = true;

template <bool smallest, extremum_part part>
struct extremum_family {
  template <class Item>
  requires is_number_v<Item> MONOFOLD_HD_CALL constexpr auto on() const {
    return extremum_answer_fold<Item, smallest, part>{};
  }
};

struct extrema_family {
  template <class Item>
  requires is_number_v<Item> MONOFOLD_HD_CALL constexpr auto on() const {
    return extrema_fold<Item>{};
  }
};

/// Whether a fold is one of the library's for one end: what a user derives from one may be anything.
template <class F>
inline constexpr bool is_extremum_fold_v = false;
template <class Item, bool smallest, nan_rule rule>
inline constexpr bool is_extremum_fold_v<extremum_fold<Item, smallest, rule>> = true;
template <class Item, bool smallest, extremum_part part>
inline constexpr bool is_extremum_fold_v<extremum_answer_fold<Item, smallest, part>> = true;

/// The same for both ends.
template <class F>
inline constexpr bool is_extrema_fold_v = false;
template <class Item, nan_rule rule>
inline constexpr bool is_extrema_fold_v<extrema_fold<Item, rule>> = true;

}  // namespace detail

MONOFOLD_CONSTANT detail::extremum_family<true, detail::extremum_part::value> min{};
MONOFOLD_CONSTANT detail::extremum_family<false, detail::extremum_part::value> max{};
MONOFOLD_CONSTANT detail::extremum_family<true, detail::extremum_part::index> argmin{};
MONOFOLD_CONSTANT detail::extremum_family<false, detail::extremum_part::index> argmax{};
MONOFOLD_CONSTANT detail::extrema_family extrema{};  // extrema_answer: min max argmin argmax

}  // namespace monofold
