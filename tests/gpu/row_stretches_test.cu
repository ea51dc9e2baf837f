// Rows that are several stretches of memory: where they begin and where their words lie, against the walk of all indices.

#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/engine/gpu/segment/stretch_range.cuh"
#include "monofold/shape/axes.hpp"

namespace {

namespace mf = monofold;
using mf::detail::row_stretches;

struct shape {
  std::vector<std::int64_t> extents, strides, axes;

  mf::array_rows rows() const {
    using numbers = std::span<const std::int64_t>;
    return mf::rows_of(numbers(extents), numbers(strides), numbers(axes));
  }
  bool is_reduced(std::size_t axis) const {
    for (const std::int64_t one : axes) {
      if (one == static_cast<std::int64_t>(axis)) return true;
    }
    return false;
  }
  /// Where the items of each row lie, in row-major order.
  std::vector<std::vector<std::int64_t>> places() const {
    std::int64_t num_rows = 1, items = 1;
    for (std::size_t k = 0; k < extents.size(); ++k) {
      items *= extents[k];
      if (!is_reduced(k)) num_rows *= extents[k];
    }
    std::vector<std::vector<std::int64_t>> out(static_cast<std::size_t>(num_rows));
    for (std::int64_t i = 0; i < items; ++i) {
      std::int64_t rest = i, at = 0, row = 0, rows_before = 1;
      for (std::size_t k = extents.size(); k-- > 0; rest /= extents[k]) {
        const std::int64_t index = rest % extents[k];
        at += index * strides[k];
        if (is_reduced(k)) continue;
        row += index * rows_before;
        rows_before *= extents[k];
      }
      out[static_cast<std::size_t>(row)].push_back(at);
    }
    return out;
  }
};

/// The memory begins at a multiple of 16, and `first` so many bytes behind.
row_stretches stretches_of(const shape& how, int item_bytes, std::uintptr_t first = 0) {
  return row_stretches::of(how.rows(), reinterpret_cast<const void*>(4096 + first), item_bytes);
}

void expect_places(const shape& how, int item_bytes, int word_bytes) {
  const row_stretches found = stretches_of(how, item_bytes);
  ASSERT_EQ(found.word_bytes, word_bytes);
  const std::int64_t word_items = word_bytes / item_bytes;
  const auto places = how.places();
  for (std::size_t row = 0; row < places.size(); ++row) {
    const std::int64_t begin = found.begin(static_cast<std::int64_t>(row));
    for (std::size_t i = 0; i < places[row].size(); ++i) {
      const auto item = static_cast<std::int64_t>(i);
      const auto word = static_cast<std::uint32_t>(item / word_items);
      ASSERT_EQ(begin + found.offset_of(word) * word_items + item % word_items, places[row][i])
          << "row " << row << ", item " << i;
    }
  }
}

TEST(row_stretches, words_lie_where_items_do) {
  // One row; rows by one step; by two, which wrap from an outer index to the next.
  expect_places({{3, 8}, {24, 1}, {0, 1}}, 4, 16);
  expect_places({{3, 5, 8}, {40, 8, 1}, {0, 2}}, 4, 16);
  expect_places({{2, 3, 5, 8}, {120, 40, 8, 1}, {1, 3}}, 4, 16);
  expect_places({{7, 2, 3, 8}, {72, 1000, 8, 1}, {1, 3}}, 4, 16);
  expect_places({{3, 5, 8}, {40, -8, 1}, {0, 2}}, 4, 16);
  expect_places({{3, 5, 8}, {-40, 8, 1}, {0, 2}}, 8, 16);
}

TEST(row_stretches, words_are_as_long_as_all_places_allow) {
  const shape even{{3, 5, 16}, {80, 16, 1}, {0, 2}};
  const shape by_fours{{3, 5, 4}, {20, 4, 1}, {0, 2}};
  const shape odd{{3, 5, 7}, {35, 7, 1}, {0, 2}};
  expect_places(even, 1, 16);
  expect_places(by_fours, 1, 4);
  expect_places(by_fours, 2, 4);
  expect_places(odd, 1, 1);
  expect_places(odd, 2, 2);
  expect_places(odd, 4, 4);
  expect_places(odd, 8, 8);
  EXPECT_EQ(stretches_of(even, 1, 4).word_bytes, 4);
  EXPECT_EQ(stretches_of(even, 1, 1).word_bytes, 1);
  EXPECT_EQ(stretches_of(even, 2, 8).word_bytes, 4);
  EXPECT_EQ(stretches_of(even, 8, 8).word_bytes, 8);
}

TEST(row_stretches, other_rows_are_none) {
  const std::int64_t many = std::int64_t{1} << 31;
  const shape others[] = {
      {{5, 8}, {8, 1}, {1}},                              // side by side
      {{3, 8}, {8, 1}, {0, 1}},                           // which memory walks as one
      {{3, 5, 8}, {80, 16, 2}, {0, 2}},                   // stretches with gaps
      {{3, 5, 4, 8}, {1000, 100, 20, 1}, {0, 1, 3}},      // three axes
      {{2, 2, 2, 3, 8}, {9000, 999, 99, 30, 1}, {3, 4}},  // rows by three steps
      {{3, 5, 2, 8}, {8, 96, 24, 1}, {1, 3}},      // kept axes in another order than in memory
      {{many / 4, 5, 8}, {40, 8, 1}, {0, 2}},      // 2^31 words
      {{many, 3, 5, 8}, {200, 40, 8, 1}, {1, 3}},  // 2^31 rows by two steps
  };
  for (const shape& one : others) {
    EXPECT_EQ(stretches_of(one, 8).word_bytes, 0) << "axes to reduce: " << one.axes.size();
  }
  // As many rows by one step, and nearly as many words.
  EXPECT_EQ(stretches_of({{3, many, 8}, {8 * many, 8, 1}, {0, 2}}, 8).word_bytes, 16);
  EXPECT_EQ(stretches_of({{many / 4 - 1, 5, 8}, {40, 8, 1}, {0, 2}}, 8).word_bytes, 16);
}

}  // namespace
