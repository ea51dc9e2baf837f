/// shape/array_view, shape/axes: items of an array by index, and the rows that reducing axes makes of them.

#include "monofold/shape/array_view.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/shape/axes.hpp"
#include "monofold/shape/view.hpp"

namespace {

namespace mf = monofold;

static_assert(mf::item_view<mf::array_view<float>> &&
              !mf::contiguous_item_view<mf::array_view<float>>);

std::vector<int> numbers(int n) {
  std::vector<int> out;
  for (int i = 0; i < n; ++i) out.push_back(i);
  return out;
}

std::vector<int> items_of(const mf::array_view<int>& view) {
  std::vector<int> out;
  for (std::int64_t i = 0; i < view.size(); ++i) out.push_back(view[i]);
  return out;
}

TEST(array_view, items_come_in_row_major_order) {
  const auto items = numbers(24);
  EXPECT_EQ(items_of({items.data(), {2, 3, 4}}), items);
  EXPECT_EQ(items_of(mf::array_view<int>::column_major(items.data(), {2, 3})),
            (std::vector<int>{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(items_of({items.data() + 5, {2, 3}, {-3, -1}}), (std::vector<int>{5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(items_of({items.data(), {2, 2}, {0, 1}}), (std::vector<int>{0, 1, 0, 1}));
  EXPECT_EQ(items_of({items.data() + 7, {}}), std::vector<int>{7}) << "no axis: one item";
  EXPECT_EQ(items_of({items.data(), {3, 0, 4}}), std::vector<int>{});
}

std::string why(const auto& call) {
  try {
    call();
  } catch (const mf::error& e) {
    EXPECT_EQ(e.code(), mf::status::invalid_argument);
    return e.what();
  }
  return "nothing";
}

TEST(array_view, what_is_no_array_is_refused) {
  const int item = 0;
  constexpr std::int64_t large = std::int64_t{1} << 40;
  const auto array = [&](const mf::axis_numbers& extents) {
    return why([&] { mf::array_view<int>(&item, extents); });
  };
  EXPECT_EQ(array({2, -1}), "invalid argument: a negative extent");
  EXPECT_EQ(array({large, large}), "invalid argument: more items than can be counted");
  EXPECT_EQ(array({large, large, 0}), "nothing");
  EXPECT_EQ(why([&] {
              mf::array_view<int>(&item, {1, 1}, {1});
            }),
            "invalid argument: not as many strides as extents");
  EXPECT_EQ(why([] { mf::axis_numbers{1, 1, 1, 1, 1, 1, 1, 1, 1}; }),
            "invalid argument: an array of more than 8 axes");
}

/// Every item of every row, by the literal meaning of axes: whatever collapses, these stay.
void check_rows(const mf::axis_numbers& extents, const mf::axis_numbers& strides,
                const std::vector<bool>& is_reduced) {
  mf::axis_numbers axes;
  const int rank = extents.size();
  for (int k = rank; k-- > 0;) {
    if (is_reduced[static_cast<std::size_t>(k)]) axes.push_back(k);  // in any order
  }
  const mf::array_rows rows = mf::rows_of(extents, strides, axes);
  std::vector<std::vector<std::int64_t>> offsets(static_cast<std::size_t>(rows.num_rows));
  std::vector<std::vector<std::int64_t>> indices(offsets.size());
  std::int64_t size = 1;
  for (const std::int64_t extent : extents) size *= extent;
  for (std::int64_t i = 0; i < size; ++i) {
    std::int64_t rest = i;
    std::int64_t row = 0;
    std::int64_t place = 1;
    std::int64_t offset = 0;
    for (int k = rank; k-- > 0; rest /= extents[k]) {
      offset += rest % extents[k] * strides[k];
      if (is_reduced[static_cast<std::size_t>(k)]) continue;
      row += rest % extents[k] * place;
      place *= extents[k];
    }
    offsets[static_cast<std::size_t>(row)].push_back(offset);
    indices[static_cast<std::size_t>(row)].push_back(i);
  }
  std::int64_t found = 0;
  const auto visit = [&](auto self, int k, std::int64_t offset, std::int64_t row) -> void {
    if (k < rows.num_kept) {
      for (std::int64_t i = 0; i < rows.kept[k].extent; ++i) {
        self(self, k + 1, offset + i * rows.kept[k].stride, row + i * rows.kept[k].number);
      }
      return;
    }
    ++found;
    const auto& expected = offsets[static_cast<std::size_t>(row)];
    ASSERT_EQ(rows.row_items, std::ssize(expected));
    for (std::int64_t i = 0; i < rows.row_items; ++i) {
      ASSERT_EQ(offset + rows.offset_of_item(i), expected[static_cast<std::size_t>(i)]);
      ASSERT_EQ(rows.index_of(row, i),
                indices[static_cast<std::size_t>(row)][static_cast<std::size_t>(i)]);
    }
  };
  visit(visit, 0, 0, 0);
  ASSERT_EQ(found, rows.num_rows);
}

TEST(rows_of, every_set_of_axes_of_every_layout) {
  for (const mf::axis_numbers& extents :
       {mf::axis_numbers{}, {5}, {2, 3}, {3, 1, 4}, {2, 3, 2, 2}, {1, 2, 1, 3, 2}}) {
    const int rank = extents.size();
    std::vector<mf::axis_numbers> layouts;
    layouts.push_back(mf::array_view<int>(nullptr, extents).strides());
    layouts.push_back(mf::array_view<int>::column_major(nullptr, extents).strides());
    mf::axis_numbers backward;
    mf::axis_numbers spaced;
    mf::axis_numbers inside_out;  // the axes between move slowest
    for (int k = 0; k < rank; ++k) {
      backward.push_back(-layouts[0][k]);
      spaced.push_back(7 * layouts[0][k] * (k % 2 == 0 ? 1 : -1));
      inside_out.push_back(k == 0 ? 1 : 100 * layouts[1][k - 1]);
    }
    layouts.insert(layouts.end(), {backward, spaced, inside_out});
    for (const mf::axis_numbers& strides : layouts) {
      for (int set = 0; set < 1 << rank; ++set) {
        std::vector<bool> is_reduced;
        for (int k = 0; k < rank; ++k) is_reduced.push_back((set >> k & 1) != 0);
        check_rows(extents, strides, is_reduced);
      }
    }
  }
}

TEST(rows_of, neighbours_that_are_walked_as_one_are_one) {
  const mf::axis_numbers extents{2, 3, 4, 5};
  const auto strides = mf::array_view<int>(nullptr, extents).strides();
  const auto rows = mf::rows_of(extents, strides, {2, 3});
  EXPECT_TRUE(rows.is_contiguous());
  EXPECT_EQ(rows.num_kept, 1);
  EXPECT_EQ(rows.row_items, 20);
  const auto columns = mf::rows_of(extents, strides, {0, 1});
  EXPECT_EQ(columns.num_reduced, 1);
  EXPECT_EQ(columns.inner().extent, 20);
  const auto middle = mf::rows_of(extents, strides, {1, 2});
  EXPECT_EQ(middle.num_kept, 2);
  EXPECT_EQ(middle.num_reduced, 1);
  // A column of an array whose columns lie side by side is a row.
  const auto fortran = mf::array_view<int>::column_major(nullptr, extents).strides();
  EXPECT_TRUE(mf::rows_of(extents, fortran, {0}).is_contiguous());
  EXPECT_EQ(mf::rows_of(extents, fortran, {3}).inner().stride, 1);
}

TEST(rows_of, axes_from_the_end_and_bad_ones) {
  const mf::axis_numbers extents{2, 3};
  const mf::axis_numbers strides{3, 1};
  EXPECT_EQ(mf::rows_of(extents, strides, {-1}).num_rows, 2);
  EXPECT_EQ(mf::rows_of(extents, strides, {-2}).num_rows, 3);
  const auto refused = [&](const mf::axis_numbers& axes) {
    return why([&] { mf::rows_of(extents, strides, axes); });
  };
  EXPECT_EQ(refused({2}), "invalid argument: axis 2 of an array of 2");
  EXPECT_EQ(refused({-3}), "invalid argument: axis -3 of an array of 2");
  EXPECT_EQ(refused({1, -1}), "invalid argument: axis -1 twice");
  constexpr std::int64_t large = std::int64_t{1} << 40;
  EXPECT_EQ(why([] {
              mf::rows_of({large, large, 0}, {0, 0, 0}, {2});
            }),
            "invalid argument: more rows than can be counted");
}

TEST(result_extents, reduced_axes_go_or_stay) {
  const mf::axis_numbers extents{2, 0, 4};
  const auto of = [&](const mf::axis_numbers& axes, mf::keepdims keep) {
    const auto found = mf::result_extents(extents, axes, keep);
    return std::vector<std::int64_t>(found.begin(), found.end());
  };
  using list = std::vector<std::int64_t>;
  EXPECT_EQ(of({1}, mf::keepdims::no), (list{2, 4}));
  EXPECT_EQ(of({1, -1}, mf::keepdims::yes), (list{2, 1, 1}));
  EXPECT_EQ(of({}, mf::keepdims::no), (list{2, 0, 4}));
  EXPECT_EQ(of({0, 1, 2}, mf::keepdims::no), list{});
}

}  // namespace
