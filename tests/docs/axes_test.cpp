// docs/axes.md: its C++ runs, and says what the page says.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/monofold.hpp"
#include "monofold/reduce_axis.hpp"
#include "monofold/reduce_segments.hpp"

namespace {

namespace mf = monofold;

TEST(axes, the_calls) {
  const std::vector<float> memory{1, 2, 3, 4, 5, 6};
  const float* const items = memory.data();
  // [axes]
  const mf::array_view<float> array(items, {2, 3});  // row-major; strides may follow
  auto rows = mf::reduce_axis(mf::cpu, array, {1}, mf::sum);
  // rows.extents is {2}, rows.values {6, 15}
  auto columns = mf::reduce_axis(mf::cpu, array, {0}, mf::max, mf::keepdims::yes);
  // columns.extents is {1, 3}, columns.values {4, 5, 6}
  auto places = mf::reduce_axis(mf::cpu, array, {0}, mf::argmax, mf::keepdims::no,
                                mf::global_index);  // 3 4 5: in the array, not in the column
  // [/axes]
  EXPECT_EQ(rows.extents, std::vector<std::int64_t>{2});
  EXPECT_EQ(rows.values, (std::vector<double>{6, 15}));
  EXPECT_EQ(columns.extents, (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(columns.values, (std::vector<float>{4, 5, 6}));
  EXPECT_EQ(places.values, (std::vector<std::int64_t>{3, 4, 5}));
}

TEST(axes, inner_products) {
  const std::vector<float> memory{1, 2, 3, 4, 5, 6};
  const std::vector<float> others{1, 1, 1, 2, 0, -1};
  const float* const items = memory.data();
  const float* const weights = others.data();
  // [inner_products]
  const mf::array_view<float> x(items, {2, 3});
  const mf::array_view<float> y(weights, {2, 3});  // of the same extents, in any layout
  auto products = mf::reduce_axis(mf::cpu, mf::zip(x, y), {1}, mf::dot).values;  // 6 2
  // [/inner_products]
  EXPECT_EQ(products, (std::vector<double>{6, 2}));
}

TEST(axes, segments) {
  const std::vector<float> items{1, 2, 3, 4, 5, 6};
  // [segments]
  const std::vector<std::int64_t> offsets{0, 2, 2, 6};  // of 32 or 64 bits
  const mf::offset_segments<std::int64_t> segments(offsets.data(), 3);
  auto sums = mf::reduce_segments(mf::cpu, items, segments, mf::sum);      // 3 0 18
  auto most = mf::try_reduce_segments(mf::cpu, items, segments, mf::max);  // 2, no result, 6
  auto pairs = mf::reduce_segments(mf::cpu, items, mf::fixed_segments(2, 3), mf::sum);  // 3 7 11
  // [/segments]
  EXPECT_EQ(sums, (std::vector<double>{3, 0, 18}));
  EXPECT_EQ(most[1].code(), mf::status::empty_input);
  EXPECT_EQ(*most[2], 6);
  EXPECT_EQ(pairs, (std::vector<double>{3, 7, 11}));
}

TEST(axes, norms_of_language_models) {
  const std::int64_t tokens = 3;
  const std::int64_t width = 5;
  const std::vector<float> activations(15, 2);
  // [model_norms]
  const mf::array_view<float> batch(activations.data(), {tokens, width});
  auto squares = mf::reduce_axis(mf::cpu, batch, {-1}, mf::mean_square).values;  // exact
  auto scales = mf::reduce_axis(mf::cpu, batch, {-1}, mf::softmax_denominator).values;
  auto losses = mf::reduce_axis(mf::cpu, batch, {-1}, mf::logsumexp).values;
  // [/model_norms]
  EXPECT_EQ(squares, std::vector<double>(3, 4));
  EXPECT_EQ(scales[2].sum, 5);
  EXPECT_NEAR(losses[1], 2 + 1.6094379124341003, 1e-6);
}

}  // namespace
