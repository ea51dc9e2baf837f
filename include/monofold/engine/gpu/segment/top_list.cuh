#pragma once
/// engine/gpu/segment/top_list: rows of an array, or segments given by starts and stops, as one type for kernels that
/// find the k best items.

#include <cstdint>

#include "monofold/engine/gpu/segment/known_segments.hpp"
#include "monofold/engine/gpu/segment/row_place.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/shape/axes.hpp"

namespace monofold::detail {

/// A list of rows or of segments: with one type, all use the same kernels.
///
/// shape      rows: one axis is reduced, or none
class top_list {
 public:
  explicit top_list(const array_rows& rows) : count_(rows.num_rows), rows_(rows) {}
  top_list(const std::int64_t* starts, const std::int64_t* stops, std::int64_t count)
      : count_(count), starts_(starts), stops_(stops) {}

  MONOFOLD_HD std::int64_t size() const { return count_; }
  /// The length of all rows; -1 if only the device knows lengths.
  std::int64_t length() const { return starts_ != nullptr ? -1 : rows_.row_items; }
  MONOFOLD_GPU std::int64_t begin(std::int64_t s) const {
    return starts_ != nullptr ? starts_[s] : place_of_row(rows_, s).offset;
  }
  MONOFOLD_GPU std::int64_t end(std::int64_t s) const {
    return starts_ != nullptr ? stops_[s] : begin(s) + rows_.row_items;
  }

  /// The number of row `s` in the result. Here rows are in the order in which they lie in memory.
  MONOFOLD_GPU std::int64_t number(std::int64_t s) const {
    return starts_ != nullptr ? s : place_of_row(rows_, s).number;
  }
  /// Whether these are rows: rows need no check, and may begin before the first item.
  MONOFOLD_GPU bool are_rows() const { return starts_ == nullptr; }
  MONOFOLD_GPU std::int64_t item_stride() const {
    return rows_.num_reduced == 1 ? rows_.reduced[0].stride : 1;
  }

 private:
  std::int64_t count_;
  const std::int64_t* starts_ = nullptr;
  const std::int64_t* stops_ = nullptr;
  array_rows rows_{};
};

template <>
struct known_segments<top_list> {
  static std::int64_t length(const top_list& list) { return list.length(); }
  static constexpr bool may_overlap = true;
};

/// Lists of rows of an array.
template <class Segments>
concept lists_rows = requires(const Segments& list) {
  list.item_stride();
};

}  // namespace monofold::detail
