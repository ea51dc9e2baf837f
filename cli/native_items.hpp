#pragma once
/// cli/native_items: turns items as they lie in a file into items that C++ may read, in place.

#include <cstdint>

#include "monofold/platform/dtype.hpp"

namespace monofold::cli {

/// What is to be done to the bytes of a file before they are items.
struct item_fixes {
  bool swap = false;       // the other byte order
  bool normalise = false;  // bool: any byte but zero counts as true; C++ knows only 0 and 1

  bool any() const { return swap || normalise; }
};

item_fixes fixes_for(dtype type, bool swapped);

/// Applies the fixes to `num_items` items of `item_bytes` each; `items` need not be aligned.
void make_native(void* items, std::int64_t num_items, int item_bytes, item_fixes fixes);

}  // namespace monofold::cli
