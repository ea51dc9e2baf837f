#pragma once
/// engine/gpu/segment/top_list: rows of an array, or segments by their starts and stops, in each of which the k best
/// items are looked for.

#include <cstdint>

#include "monofold/engine/gpu/segment/known_segments.hpp"
#include "monofold/engine/gpu/segment/row_place.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/shape/axes.hpp"

namespace monofold::detail {

/// One type of list, so that all have the same kernels.
///
/// shape      rows: one axis is reduced, or none
class top_list {
 public:
  explicit top_list(const array_rows& rows) : count_(rows.num_rows), rows_(rows) {}
  top_list(const std::int64_t* starts, const std::int64_t* stops, std::int64_t count)
      : count_(count), starts_(starts), stops_(stops) {}

  MONOFOLD_HD std::int64_t size() const { return count_; }
  /// -1: the device knows.
  std::int64_t length() const { return starts_ != nullptr ? -1 : rows_.row_items; }
  MONOFOLD_GPU std::int64_t begin(std::int64_t s) const {
    return starts_ != nullptr ? starts_[s] : place_of_row(rows_, s).offset;
  }
  MONOFOLD_GPU std::int64_t end(std::int64_t s) const {
    return starts_ != nullptr ? stops_[s] : begin(s) + rows_.row_items;
  }

  /// Which one of the result a row is: neighbours in memory come one after the other here.
  MONOFOLD_GPU std::int64_t number(std::int64_t s) const {
    return starts_ != nullptr ? s : place_of_row(rows_, s).number;
  }
  /// Rows are where they are said to be; they may begin before the first item, too.
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

/// What only rows of arrays have.
template <class Segments>
concept lists_rows = requires(const Segments& list) {
  list.item_stride();
};

}  // namespace monofold::detail
