#pragma once
/// runtime/pair_sums: sums of products of floats or doubles, of some rows, as two doubles with a bound of their error.

#include <cstdint>
#include <vector>

namespace monofold::runtime {

/// Items of two arrays, from which on their rows lie.
template <class Item>
struct factors {
  const Item* left;
  std::int64_t left_step;
  const Item* right;
  std::int64_t right_step;
};

/// Sums of products of up to `num_rows` rows.
///
/// order      products are added in any order: what rounding leaves out is added up too
/// cost       some 12 operations of vectors for as many products as they have doubles
/// source     Ogita, Rump, Oishi 2005, SIAM J. Sci. Comput. 26(6): a dot product as in twice the precision
/// tested by  tests/runtime/pair_axes_test.cpp, tests/runtime/far_sums_test.cpp
class pair_sums {
 public:
  static constexpr std::int64_t most_rows = 512;
  static constexpr std::int64_t most_items =
      262'144;  // of a row: the bound grows with their square

  /// Whether the processor has the instructions, and this code is compiled for them.
  static bool can_run();

  explicit pair_sums(std::int64_t num_rows);

  /// Begins anew, with sums of no products for so many rows.
  void clear(std::int64_t width);
  /// Adds `count` products to the sum of each of `width` rows: item i of row c is at [i * step + c].
  template <class Item>
  void add(const factors<Item>& columns, std::int64_t count, std::int64_t width);
  /// Sums of `count` rows of `length` products, in place of those before: item i of row r is at [r * step + i].
  template <class Item>
  void take(const factors<Item>& rows, std::int64_t count, std::int64_t length);
  /// Sums of `count` rows, each of `items` products, over a divisor, rounded once to out[0], out[1], .., doubles or floats;
  /// NaN where the bound does not tell which that is, as of a sum that is 0. `out` has room for a multiple of 8.
  template <class Real>
  void finish(std::int64_t count, std::int64_t items, std::int64_t divisor, Real* out);
  /// Whether all products of a row were 0, or rounded to it.
  bool has_zeros(std::int64_t row) const { return size_[static_cast<std::size_t>(row)] == 0; }

 private:
  std::vector<double> high_;
  std::vector<double> low_;
  std::vector<double> size_;  // sums of magnitudes
};

}  // namespace monofold::runtime
