#pragma once
/// engine/rolling_blocks: windows of any exact fold, and minima and maxima, from suffixes and prefixes of blocks.

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "monofold/engine/detail/heap_array.hpp"
#include "monofold/engine/rolling_keys.hpp"
#include "monofold/fold/extrema.hpp"
#include "monofold/fold/fold.hpp"

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

/// The best item of each window, of one of the library's folds for one end; put(i, item).
///
/// cost       floats that `<` orders are compared as they are, other items by their keys
template <class F, class Item, class View, class Put>
void roll_best(const View& view, std::int64_t first, std::int64_t end, std::int64_t window,
               const Put& put) {
  using key = typename F::key;
  using wide = wide_key_t<key>;
  const F fold{};
  // The largest is the smallest of complements, which order the other way round.
  constexpr wide flips = F::picks_smallest ? 0 : -1;
  const std::int64_t block = std::max<std::int64_t>(window, 4096);
  const std::int64_t most = std::min(block, end - first) + window - 1;
  const heap_array<Item> items(most);
  const heap_array<wide> keys(most);
  for (std::int64_t at = first; at < end; at += block) {
    const std::int64_t count = std::min(block, end - at);
    const std::int64_t seen = count + window - 1;
    for (std::int64_t i = 0; i < seen; ++i) items[i] = view[at + i];
    if constexpr (std::is_floating_point_v<Item>) {
      if (is_ordered(items.data(), seen)) {
        find_smallest<!F::picks_smallest>(items.data(), seen, window);
        for (std::int64_t i = 0; i < count; ++i) put(at + i, items[i]);
        continue;
      }
    }
    for (std::int64_t i = 0; i < seen; ++i) {
      keys[i] = widened_key(fold.lift(items[i], 0).key) ^ flips;
    }
    find_smallest(keys.data(), seen, window);
    for (std::int64_t i = 0; i < count; ++i) {
      put(at + i, F::item_of(narrowed_key<key>(keys[i] ^ flips)));
    }
  }
}

}  // namespace monofold::detail
