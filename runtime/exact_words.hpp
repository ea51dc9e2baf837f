#pragma once
/// runtime/exact_words: states of exact sums of floats, whatever their type, as the words that they are in memory.

#include <cstdint>
#include <cstring>

#include "monofold/fold/exact/leading.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/platform/dtype.hpp"
#include "runtime/family.hpp"
#include "runtime/member.hpp"

namespace monofold::runtime {

/// What the words are: limbs of a sum, five counts and, for moments, limbs of the sum of squares.
struct exact_layout {
  family kind = family::sum;
  dtype type = dtype::float64;
  int sum_limbs = 0;  // 0: the states are something else
  int low_exponent = 0;
  int square_limbs = 0;

  explicit operator bool() const { return sum_limbs != 0; }
  int num_words() const { return sum_limbs + exact_counts::num_counts + square_limbs; }
};

/// That of a member.
exact_layout exact_layout_of(family kind, dtype type);

/// The words of a member's state.
std::uint64_t* exact_words_of(const exact_layout& layout, state_box& state);

/// own += other, which may be itself.
///
/// order      exact: what `member::combine` gives
/// cost       no memory; four words at a time, of which those that change nothing are left alone
/// tested by  tests/runtime/c_subtract_test.c, python/tests/test_state_words.py
void add_words(const exact_layout& layout, std::uint64_t* own, const std::uint64_t* other);

/// own -= part, which is another one.
///
/// order      exact: (a + b) - b has the words of a
/// errors     false where the items of `part` were not all among its own, as far as that can be seen; `own` stays as it
///            was
/// tested by  tests/runtime/c_subtract_test.c, python/tests/test_state_words.py
bool subtract_words(const exact_layout& layout, std::uint64_t* own, const std::uint64_t* part);

/// The leading bits of the sum.
monofold::detail::leading_number leading_of(const exact_layout& layout, const std::uint64_t* words);

inline exact_counts counts_of(const exact_layout& layout, const std::uint64_t* words) {
  exact_counts counts;
  std::memcpy(&counts, words + layout.sum_limbs, sizeof counts);
  return counts;
}

}  // namespace monofold::runtime
