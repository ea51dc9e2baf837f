#pragma once
/// runtime/slow_ways: what is rare in a loop, compiled once for all instruction sets.

// Outside highway's regions: code there would be compiled for each of them.

#include <cstdint>

#include "monofold/fold/nan.hpp"
#include "monofold/level/core.hpp"

namespace monofold::runtime {

/// The fold's own way, for the end of a block and for items that vectors cannot compare.
template <class Fold, class Item>
[[gnu::noinline]] void absorb_slowly(const Fold& f, typename Fold::state& own, const Item* items,
                                     std::int64_t count, std::int64_t index) {
  f.absorb_run(own, items, count, index);
}

/// A tile that is not full.
template <class Fold, class Item>
[[gnu::noinline]] typename Fold::state fold_last_tile(const Fold& f, const Item* items, int count,
                                                      std::int64_t index) {
  return fold_tile(f, items, count, index);
}

template <class Item>
[[gnu::noinline]] bool has_nan(const Item* items, std::int64_t count) {
  int found = 0;
  for (std::int64_t i = 0; i < count; ++i) found |= is_nan(items[i]) ? 1 : 0;
  return found != 0;
}

}  // namespace monofold::runtime
