// Which rows warps add by doubles, and by how many warps each.

#include "monofold/plan/double_row_launch.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

namespace mf = monofold;

constexpr int multiprocessors = 132;

mf::double_row_facts floats(std::int64_t rows, std::int64_t length) {
  return {rows, length, 4, false, true, multiprocessors};
}

TEST(double_row_launch, rows_fill_the_places_that_there_are) {
  EXPECT_EQ(mf::double_row_level(floats(100000, 5000)), 0);
  EXPECT_EQ(mf::double_row_level(floats(2112, 4096)), 0);
  EXPECT_EQ(mf::double_row_level(floats(1056, 20000)), 1);
  EXPECT_EQ(mf::double_row_level(floats(512, 4096)), 2);
  EXPECT_EQ(mf::double_row_level(floats(100, 100000)), 3);
}

TEST(double_row_launch, a_row_has_no_more_warps_than_pages) {
  for (std::int64_t rows = 1; rows < 5000; rows += rows / 3 + 1) {
    for (const int bytes : {2, 4}) {
      for (std::int64_t pages = 1; pages < 20; ++pages) {
        const std::int64_t length = pages * mf::double_row_page_bytes / bytes;
        const int level = mf::double_row_level({rows, length, bytes, false, true, multiprocessors});
        ASSERT_LE(std::int64_t{1} << level, 2 * pages - 1) << rows << " x " << length;
      }
    }
  }
}

TEST(double_row_launch, a_few_rows_that_other_kernels_cut_are_left_to_them) {
  EXPECT_TRUE(mf::adds_by_doubles(floats(1, 20000)));
  EXPECT_FALSE(mf::adds_by_doubles(floats(1, 100000)));
  EXPECT_TRUE(mf::adds_by_doubles(floats(100, 100000)));
  EXPECT_FALSE(mf::adds_by_doubles(floats(100, 1000000)));
  EXPECT_TRUE(mf::adds_by_doubles(floats(264, 1 << 20)));
  EXPECT_FALSE(mf::adds_by_doubles(floats(264, std::int64_t{1} << 30)));
}

TEST(double_row_launch, short_rows_are_added_so_where_there_are_many) {
  EXPECT_FALSE(mf::adds_by_doubles(floats(1500, 1000)));
  EXPECT_TRUE(mf::adds_by_doubles(floats(8192, 1000)));
  EXPECT_FALSE(mf::adds_by_doubles(floats(8192, 512)));
  EXPECT_FALSE(mf::adds_by_doubles({8192, 800, 4, false, false, multiprocessors}));
  EXPECT_TRUE(mf::adds_by_doubles({100, 257, 4, true, false, multiprocessors}));
  EXPECT_FALSE(mf::adds_by_doubles({100, 256, 2, true, false, multiprocessors}));
  EXPECT_FALSE(mf::adds_by_doubles(floats(8192, 0)));
}

TEST(double_row_launch, columns_are_added_so_where_they_are_many) {
  const auto adds = [](std::int64_t columns, std::int64_t items, int bytes, bool has_squares) {
    return mf::adds_columns_by_doubles(columns / (512 / bytes), items, bytes, has_squares,
                                       multiprocessors);
  };
  EXPECT_TRUE(adds(65536, 200, 4, false));
  EXPECT_TRUE(adds(1000000, 2, 4, false));
  EXPECT_FALSE(adds(4096, 4096, 4, false));
  EXPECT_FALSE(adds(100000, 100, 4, false));
  EXPECT_TRUE(adds(100000, 100, 2, false));
  EXPECT_FALSE(adds(1000000, 3, 4, true));
  EXPECT_FALSE(adds(100000, 10, 2, true));
  EXPECT_FALSE(adds(2111 * 256, 10, 2, true));
  EXPECT_TRUE(adds(2112 * 256, 10, 2, true));
  EXPECT_TRUE(adds(100000, 100, 2, true));
}

}  // namespace
