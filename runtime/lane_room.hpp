#pragma once
/// runtime/lane_room: what a thread needs to fold rows and columns in lanes.

#include <cstdint>
#include <memory>
#include <optional>

#include "monofold/platform/strict_arithmetic.hpp"
#include "runtime/lane_request.hpp"
#include "runtime/lane_totals.hpp"
#include "runtime/lanes.hpp"

namespace monofold::runtime {

/// What a thread works with: states of `width` rows, or of as many tiles of one, and room for so many wide items.
struct lane_room {
  lane_room(const lane_request& what, std::int64_t width, std::int64_t total_width,
            std::int64_t wide_items)
      : first(array_for(width + lane_padding)),
        second(array_for(width + lane_padding)),
        scratch(array_for((width + lane_padding) * scratch_words)),
        squares(array_for(what.fold == lane_fold::moments ? 3 * (width + lane_padding) : 0)),
        padded_width(width + lane_padding),
        wide(std::make_unique<double[]>(static_cast<std::size_t>(wide_items))),
        totals(make_lane_totals(what, total_width)) {}

  lane_states states() {
    return {first.get(),
            second.get(),
            scratch.get(),
            squares.get(),
            squares.get() + padded_width,
            squares.get() + 2 * padded_width};
  }

  using array = std::unique_ptr<double[]>;
  static array array_for(std::int64_t count) {
    return std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(count));
  }

  array first;
  array second;
  array scratch;
  array squares;
  std::int64_t padded_width;
  array wide;  // 0 where no item was
  std::unique_ptr<lane_totals> totals;
};

/// The arithmetic that lanes ask for: plain sums round as the caller's does. Extrema of bfloat16 are compared as floats,
/// of which subnormal ones must count.
class lane_arithmetic {
 public:
  explicit lane_arithmetic(const lane_request& what) {
    if (what.fold != lane_fold::plain_sum) strict_.emplace();
  }

 private:
  std::optional<strict_arithmetic> strict_;
};

}  // namespace monofold::runtime
