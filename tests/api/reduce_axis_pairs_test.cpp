/// reduce_axis of two arrays: the answer of each row has the bytes of `reduce` of the two rows alone.

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/monofold.hpp"
#include "monofold/reduce_axis.hpp"
#include "tests/inputs/answer_bytes.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using inputs::bytes_of;

/// The same items in row-major order for every layout.
template <class Item>
struct stored_side {
  stored_side(const mf::axis_numbers& extents, const mf::axis_numbers& strides, std::uint64_t seed)
      : memory(room(extents, strides)),
        view(memory.data() - lowest(extents, strides), extents, strides) {
    for (std::int64_t i = 0; i < view.size(); ++i) {
      const double item = inputs::spread_double(static_cast<std::uint64_t>(i) + seed, 12);
      // Integers by way of the widest: no unsigned one has a negative double.
      using whole = std::conditional_t<std::is_integral_v<Item>, std::int64_t, double>;
      const_cast<Item&>(view[i]) = static_cast<Item>(static_cast<whole>(item));
    }
  }

  static std::int64_t lowest(const mf::axis_numbers& extents, const mf::axis_numbers& strides) {
    std::int64_t low = 0;
    for (int k = 0; k < extents.size(); ++k) {
      if (strides[k] < 0) low += (extents[k] - 1) * strides[k];
    }
    return low;
  }
  static std::size_t room(const mf::axis_numbers& extents, const mf::axis_numbers& strides) {
    std::int64_t all = 1;
    for (int k = 0; k < extents.size(); ++k) {
      all += (extents[k] - 1) * (strides[k] < 0 ? -strides[k] : strides[k]);
    }
    return static_cast<std::size_t>(all);
  }

  std::vector<Item> memory;
  mf::array_view<Item> view;
};

/// Row-major, column-major, spaced and backward, and the last axis moving slowest.
std::vector<mf::axis_numbers> pair_layouts_of(const mf::axis_numbers& extents) {
  const auto rows = mf::array_view<float>(nullptr, extents).strides();
  const auto columns = mf::array_view<float>::column_major(nullptr, extents).strides();
  mf::axis_numbers spaced;
  mf::axis_numbers rotated;
  const int last = extents.size() - 1;
  std::int64_t size = 1;
  for (int k = 0; k < last; ++k) size *= extents[k];
  for (int k = 0; k <= last; ++k) {
    spaced.push_back((k % 2 == 0 ? -2 : 2) * columns[k]);
    rotated.push_back(k == last ? size : rows[k] / extents[last]);
  }
  return {rows, columns, spaced, rotated};
}

mf::axis_numbers axes_in_set(int set, int rank) {
  mf::axis_numbers axes;
  for (int k = 0; k < rank; ++k) {
    if ((set >> k & 1) != 0) axes.push_back(k);
  }
  return axes;
}

/// A product of matrices of pairs: any other order gives another answer, and so do other pairs and indices.
struct pair_matrices {
  using state = std::array<std::uint64_t, 4>;

  template <class Pair>
  state lift(const Pair& pair, std::int64_t index) const {
    const auto bits = [](auto item) {
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(item * 1024));
    };
    return {bits(pair.left) + 3, 5, static_cast<std::uint64_t>(index), bits(pair.right) * 2 + 7};
  }
  state combine(const state& l, const state& r) const {
    return {l[0] * r[0] + l[1] * r[2], l[0] * r[1] + l[1] * r[3], l[2] * r[0] + l[3] * r[2],
            l[2] * r[1] + l[3] * r[3]};
  }
};

