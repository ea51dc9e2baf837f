/// fold/all: one pass with several folds gives the bits that each has alone.

#include "monofold/fold/all.hpp"

#include <cstdint>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/fold/adapt.hpp"
#include "monofold/fold/custom.hpp"
#include "monofold/fold/extrema.hpp"
#include "monofold/fold/moments.hpp"
#include "monofold/fold/norm.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/fold/top.hpp"
#include "monofold/reduce.hpp"
#include "tests/inputs/hard_numbers.hpp"
#include "tests/inputs/same_bits.hpp"

namespace {

namespace mf = monofold;
using inputs::same_bits;

constexpr auto weighted = mf::ordered([](double l, double r) { return l * 0.5 + r; });
constexpr auto squared = [](double x) { return x * x; };

TEST(all, has_the_bits_of_its_members_alone) {
  const auto together = mf::all(mf::count, mf::plain_mean, mf::plain_variance(1), mf::extrema,
                                weighted, mf::plain_norm2, mf::top(3));
  for (const std::size_t n : {3U, 33U, 511U, 513U, 2049U, 40000U, 200000U}) {
    const auto items = inputs::spread_doubles(n, 20, n);
    const auto [count, mean, variance, extrema, last, norm, top] =
        mf::reduce(mf::cpu(3), items, together);
    EXPECT_EQ(count, static_cast<std::int64_t>(n));
    EXPECT_TRUE(same_bits(mean, mf::reduce(items, mf::plain_mean)));
    EXPECT_TRUE(same_bits(variance, mf::reduce(items, mf::plain_variance(1))));
    EXPECT_EQ(extrema.argmin, mf::reduce(items, mf::argmin));
    EXPECT_EQ(extrema.max, mf::reduce(items, mf::max));
    EXPECT_TRUE(same_bits(last, mf::reduce(items, weighted)));
    EXPECT_TRUE(same_bits(norm, mf::reduce(items, mf::plain_norm2)));
    EXPECT_EQ(top.indices, mf::reduce(items, mf::top(3)).indices);
  }
}

TEST(all, members_may_be_adapted_and_nested) {
  const auto items = inputs::spread_doubles(3000, 20, 61);
  const auto positive = [](double x) { return x > 0; };
  const auto [squares, inner, passing] = mf::reduce(
      items, mf::all(mf::plain_sum_in<double> | mf::map(squared),
                     mf::all(mf::min, mf::plain_variance(0)), mf::count | mf::where(positive)));
  EXPECT_TRUE(same_bits(squares, mf::reduce(items, mf::plain_sum_in<double> | mf::map(squared))));
  EXPECT_EQ(std::get<0>(inner), mf::reduce(items, mf::min));
  EXPECT_TRUE(same_bits(std::get<1>(inner), mf::reduce(items, mf::plain_variance(0))));
  EXPECT_EQ(passing, mf::reduce(items, mf::count | mf::where(positive)));
}

TEST(all, adapted_as_a_whole_keeps_the_bits_of_its_members) {
  for (const std::size_t n : {100U, 513U, 3000U}) {
    const auto items = inputs::spread_doubles(n, 20, n);
    const auto [sum, variance] = mf::reduce(
        items, mf::all(mf::plain_sum_in<double>, mf::plain_variance(0)) | mf::map(squared));
    EXPECT_TRUE(same_bits(sum, mf::reduce(items, mf::plain_sum_in<double> | mf::map(squared))));
    EXPECT_TRUE(same_bits(variance, mf::reduce(items, mf::plain_variance(0) | mf::map(squared))));
  }
}

TEST(all, of_nothing) {
  const std::vector<double> none;
  const auto [count, sum] = mf::reduce(none, mf::all(mf::count, mf::plain_sum_in<double>));
  EXPECT_EQ(count, 0);
  EXPECT_EQ(sum, 0.0);
  EXPECT_EQ(mf::try_reduce(none, mf::all(mf::count, mf::plain_mean)).code(),
            mf::status::empty_input);
  EXPECT_EQ(mf::try_reduce(none, mf::all(mf::count, weighted)).code(), mf::status::empty_input);
}

TEST(all, the_first_member_without_a_result_decides) {
  const std::vector<std::int64_t> items = {INT64_MAX, 1};
  const auto code = [&](const auto& fold) { return mf::try_reduce(items, fold).code(); };
  EXPECT_EQ(code(mf::all(mf::count, mf::plain_sum_in<double>, mf::top(3))),
            mf::status::integer_overflow);
  EXPECT_EQ(code(mf::all(mf::top(3), mf::plain_sum_in<double>)), mf::status::empty_input);
  EXPECT_EQ(code(mf::all(mf::count, mf::top(2))), mf::status::ok);
}

TEST(all, of_one) {
  const auto answer = mf::reduce(std::vector<int>{1, 2, 3}, mf::all(mf::plain_sum_in<double>));
  EXPECT_EQ(std::get<0>(answer), 6);
}

}  // namespace
