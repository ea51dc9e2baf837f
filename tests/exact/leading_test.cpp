// fold/exact/leading and deviations: against bits one by one, and variances of leading bits against all limbs.

#include "monofold/fold/exact/leading.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "monofold/fold/exact/deviations.hpp"
#include "monofold/fold/exact/moments.hpp"
#include "monofold/fold/exact/rounding.hpp"
#include "tests/exact/items.hpp"
#include "tests/inputs/hard_numbers.hpp"
#include "tests/inputs/random.hpp"

namespace mf = monofold;
using inputs::same;
using mf::uint128;
using mf::detail::leading_bits;
using mf::detail::upper_bits;

namespace {

/// Random bits, of which runs are alike, so that carries go far.
std::uint64_t draw_limb(inputs::generator& random) {
  const std::uint64_t bits = random();
  switch (random() % 6) {
    case 0: return 0;
    case 1: return ~std::uint64_t{0};
    case 2: return bits >> (random() % 64);
    case 3: return ~(bits >> (random() % 64));
    case 4: return bits << (random() % 64);
    default: return bits;
  }
}
uint128 draw_leading(inputs::generator& random) {
  return uint128{draw_limb(random) | std::uint64_t{1} << 63} << 64 | draw_limb(random);
}

TEST(exact_leading, quotients_of_limbs) {
  inputs::generator random(1);
  for (std::int64_t i = 0; i < inputs::many(1000000); ++i) {
    const std::uint64_t divisor = draw_limb(random) | std::uint64_t{1} << 63;
    std::uint64_t rest = draw_limb(random) % divisor;
    if (i % 7 == 0) rest = divisor - 1;
    const std::uint64_t low = draw_limb(random);
    const uint128 whole = uint128{rest} << 64 | low;
    const std::uint64_t quotient =
        mf::detail::divide_limb(rest, low, mf::detail::high_divisor(divisor));
    ASSERT_EQ(quotient, static_cast<std::uint64_t>(whole / divisor)) << i;
    ASSERT_EQ(rest, static_cast<std::uint64_t>(whole % divisor)) << i;
  }
}

TEST(exact_leading, roots) {
  inputs::generator random(2);
  for (std::int64_t i = 0; i < inputs::many(1000000); ++i) {
    leading_bits square{draw_leading(random), 0, false};
    if (i % 3 == 0) {  // a square, or one beside it
      const uint128 root = (draw_limb(random) | std::uint64_t{3} << 62);
      square.significand = root * root + (i % 9) / 3 - 1;
    }
    const upper_bits got = mf::detail::root_of(square);
    const uint128 root = got.significand;
    const uint128 rest = square.significand - root * root;
    ASSERT_LE(root * root, square.significand) << i;
    ASSERT_LE(rest, 2 * root) << i;
    ASSERT_EQ(got.sticky, rest != 0) << i;
    ASSERT_EQ(got.exponent, 0);
  }
}

/// a number's limbs, of which some are 0 or all ones.
std::vector<std::uint64_t> draw_limbs(inputs::generator& random) {
  std::vector<std::uint64_t> limb(1 + random() % 8);
  for (std::uint64_t& own : limb) own = draw_limb(random);
  const std::uint64_t sign = random() % 2 != 0 ? ~std::uint64_t{0} : 0;
  for (std::size_t i = random() % limb.size(); i < limb.size(); ++i) limb[i] = sign;
  limb.push_back(sign);
  return limb;
}
std::vector<std::uint64_t> magnitude_of(std::vector<std::uint64_t> limb) {
  if (limb.back() >> 63 == 0) return limb;
  bool carries = true;
  for (std::uint64_t& own : limb) {
    own = ~own + (carries ? 1 : 0);
    carries = carries && own == 0;
  }
  return limb;
}

TEST(exact_leading, bits_quotients_and_roots_of_numbers) {
  inputs::generator random(3);
  for (std::int64_t i = 0; i < inputs::many(200000); ++i) {
    const auto limb = draw_limbs(random);
    const int num = static_cast<int>(limb.size());
    const auto own = mf::detail::leading_of(limb.data(), num, -100);
    const auto size = magnitude_of(limb);
    const auto by_bits = [&](std::uint64_t divisor) {
      return mf::detail::quotient_by_bits(size.data(), num, -100, divisor);
    };
    const leading_bits expected = by_bits(1);
    const auto rounded = [](const upper_bits& bits) {
      return mf::detail::round_bits<double>(false, bits);
    };
    ASSERT_EQ(own.bits.significand == 0, expected.significand == 0) << i;
    if (own.bits.significand == 0) continue;
    ASSERT_EQ(own.is_negative, limb.back() != 0);
    ASSERT_EQ(static_cast<int>(own.bits.significand >> 127), 1) << i;
    const auto same_upper = [&](const upper_bits& bits, const upper_bits& wanted) {
      // The one may have some bits more than the other.
      return same(rounded(bits), rounded(wanted)) &&
             same(mf::detail::round_bits<float>(false, bits),
                  mf::detail::round_bits<float>(false, wanted));
    };
    ASSERT_TRUE(same_upper(mf::detail::upper_of(own.bits), mf::detail::upper_of(expected))) << i;
    ASSERT_TRUE(same_upper(mf::detail::root_of(own.bits), mf::detail::root_of(expected))) << i;
    std::uint64_t divisor = draw_limb(random);
    if (divisor == 0) divisor = 3;
    const leading_bits quotient = by_bits(divisor);
    ASSERT_TRUE(
        same_upper(mf::detail::quotient_of(own.bits, divisor), mf::detail::upper_of(quotient)))
        << i;
    if (own.bits.sticky) continue;
    const leading_bits all = mf::detail::long_quotient_of(own.bits, divisor);
    ASSERT_TRUE(same_upper(mf::detail::upper_of(all), mf::detail::upper_of(quotient))) << i;
    ASSERT_TRUE(same_upper(mf::detail::root_of(all), mf::detail::root_of(quotient))) << i;
  }
}

/// How often leading bits decided, over how many states.
struct tally {
  std::int64_t decided = 0;
  std::int64_t all = 0;
};

template <class Real, bool root, class Item>
void compare(const std::vector<Item>& items, std::int64_t ddof, tally& count) {
  const mf::exact_variance_fold<Item, Real, root> fold(ddof);
  auto own = fold.identity();
  fold.absorb_run(own, items.data(), static_cast<std::int64_t>(items.size()), 0);
  if (own.values.counts.items <= ddof) return;
  if (mf::verdict<mf::nan_rule::propagate>(own.values.counts).kind != mf::number_kind::finite) {
    return;
  }
  ++count.all;
  const Real expected = fold.finish_limbs(own);
  mf::result<Real> got;
  if (fold.finish_leading(own.values.counts, mf::detail::leading_of(own.values.sum).bits,
                          mf::detail::leading_of(own.squares).bits, got)) {
    ++count.decided;
    ASSERT_TRUE(same(*got, expected)) << items.size() << " items, ddof " << ddof;
  }
  ASSERT_TRUE(same(*fold.finish(own), expected));
}
template <class Item>
void compare_all(const std::vector<Item>& items, tally& count) {
  for (const std::int64_t ddof : {0, 1, -3}) {
    ASSERT_NO_FATAL_FAILURE((compare<double, false>(items, ddof, count)));
    ASSERT_NO_FATAL_FAILURE((compare<double, true>(items, ddof, count)));
    ASSERT_NO_FATAL_FAILURE((compare<float, false>(items, ddof, count)));
    ASSERT_NO_FATAL_FAILURE((compare<float, true>(items, ddof, count)));
  }
}

template <class Item>
class exact_deviations_of : public testing::Test {};
using item_types = testing::Types<double, float, mf::float16, mf::bfloat16>;
TYPED_TEST_SUITE(exact_deviations_of, item_types);

TYPED_TEST(exact_deviations_of, leading_bits_give_what_all_limbs_give) {
  inputs::generator random(4);
  std::vector<TypeParam> items;
  tally small;
  for (std::int64_t i = 0; i < inputs::many(3000); ++i) {
    inputs::draw_small(random, items);
    ASSERT_NO_FATAL_FAILURE(compare_all(items, small));
  }
  EXPECT_GT(static_cast<double>(small.decided), 0.9 * static_cast<double>(small.all));
  for (const auto& kind : inputs::kinds_of_data) {
    tally count;
    for (const int n : {3, 17, 1000, 4099}) {
      ASSERT_NO_FATAL_FAILURE(compare_all(inputs::items_of<TypeParam>(kind, n, 5), count));
    }
  }
}

TEST(exact_deviations, usual_data_are_decided) {
  for (const char* kind : {"normal", "uniform"}) {
    tally count;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      ASSERT_NO_FATAL_FAILURE(compare_all(inputs::items_of<float>(kind, 500, seed), count));
      ASSERT_NO_FATAL_FAILURE(compare_all(inputs::items_of<double>(kind, 500, seed), count));
    }
    EXPECT_GT(static_cast<double>(count.decided), 0.99 * static_cast<double>(count.all)) << kind;
  }
}

