#pragma once
/// cli/transpose: row-major order out of an array that is stored column-major.

#include <cstdint>
#include <span>
#include <vector>

namespace monofold::cli {

/// Reads any range of the row-major order of a column-major array of any rank.
///
/// cost       each item is read and written once, in tiles that fit the first-level cache. A range
///            that spans few rows reads a part of each cache line only: ask for `good_items`
/// tested by  tests/cli/npy_source_test.cpp
class column_major {
 public:
  column_major(std::span<const std::int64_t> shape, int item_bytes);

  /// True if both orders are the same: at most one extent is larger than 1.
  bool trivial() const { return shape_.size() < 2; }

  /// Copies items [first, first + num_items) of the row-major order. Neither address need be
  /// aligned; `stored` is the first item of the array.
  void gather(const void* stored, std::int64_t first, std::int64_t num_items, void* out) const;

  /// The least number of items in a range that uses whole cache lines.
  std::int64_t good_items() const;

 private:
  std::vector<std::int64_t> shape_;   // without the extents of 1
  std::vector<std::int64_t> stride_;  // stride_[k]: items between neighbours on axis k in the file
  std::vector<std::int64_t> below_;   // below_[k]: the same in row-major order
  int item_bytes_;
};

}  // namespace monofold::cli
