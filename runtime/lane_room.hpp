#pragma once
/// runtime/lane_room: what a thread needs to fold rows and columns in lanes.

#include <algorithm>
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
      : padded_width((width + lane_padding + 7) / 8 * 8),
        square_width(what.fold == lane_fold::moments ? padded_width : 0),
        state_words(padded_width * (2 + scratch_words) + 3 * square_width),
        totals(make_lane_totals(what, total_width)) {
    if (state_words + wide_items > few_words) {
      many = std::make_unique_for_overwrite<line[]>(
          static_cast<std::size_t>((state_words + wide_items + 7) / 8));
      memory = many.get()->words;
    }
    std::fill_n(wide(), wide_items, 0.0);
  }
  lane_room(const lane_room&) = delete;
  lane_room& operator=(const lane_room&) = delete;

  lane_states states() {
    double* const scratch = memory + 2 * padded_width;
    double* const squares = scratch + scratch_words * padded_width;
    return {memory,  memory + padded_width,  scratch,
            squares, squares + square_width, squares + 2 * square_width};
  }
  /// 0 where no item was.
  double* wide() { return memory + state_words; }

  // To ask for memory takes as long as some rows do.
  static constexpr std::int64_t few_words = 2560;

  /// Vectors that lie across two lines take longer.
  struct alignas(64) line {
    double words[8];
  };

  alignas(64) double few[few_words];
  std::int64_t padded_width;
  std::int64_t square_width;
  std::int64_t state_words;
  std::unique_ptr<line[]> many{};
  double* memory = few;
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
