#pragma once
/// python/src/turned_rows: the rows of an array, whose items are brought side by side.

#include <cstdint>
#include <memory>
#include <vector>

#include "python/src/array.hpp"

namespace monofold::python {

/// What rows the axes of an array make: its axes with those that are kept first, how many rows there are, and how many
/// items each has.
struct turned_rows {
  turned_rows(const layout& items, const std::vector<std::int64_t>& axes);

  std::vector<std::int64_t> order{};
  std::size_t num_kept = 0;
  std::int64_t num_rows = 1;
  std::int64_t row_items = 1;
};

/// Some rows of an array at a time: where they lie, or copied.
class side_by_side_rows {
 public:
  /// `items` has the kept axes first, and outlives this.
  side_by_side_rows(const layout& items, const turned_rows& rows, std::int64_t rows_at_once);

  /// Rows [first, first + count), up to `rows_at_once`: they are there until the next call.
  const char* at(std::int64_t first, std::int64_t count);
  /// From a row's first item to the next one's.
  std::int64_t pitch_bytes() const { return pitch_bytes_; }

 private:
  void copy_columns(std::int64_t first, std::int64_t count);
  void copy_group(const char* from, std::int64_t width, char* to) const;

  const layout& items_;
  std::size_t num_kept_;
  std::int64_t row_items_;
  std::int64_t pitch_bytes_;
  bool are_columns_;
  std::unique_ptr<char[]> buffer_;
};

}  // namespace monofold::python