TEST(exact_deviations, numbers_that_are_found_at_once) {
  using list = std::vector<double>;
  constexpr double least = std::numeric_limits<double>::denorm_min();
  const std::vector<list> all{
      {1, 2, 3},       {5, 5, 5, 5},           list(5000, 0.1), {0, -0.0},
      {1, 2, 3, 4},    {1, 1 + 0x1p-52},       {1e8, 1e8 + 1},  {least, -least},
      {least, 0},      {-3, -5, 1e15 + 0.5},   {0x1.8p500, 0},  {7},
      {0x1p-537, 0x0}, {0x1.8p-538, -0x1p-537}};
  tally count;
  for (const list& items : all) ASSERT_NO_FATAL_FAILURE(compare_all(items, count));
  EXPECT_EQ(count.decided, count.all);
}

/// Much that cancels, and results half way between two numbers but for something far below.
TEST(exact_deviations, numbers_that_are_hard) {
  tally count;
  inputs::generator random(6);
  for (int bits = 20; bits < 110; ++bits) {
    std::vector<double> near, half;
    for (int i = 0; i < 50; ++i) {
      const double noise = std::ldexp(static_cast<double>(random() >> 11), -53 - bits);
      near.push_back(1 + noise);
      near.push_back(std::ldexp(noise, bits - 52));
    }
    ASSERT_NO_FATAL_FAILURE(compare_all(near, count));
    for (const double tie : {1 + 0x1p-24, 1 + 0x3p-24, 1 + 0x1p-52, 1.0}) {
      for (const double sign : {1.0, -1.0}) {
        // The variance of these two is tie^2, with a third one a little beside it.
        half = {tie, -tie};
        ASSERT_NO_FATAL_FAILURE(compare_all(half, count));
        half = {tie, -tie, sign * std::ldexp(1.0, -4 * bits), 0};
        ASSERT_NO_FATAL_FAILURE(compare_all(half, count));
      }
    }
  }
  const double largest = std::numeric_limits<double>::max();
  for (const std::vector<double>& items : {std::vector<double>{largest, -largest},
                                           {largest, largest},
                                           {1e300, 1e300 + 0x1p944},
                                           {largest, std::numeric_limits<double>::denorm_min()},
                                           {1e-160, 3e-162},
                                           {1e-200, 1e200}}) {
    ASSERT_NO_FATAL_FAILURE(compare_all(items, count));
  }
  EXPECT_LT(count.decided, count.all);
}

}  // namespace
