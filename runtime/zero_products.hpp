#pragma once
/// runtime/zero_products: whether all products of rows of numbers are zeros, and the sign of their sum.

#include <cstdint>
#include <vector>

#include "monofold/platform/float_format.hpp"

namespace monofold::runtime {

/// What is known of some rows of two arrays that have neither infinities nor NaN.
///
/// sync       of integers alone: whether arithmetic flushes small numbers changes nothing
/// tested by  tests/runtime/pair_axes_test.cpp
template <class Item>
class zero_products {
 public:
  explicit zero_products(std::int64_t num_rows)
      : other_(static_cast<std::size_t>(num_rows)), plus_(other_.size()) {}

  void clear() {
    other_.assign(other_.size(), 0);
    plus_.assign(plus_.size(), 0);
  }
  /// Looks at `count` pairs of each of `width` rows: item i of row c is at [i * step + c].
  void add(const Item* left, std::int64_t left_step, const Item* right, std::int64_t right_step,
           std::int64_t count, std::int64_t width) {
    for (std::int64_t i = 0; i < count; ++i) {
      look(left + i * left_step, right + i * right_step, width, other_.data(), plus_.data(), 1);
    }
  }
  /// The same of one row, whose items lie side by side.
  void add_row(std::int64_t row, const Item* left, const Item* right, std::int64_t count) {
    look(left, right, count, other_.data() + row, plus_.data() + row, 0);
  }
  bool are_all(std::int64_t row) const { return other_[static_cast<std::size_t>(row)] == 0; }
  /// The sum of a row of zeros: -0 where all are.
  double sum(std::int64_t row) const {
    return plus_[static_cast<std::size_t>(row)] >> (8 * sizeof(word) - 1) != 0 ? 0.0 : -0.0;
  }

 private:
  using word = typename float_format<Item>::bits;

  static void look(const Item* left, const Item* right, std::int64_t count, word* other, word* plus,
                   std::int64_t apart) {
    for (std::int64_t c = 0; c < count; ++c) {
      const word x = float_bits(left[c]), y = float_bits(right[c]);
      other[c * apart] |= static_cast<word>((x << 1 != 0) & (y << 1 != 0));
      plus[c * apart] |= ~(x ^ y);
    }
  }

  std::vector<word> other_;  // not 0: some product is none
  std::vector<word> plus_;   // its highest bit: some product has no sign
};

}  // namespace monofold::runtime