template <class Left, class Right, class F>
[[gnu::noinline]] void check_pairs(const char* name, const mf::array_view<Left>& left,
                                   const mf::array_view<Right>& right, const mf::axis_numbers& axes,
                                   const F& fold) {
  const auto plan = mf::rows_of(left.extents(), left.strides(), axes);
  std::vector<std::string> expected;
  for (std::int64_t row = 0; row < plan.num_rows; ++row) {
    std::vector<Left> l;
    std::vector<Right> r;
    for (std::int64_t i = 0; i < plan.row_items; ++i) {
      l.push_back(left[plan.index_of(row, i)]);
      r.push_back(right[plan.index_of(row, i)]);
    }
    expected.push_back(bytes_of(mf::try_reduce(mf::cpu(1), mf::zip(l, r), fold)));
  }
  for (const int threads : {1, 3}) {
    const auto got = mf::try_reduce_axis(mf::cpu(threads), mf::zip(left, right), axes, fold);
    ASSERT_EQ(got.values.size(), expected.size());
    for (std::size_t row = 0; row < expected.size(); ++row) {
      ASSERT_EQ(bytes_of(got.values[row]), expected[row])
          << name << ", row " << row << " on " << threads;
    }
  }
}

template <class Left, class Right>
void check_every_layout(const mf::axis_numbers& extents, int step, std::int64_t most_rows = 1000) {
  const auto layouts = pair_layouts_of(extents);
  for (std::size_t l = 0; l < layouts.size(); ++l) {
    const stored_side<Left> left(extents, layouts[l], 0);
    for (std::size_t r = 0; r < layouts.size(); ++r) {
      const stored_side<Right> right(extents, layouts[r], 1000);
      for (int set = 0; set < 1 << extents.size(); set += step) {
        SCOPED_TRACE(testing::Message() << "layouts " << l << " and " << r << ", set " << set);
        const auto axes = axes_in_set(set, extents.size());
        if (mf::rows_of(extents, layouts[l], axes).num_rows > most_rows) continue;
        check_pairs("dot", left.view, right.view, axes, mf::dot);
        check_pairs("plain dot", left.view, right.view, axes, mf::plain_dot);
        check_pairs("matrices", left.view, right.view, axes, pair_matrices{});
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(reduce_axis_pairs, every_set_of_axes_of_every_two_layouts) {
  for (const mf::axis_numbers& extents : {mf::axis_numbers{7}, {5, 40}, {40, 5}, {3, 4, 5}}) {
    check_every_layout<float, float>(extents, 1);
  }
  check_every_layout<double, double>({9, 11}, 1);
  check_every_layout<float, double>({9, 11}, 1);
  check_every_layout<std::int16_t, std::int64_t>({9, 11}, 1);
  check_every_layout<std::uint32_t, std::uint32_t>({9, 11}, 1);
}

TEST(reduce_axis_pairs, seven_and_eight_axes) {
  check_every_layout<float, float>({2, 3, 2, 1, 2, 3, 2}, 3);
  check_every_layout<float, float>({2, 2, 3, 1, 2, 2, 2, 2}, 7);
}

TEST(reduce_axis_pairs, long_rows_and_columns) {
  for (const mf::axis_numbers& extents :
       {mf::axis_numbers{2500, 3}, {1100, 37}, {40'001, 2}, {3, 40'001}, {2, 20'000, 2}}) {
    check_every_layout<float, float>(extents, 1, 100);
  }
}

// Whole numbers whose products and sums are counted in integers.
TEST(reduce_axis_pairs, dots_are_rounded_once) {
  constexpr std::int64_t rows = 50, length = 300;
  std::vector<double> x(rows * length), y(rows * length);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint64_t bits = inputs::mixed(i);
    x[i] = static_cast<double>(static_cast<std::int64_t>(bits) >> (12 + i % 40));
    y[i] = static_cast<double>(static_cast<std::int64_t>(inputs::mixed(bits)) >> (12 + i % 30));
  }
  const auto pairs =
      mf::zip(mf::array_view(x.data(), {rows, length}), mf::array_view(y.data(), {rows, length}));
  const auto found = mf::reduce_axis(mf::cpu, pairs, {1}, mf::dot).values;
  const auto columns = mf::reduce_axis(mf::cpu, pairs, {0}, mf::dot, mf::keepdims::yes);
  const auto exactly = [&](std::int64_t first, std::int64_t step, std::int64_t count) {
    __extension__ using wide = __int128;
    wide sum = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(first + i * step);
      sum += static_cast<wide>(x[at]) * static_cast<wide>(y[at]);
    }
    return static_cast<double>(sum);
  };
  for (std::int64_t r = 0; r < rows; ++r) {
    EXPECT_EQ(found[static_cast<std::size_t>(r)], exactly(r * length, 1, length));
  }
  EXPECT_EQ(columns.extents, (std::vector<std::int64_t>{1, length}));
  for (std::int64_t c = 0; c < length; ++c) {
    EXPECT_EQ(columns.values[static_cast<std::size_t>(c)], exactly(c, length, rows));
  }
}

// The place in the array of the pair with the least product.
struct least_product {
  using state = std::array<double, 2>;

  template <class Pair>
  state lift(const Pair& pair, std::int64_t index) const {
    return {pair.left * pair.right, static_cast<double>(index)};
  }
  state combine(const state& l, const state& r) const { return r[0] < l[0] ? r : l; }
  std::int64_t finish(const state& s) const { return static_cast<std::int64_t>(s[1]); }
};

TEST(reduce_axis_pairs, indices_of_the_array_on_request) {
  const std::vector<double> x{1, 2, 3, 4, -5, 6}, y{1, -1, 1, 1, 1, 1};
  const auto pairs = mf::zip(mf::array_view(x.data(), {2, 3}), mf::array_view(y.data(), {2, 3}));
  EXPECT_EQ(mf::reduce_axis(mf::cpu, pairs, {1}, least_product{}).values,
            (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(
      mf::reduce_axis(mf::cpu, pairs, {1}, least_product{}, mf::keepdims::no, mf::global_index)
          .values,
      (std::vector<std::int64_t>{1, 4}));
}

TEST(reduce_axis_pairs, axes_of_no_items_and_what_is_wrong) {
  const std::vector<float> items(12, 2.0F);
  const mf::array_view<float> x(items.data(), {3, 4});
  const auto none = mf::array_view<float>(nullptr, {0, 4});
  EXPECT_EQ(mf::reduce_axis(mf::cpu, mf::zip(none, none), {0}, mf::dot).values,
            std::vector<double>(4));
  EXPECT_EQ(mf::reduce_axis(mf::cpu, mf::zip(none, none), {1}, mf::dot).values.size(), 0U);
  const auto status_of = [](const auto& pairs, const mf::axis_numbers& axes) {
    try {
      mf::reduce_axis(mf::cpu, pairs, axes, mf::dot);
    } catch (const mf::error& problem) {
      return std::string(problem.what());
    }
    return std::string();
  };
  EXPECT_NE(status_of(mf::zip(x, mf::array_view<float>(items.data(), {4, 3})), {0})
                .find("two arrays of different extents"),
            std::string::npos);
  EXPECT_NE(status_of(mf::zip(x, mf::array_view<float>(items.data(), {12})), {0})
                .find("two arrays of different extents"),
            std::string::npos);
  EXPECT_NE(status_of(mf::zip(x, x), {2}).find("axis 2 of an array of 2"), std::string::npos);
  EXPECT_NE(status_of(mf::zip(x, x), {-1, 1}).find("axis 1 twice"), std::string::npos);
  EXPECT_NE(status_of(mf::zip(x, mf::array_view<float>(nullptr, {3, 4})), {1}).find("null items"),
            std::string::npos);
  std::vector<double> sums(3, -1.0);
  mf::reduce_axis_into(mf::cpu, mf::zip(x, x), {1}, mf::plain_dot, sums.data());
  EXPECT_EQ(sums, std::vector<double>(3, 16.0));
  const std::vector<std::int64_t> large(2, std::int64_t{1} << 62);
  const mf::array_view<std::int64_t> wide(large.data(), {1, 2});
  EXPECT_THROW(mf::reduce_axis(mf::cpu, mf::zip(wide, wide), {1}, mf::dot), mf::segment_error);
}

}  // namespace
