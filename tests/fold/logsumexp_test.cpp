/// fold/logsumexp, fold/exponentials: errors below what the docstrings say, and the same bits for any cut.

#include "monofold/fold/logsumexp.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/reduce.hpp"
#include "monofold/running_state.hpp"
#include "tests/inputs/random.hpp"
#include "tests/inputs/same_bits.hpp"

namespace {

namespace mf = monofold;

template <class Real>
void check_decay(double most) {
  const double u = std::numeric_limits<Real>::epsilon() / 2;
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    const auto d = static_cast<Real>(-most * std::abs(inputs::unit_double(i)));
    const long double wanted = std::exp(static_cast<long double>(d));
    const long double error = std::abs(static_cast<long double>(mf::detail::decay(d)) - wanted);
    ASSERT_TRUE(error <= (4 + 2 * std::abs(static_cast<long double>(d))) * u * wanted)
        << static_cast<double>(d) << " " << static_cast<double>(error / wanted / u);
  }
}

TEST(exponentials, decay_is_as_exact_as_it_says) {
  check_decay<double>(700);
  check_decay<double>(1);
  check_decay<float>(86);
  check_decay<float>(1);
  EXPECT_EQ(mf::detail::decay(0.0), 1.0);
  EXPECT_EQ(mf::detail::decay(-0.0F), 1.0F);
  EXPECT_EQ(mf::detail::decay(-std::numeric_limits<double>::infinity()), 0.0);
  EXPECT_EQ(mf::detail::decay(-1e30F), 0.0F);
}

TEST(exponentials, log_is_as_exact_as_it_says) {
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    const double x =
        i % 2 == 0 ? 1 + std::abs(inputs::unit_double(i))
                   : std::ldexp(1 + std::abs(inputs::unit_double(i)), static_cast<int>(i % 120));
    const long double wanted = std::log(static_cast<long double>(x));
    const long double error = std::abs(mf::detail::natural_log(x) - wanted);
    ASSERT_TRUE(error <= 3 * 0x1p-53L * std::max(1.0L, wanted)) << x;
  }
  EXPECT_EQ(mf::detail::natural_log(1.0), 0.0);
}

template <class Item>
std::vector<Item> logits(std::int64_t n, double spread, std::uint64_t seed) {
  std::vector<Item> out;
  for (std::int64_t i = 0; i < n; ++i) {
    out.push_back(
        static_cast<Item>(spread * inputs::unit_double(seed + static_cast<std::uint64_t>(i))));
  }
  return out;
}

template <class Item>
void check_exponential_sums() {
  using real = typename mf::softmax_fold<Item>::real;
  const double u = std::numeric_limits<real>::epsilon() / 2;
  for (const std::int64_t n : {1, 2, 3, 100, 5000, 151'936}) {
    for (const double spread : {0.1, 10.0, 300.0}) {
      const auto items = logits<Item>(n, spread, 7);
      const auto got = mf::reduce(items, mf::softmax_denominator);
      long double max = -HUGE_VALL;
      for (const Item x : items) max = std::max(max, static_cast<long double>(x));
      long double sum = 0;
      for (const Item x : items) sum += std::exp(static_cast<long double>(x) - max);
      ASSERT_EQ(static_cast<long double>(got.max), max);
      const long double bound = 7 * (std::ceil(std::log2(n)) + 4) * u;
      ASSERT_TRUE(std::abs(got.sum - sum) <= bound * sum) << n << " " << spread;
      const double whole = mf::reduce(items, mf::logsumexp);
      const long double wanted = max + std::log(sum);
      ASSERT_TRUE(std::abs(whole - wanted) <=
                  bound + 4 * 0x1p-53L * std::max(1.0L, std::abs(wanted)));
    }
  }
}

TEST(logsumexp, is_as_exact_as_it_says) {
  check_exponential_sums<float>();
  check_exponential_sums<double>();
}

TEST(logsumexp, threads_and_chunks_leave_every_bit) {
  const auto items = logits<float>(300'001, 20, 3);
  const auto expected = mf::reduce(mf::cpu(1), items, mf::softmax_denominator);
  EXPECT_TRUE(
      inputs::same_bits(mf::reduce(mf::cpu(7), items, mf::softmax_denominator).sum, expected.sum));
  mf::running_state<float, decltype(mf::softmax_denominator)> running(mf::softmax_denominator);
  running.push(std::span(items).first(12'345));
  running.push(std::span(items).subspan(12'345));
  EXPECT_TRUE(inputs::same_bits(running.finish().sum, expected.sum));
}

TEST(logsumexp, hard_items) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto of = [](const std::vector<double>& items) { return mf::reduce(items, mf::logsumexp); };
  EXPECT_EQ(of({}), -infinity);
  EXPECT_EQ(of({3}), 3);
  EXPECT_EQ(of({1e308, 1e308}), 1e308);
  EXPECT_EQ(of({-infinity, 2}), 2);
  EXPECT_EQ(of({2, -infinity}), 2);
  EXPECT_EQ(of({-infinity, -infinity}), -infinity);
  EXPECT_EQ(of({infinity, 1, infinity}), infinity);
  EXPECT_EQ(of({infinity, -infinity}), infinity);
  EXPECT_TRUE(std::isnan(of({1, nan, 2})));
  EXPECT_TRUE(std::isnan(of({nan})));
  EXPECT_TRUE(std::isnan(of({infinity, nan})));
  EXPECT_FALSE(std::signbit(mf::reduce(std::vector<double>{-0.0}, mf::softmax_denominator).max));
}

}  // namespace
