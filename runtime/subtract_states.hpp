#pragma once
/// runtime/subtract_states: takes items out of saved states, whose numbers and counts form a group.

#include <span>

#include "monofold/platform/dtype.hpp"
#include "runtime/family.hpp"

namespace monofold::runtime {

/// Whether states of a family are sums and counts of their items, from which items can be taken out.
bool can_subtract(family kind, dtype type);

/// own -= part, the bytes of two states (docs/format.md) that are no exact sums of floats, which exact_words takes.
///
/// shape      has_items: whether any are left
/// order      exact; the index of the first NaN stays where it is known to
/// errors     false where the items of `part` were not all among its own, as far as that can be seen; `own` is then
///            good for nothing
/// tested by  tests/runtime/c_subtract_test.c
bool subtract_state(family kind, bool has_items, std::span<unsigned char> own,
                    std::span<const unsigned char> part);

}  // namespace monofold::runtime
