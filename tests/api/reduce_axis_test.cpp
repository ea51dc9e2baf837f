/// reduce_axis: the answer of each row has the bytes of `reduce` of its items, whatever the layout.

#include "monofold/reduce_axis.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/monofold.hpp"
#include "tests/inputs/answer_bytes.hpp"
#include "tests/inputs/random.hpp"
#include "tests/inputs/row_folds.hpp"

namespace {

namespace mf = monofold;
using inputs::bytes_of;

/// Room for an array of any layout, its first item in the middle.
struct stored_array {
  std::vector<float> memory;
  mf::array_view<float> view;
};

/// The same items in row-major order for every layout.
stored_array store(const mf::axis_numbers& extents, const mf::axis_numbers& strides) {
  std::int64_t low = 0;
  std::int64_t high = 0;
  for (int k = 0; k < extents.size(); ++k) {
    (strides[k] < 0 ? low : high) += (extents[k] - 1) * strides[k];
  }
  std::vector<float> memory(static_cast<std::size_t>(high - low + 1), 1e30F);
  const mf::array_view<float> view(memory.data() - low, extents, strides);
  for (std::int64_t i = 0; i < view.size(); ++i) {
    const_cast<float&>(view[i]) =
        static_cast<float>(inputs::spread_double(static_cast<std::uint64_t>(i), 12));
  }
  return {std::move(memory), view};
}

/// Row-major, column-major, backward, spaced, and the last axis moving slowest.
std::vector<mf::axis_numbers> layouts_of(const mf::axis_numbers& extents) {
  const auto rows = mf::array_view<float>(nullptr, extents).strides();
  const auto columns = mf::array_view<float>::column_major(nullptr, extents).strides();
  mf::axis_numbers backward;
  mf::axis_numbers spaced;
  mf::axis_numbers rotated;
  std::int64_t size = 1;
  for (int k = 0; k + 1 < extents.size(); ++k) size *= extents[k];
  std::int64_t stride = size;
  for (int k = 0; k < extents.size(); ++k) {
    backward.push_back(-rows[k]);
    spaced.push_back((k % 2 == 0 ? -2 : 2) * columns[k]);
    if (k + 1 < extents.size()) {
      stride /= extents[k];
      rotated.push_back(stride);
    } else {
      rotated.push_back(size);
    }
  }
  return {rows, columns, backward, spaced, rotated};
}

/// Each row of the result by `reduce` of a copy of its items; its indices by where they lie.
template <class F>
std::vector<std::string> rows_one_by_one(const mf::array_view<float>& view,
                                         const mf::axis_numbers& axes, const F& fold) {
  const auto plan = mf::rows_of(view.extents(), view.strides(), axes);
  std::vector<std::string> out;
  std::vector<float> items(static_cast<std::size_t>(plan.row_items));
  for (std::int64_t row = 0; row < plan.num_rows; ++row) {
    for (std::int64_t i = 0; i < plan.row_items; ++i) {
      items[static_cast<std::size_t>(i)] = view[plan.index_of(row, i)];
    }
    out.push_back(bytes_of(mf::try_reduce(mf::cpu(1), items, fold)));
  }
  return out;
}

template <class F>
[[gnu::noinline]] void check_axes(const std::string& name, const mf::array_view<float>& view,
                                  const mf::axis_numbers& axes, const F& fold) {
  const auto expected = rows_one_by_one(view, axes, fold);
  for (const int threads : {1, 3}) {
    const auto got = mf::try_reduce_axis(mf::cpu(threads), view, axes, fold);
    ASSERT_EQ(got.values.size(), expected.size());
    for (std::size_t row = 0; row < expected.size(); ++row) {
      ASSERT_EQ(bytes_of(got.values[row]), expected[row])
          << name << ", row " << row << " on " << threads;
    }
  }
}

mf::axis_numbers axes_of_set(int set, int rank) {
  mf::axis_numbers axes;
  for (int k = 0; k < rank; ++k) {
    if ((set >> k & 1) != 0) axes.push_back(k);
  }
  return axes;
}

TEST(reduce_axis, every_set_of_axes_of_every_layout) {
  for (const mf::axis_numbers& extents :
       {mf::axis_numbers{7}, {5, 40}, {40, 5}, {3, 4, 5}, {2, 3, 1, 4, 3}}) {
    for (const auto& strides : layouts_of(extents)) {
      const stored_array array = store(extents, strides);
      for (int set = 0; set < 1 << extents.size(); ++set) {
        inputs::with_row_folds([&](const char* name, const auto& fold) {
          check_axes(name, array.view, axes_of_set(set, extents.size()), fold);
        });
      }
    }
  }
}

// As many axes as an array has: no two that are left are walked as one in every second layout.
TEST(reduce_axis, seven_and_eight_axes) {
  for (const mf::axis_numbers& extents :
       {mf::axis_numbers{2, 3, 2, 1, 2, 3, 2}, {2, 2, 3, 1, 2, 2, 2, 2}}) {
    for (const auto& strides : layouts_of(extents)) {
      const stored_array array = store(extents, strides);
      for (int set = 0; set < 1 << extents.size(); ++set) {
        const auto axes = axes_of_set(set, extents.size());
        check_axes("sum", array.view, axes, mf::sum);
        check_axes("plain sum", array.view, axes, mf::plain_sum);
        check_axes("argmax", array.view, axes, mf::argmax);
        check_axes("ordered", array.view, axes, inputs::matrix_product{});
        if (HasFatalFailure()) return;
      }
    }
  }
  const std::vector<float> items(256, 1.0F);
  const mf::array_view<float> cube(items.data(), {2, 2, 2, 2, 2, 2, 2, 2});
  const auto kept = mf::reduce_axis(mf::cpu, cube, {-8, 6, 3}, mf::sum, mf::keepdims::yes);
  EXPECT_EQ(kept.extents, (std::vector<std::int64_t>{1, 2, 2, 1, 2, 2, 1, 2}));
  EXPECT_EQ(kept.values, std::vector<double>(32, 8.0));
  EXPECT_THROW(mf::axis_numbers({1, 1, 1, 1, 1, 1, 1, 1, 1}), mf::error);
}

// Columns of some tiles and of more than 64, which threads share; widths around what is read together.
TEST(reduce_axis, long_rows_and_columns) {
  for (const mf::axis_numbers& extents : {mf::axis_numbers{2500, 3},
                                          {1100, 37},
                                          {66'000, 2},
                                          {70'001, 3},
                                          {3, 70'001},
                                          {2, 40'000, 2},
                                          {300, 300}}) {
#if defined(__SANITIZE_ADDRESS__)  // which memory is used does not depend on how long it is
    if (extents[0] == 66'000) continue;
#endif
    for (const auto& strides : layouts_of(extents)) {
      const stored_array array = store(extents, strides);
      for (int set = 1; set < 1 << extents.size(); set += 2) {
        const auto axes = axes_of_set(set, extents.size());
        check_axes("plain sum", array.view, axes, mf::plain_sum);
        check_axes("sum", array.view, axes, mf::sum);
        check_axes("plain variance", array.view, axes, mf::plain_variance(0));
        check_axes("ordered", array.view, axes, inputs::matrix_product{});
      }
    }
  }
}

TEST(reduce_axis, a_row_or_column_alone_and_among_others) {
  for (const std::int64_t length : {1, 3, 50}) {
    const stored_array row = store({length}, {1});
    for (const std::int64_t others : {1, 2, 255, 256, 257, 4096}) {
      const std::int64_t count = others + 1;
      std::vector<float> rows(static_cast<std::size_t>(count * length), 3.25F);
      std::vector<float> columns(rows);
      const std::int64_t place = others / 2;
      for (std::int64_t i = 0; i < length; ++i) {
        rows[static_cast<std::size_t>(place * length + i)] = row.view[i];
        columns[static_cast<std::size_t>(i * count + place)] = row.view[i];
      }
      inputs::with_row_folds([&](const char* name, const auto& fold) {
        const auto alone = bytes_of(mf::try_reduce(row.memory, fold));
        const auto by_rows =
            mf::try_reduce_axis(mf::cpu, mf::array_view(rows.data(), {count, length}), {1}, fold);
        const auto by_columns = mf::try_reduce_axis(
            mf::cpu, mf::array_view(columns.data(), {length, count}), {0}, fold);
        const auto at = static_cast<std::size_t>(place);
        ASSERT_EQ(bytes_of(by_rows.values[at]), alone) << name << " among " << others;
        ASSERT_EQ(bytes_of(by_columns.values[at]), alone) << name << " among " << others;
      });
    }
  }
}

/// Sums up what it is told of indices.
struct index_fold {
  using state = std::array<std::uint64_t, 2>;
  state lift(float, std::int64_t index) const {
    return {static_cast<std::uint64_t>(index), static_cast<std::uint64_t>(index)};
  }
  state combine(const state& l, const state& r) const { return {l[0] * 3 + r[0], l[1] + r[1]}; }
};

TEST(reduce_axis, indices_of_the_array_on_request) {
  const mf::axis_numbers extents{6, 5, 70};
  for (const auto& strides : layouts_of(extents)) {
    const stored_array array = store(extents, strides);
    for (int set = 0; set < 8; ++set) {
      const auto axes = axes_of_set(set, 3);
      const auto plan = mf::rows_of(extents, strides, axes);
      const auto own = mf::reduce_axis(mf::cpu(2), array.view, axes, mf::argmax);
      const auto all =
          mf::reduce_axis(mf::cpu(2), array.view, axes, mf::all(mf::argmax, mf::sum, mf::plain_sum),
                          mf::keepdims::no, mf::global_index);
      const auto sums = mf::reduce_axis(mf::cpu(2), array.view, axes, index_fold{},
                                        mf::keepdims::no, mf::global_index);
      const auto plain = mf::reduce_axis(mf::cpu(2), array.view, axes, mf::plain_sum);
      const auto alone = mf::reduce_axis(mf::cpu(2), array.view, axes, mf::argmax, mf::keepdims::no,
                                         mf::global_index);
      for (std::size_t row = 0; row < own.values.size(); ++row) {
        const auto place = static_cast<std::int64_t>(row);
        ASSERT_EQ(std::get<0>(all.values[row]), plan.index_of(place, own.values[row]));
        ASSERT_EQ(alone.values[row], std::get<0>(all.values[row]));
        ASSERT_EQ(bytes_of(std::get<2>(all.values[row])), bytes_of(plain.values[row]));
        std::uint64_t expected = 0;
        for (std::int64_t i = 0; i < plan.row_items; ++i) {
          expected += static_cast<std::uint64_t>(plan.index_of(place, i));
        }
        ASSERT_EQ(sums.values[row][1], expected);
      }
    }
  }
}

TEST(reduce_axis, extents_of_the_result) {
  const stored_array array = store({2, 3, 4}, {12, 4, 1});
  using list = std::vector<std::int64_t>;
  EXPECT_EQ(mf::reduce_axis(mf::cpu, array.view, {1}, mf::sum).extents, (list{2, 4}));
  EXPECT_EQ(mf::reduce_axis(mf::cpu, array.view, {0, -1}, mf::sum, mf::keepdims::yes).extents,
            (list{1, 3, 1}));
  EXPECT_EQ(mf::reduce_axis(mf::cpu, array.view, {0, 1, 2}, mf::sum).extents, list{});
  const auto each = mf::reduce_axis(mf::cpu, array.view, {}, mf::max);
  EXPECT_EQ(each.extents, (list{2, 3, 4}));
  EXPECT_EQ(each.values, array.memory) << "no axis: each item is a row";
}

TEST(reduce_axis, axes_of_no_items) {
  const float none = 0;
  const mf::array_view<float> no_rows(&none, {0, 3});
  EXPECT_TRUE(mf::reduce_axis(mf::cpu, no_rows, {1}, mf::max).values.empty());
  EXPECT_EQ(mf::reduce_axis(mf::cpu, no_rows, {0}, mf::sum).values, std::vector<double>(3, 0.0));
  EXPECT_EQ(mf::try_reduce_axis(mf::cpu, no_rows, {0}, mf::max).values[2].code(),
            mf::status::empty_input);
  try {
    mf::reduce_axis(mf::cpu, no_rows, {0}, mf::max);
    FAIL();
  } catch (const mf::segment_error& e) {
    EXPECT_EQ(e.segment(), 0);
    EXPECT_EQ(std::string(e.what()), "no result: too few items for this operation: row 0");
  }
  float out = 0;
  EXPECT_THROW(mf::reduce_axis_into(mf::cpu, no_rows, {0},
                                    mf::ordered([](float, float r) { return r; }), &out),
               mf::error);
}

TEST(reduce_axis, what_is_wrong_is_refused) {
  const stored_array array = store({2, 3}, {3, 1});
  EXPECT_THROW(mf::reduce_axis(mf::cpu, array.view, {2}, mf::sum), mf::error);
  EXPECT_THROW(mf::reduce_axis(mf::cpu, array.view, {1, 1}, mf::sum), mf::error);
  EXPECT_THROW(mf::reduce_axis(mf::cpu, mf::array_view<float>(nullptr, {2, 3}), {1}, mf::sum),
               mf::error);
  std::vector<double> sums(3);
  mf::reduce_axis_into(mf::cpu, array.view, {0}, mf::sum, sums.data());
  EXPECT_EQ(sums[1], double{array.view[1]} + double{array.view[4]});
}

// numpy#29772: a float32 sum along axis 0 adds rows one after the other, and is off by percents.
TEST(reduce_axis, means_of_long_columns_are_right) {
  const std::int64_t rows = 1 << 21;
  const std::vector<float> items(static_cast<std::size_t>(2 * rows), 0.1F);
  const auto means =
      mf::reduce_axis(mf::cpu, mf::array_view(items.data(), {rows, 2}), {0}, mf::mean).values;
  EXPECT_EQ(means, std::vector<double>(2, double{0.1F}));
  float running = 0;
  for (std::int64_t i = 0; i < rows; ++i) running += 0.1F;
  EXPECT_LT(running / static_cast<float>(rows), 0.0985F) << "what one after the other gives";
}

}  // namespace
