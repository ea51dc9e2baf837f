/// runtime/column_tiles: each item of a column comes once, whichever are read together.

#include "runtime/column_tiles.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/shape/axes.hpp"

namespace {

namespace mf = monofold;
namespace rt = monofold::runtime;

/// Columns of so many items, in bytes: steps along the reduced axes, the last one innermost.
mf::array_rows columns_of(const std::vector<mf::axis_step>& reduced) {
  mf::array_rows rows;
  rows.num_reduced = static_cast<int>(reduced.size());
  std::copy(reduced.begin(), reduced.end(), rows.reduced);
  for (const mf::axis_step& step : reduced) rows.row_items *= step.extent;
  return rows;
}

std::vector<std::int64_t> offsets_in_order(const mf::array_rows& rows, std::int64_t begin,
                                           std::int64_t end) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = begin; i < end; ++i) out.push_back(rows.offset_of_item(i));
  return out;
}

std::vector<std::int64_t> offsets_of_tiles(const mf::array_rows& rows, std::int64_t begin,
                                           std::int64_t end, std::int64_t tile, bool in_streams) {
  std::vector<std::int64_t> out;
  rt::column_tiles tiles(rows, begin, end, tile, in_streams);
  while (tiles.next()) {
    EXPECT_EQ(tiles.first_index(), begin + static_cast<std::int64_t>(out.size()));
    EXPECT_LE(tiles.count(), tile);
    out.insert(out.end(), tiles.offsets(), tiles.offsets() + tiles.count());
  }
  EXPECT_FALSE(tiles.next());
  return out;
}

TEST(column_tiles, every_item_comes_once) {
  for (const auto& rows : {columns_of({{5000, 800, 0}}), columns_of({{9, -64, 0}}),
                           columns_of({{70, 90000, 0}, {83, 16, 0}}),
                           columns_of({{3, 70000, 0}, {1, 8, 0}, {4099, -8, 0}})}) {
    for (const std::int64_t tile : {8, 256, 4096}) {
      for (const std::int64_t begin : {0, 1, 300}) {
        const std::int64_t end = rows.row_items - begin % 7;
        if (begin >= end) continue;
        SCOPED_TRACE(testing::Message() << rows.row_items << " by " << tile << " from " << begin);
        std::vector<std::int64_t> expected = offsets_in_order(rows, begin, end);
        EXPECT_EQ(offsets_of_tiles(rows, begin, end, tile, false), expected);
        std::vector<std::int64_t> found = offsets_of_tiles(rows, begin, end, tile, true);
        std::sort(found.begin(), found.end());
        std::sort(expected.begin(), expected.end());
        EXPECT_EQ(found, expected);
      }
    }
  }
}

TEST(column_tiles, streams_go_on_from_tile_to_tile) {
  const mf::array_rows rows = columns_of({{64 * 256 + 5, 256, 0}});
  rt::column_tiles tiles(rows, 0, rows.row_items, 256, true);
  std::vector<std::int64_t> last;
  for (int tile = 0; tile < 4; ++tile) {
    ASSERT_TRUE(tiles.next());
    for (int i = 0; i < 256; ++i) {
      if (tile > 0 || i >= 8) {
        EXPECT_EQ(tiles.offsets()[i], last[i % 8] + 256) << tile << " " << i;
      }
      if (last.size() < 8) last.push_back(0);
      last[i % 8] = tiles.offsets()[i];
    }
  }
  std::sort(last.begin(), last.end());
  for (int s = 1; s < 8; ++s) EXPECT_GE(last[s] - last[s - 1], 32 << 10);
}

}  // namespace
