#pragma once
/// engine/rolling_blocks: windows of any exact fold, and minima and maxima, from suffixes and prefixes of blocks.

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "monofold/engine/detail/heap_array.hpp"
#include "monofold/fold/extrema.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/status.hpp"

namespace monofold::detail {

/// Windows [first, end) of `window` items, the i-th at item i: put(i, state) gets what join makes of their lift(j),
/// from left to right. A window is a suffix of one block of `window` items and a prefix of the next one.
///
/// cost       three joins an item, and memory for a block's states
/// source     van Herk 1992, Pattern Recognition Letters 13(7); Gil, Werman 1993, IEEE PAMI 15(5)
template <class State, class Lift, class Join, class Put>
void roll_blocks(std::int64_t first, std::int64_t end, std::int64_t window, const Lift& lift,
                 const Join& join, const Put& put) {
  const heap_array<State> suffix(std::min(window, end - first));
  for (std::int64_t at = first; at < end; at += window) {
    const std::int64_t count = std::min(window, end - at);
    State own = lift(at + window - 1);
    for (std::int64_t i = window - 1;; --i) {
      if (i < window - 1) own = join(lift(at + i), own);
      if (i < count) suffix[i] = own;
      if (i == 0) break;
    }
    put(at, suffix[0]);
    if (count == 1) continue;
    State prefix = lift(at + window);
    for (std::int64_t i = 1; i < count; ++i) {
      if (i > 1) prefix = join(prefix, lift(at + window + i - 1));
      put(at + i, join(suffix[i], prefix));
    }
  }
}

/// Items of windows up to this are compared again and again, by loops that a compiler can vectorise: log2 of the
/// window times.
inline constexpr std::int64_t most_doubled = 512;
inline constexpr std::int64_t doubled_block = 2048;

/// The smallest of each `window` neighbours among `count` keys, left where the first of them is: ranges of 1, 2, 4,
/// .. keys, and two of these that overlap.
template <class Key>
void roll_smallest(Key* keys, std::int64_t count, std::int64_t window) {
  const auto join = [&](std::int64_t apart, std::int64_t length) {
    const std::int64_t last = count - length;
    for (std::int64_t i = 0; i <= last; ++i) {
      const Key next = keys[i + apart];
      keys[i] = next < keys[i] ? next : keys[i];
    }
  };
  std::int64_t length = 1;
  for (; 2 * length <= window; length *= 2) join(length, 2 * length);
  if (length < window) join(window - length, window);
}

/// The best item of each window, of one of the library's folds for one end, by its key; put(i, key).
template <class F, class Item, class View, class Put>
void roll_best(const View& view, std::int64_t first, std::int64_t end, std::int64_t window,
               const Put& put) {
  using key = typename F::key;
  const F fold{};
  // The largest is the smallest of complements, which order the other way round.
  const auto key_at = [&](std::int64_t i) -> key {
    const key own = fold.lift(static_cast<Item>(view[i]), 0).key;
    return F::picks_smallest ? own : static_cast<key>(~own);
  };
  const auto put_key = [&](std::int64_t i, key own) {
    put(i, F::picks_smallest ? own : static_cast<key>(~own));
  };
  if (window > most_doubled) {
    const auto smaller = [](key left, key right) { return right < left ? right : left; };
    return roll_blocks<key>(first, end, window, key_at, smaller, put_key);
  }
  const heap_array<key> keys(doubled_block + window);
  for (std::int64_t at = first; at < end; at += doubled_block) {
    const std::int64_t count = std::min(doubled_block, end - at);
    for (std::int64_t i = 0; i < count + window - 1; ++i) keys[i] = key_at(at + i);
    roll_smallest(keys.data(), count + window - 1, window);
    for (std::int64_t i = 0; i < count; ++i) put_key(at + i, keys[i]);
  }
}

}  // namespace monofold::detail
