#pragma once
/// runtime/exact_bytes: the saved form of a run that is one exact state, without memory of its own.

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/reducer.hpp"

namespace monofold::runtime {

/// What `reducer::save` gives of such a run of items [first_index, first_index + count), as docs/format.md has it.
///
/// shape      out: any room; the number of bytes, 0: nothing is written, as there is too little of it, or numbers have
///            their highest byte first on this processor
/// tested by  tests/runtime/c_subtract_test.c, python/tests/test_state_words.py
std::size_t save_words(const request& what, std::int64_t first_index, std::int64_t count,
                       std::span<const std::uint64_t> words, std::span<unsigned char> out);

}  // namespace monofold::runtime
