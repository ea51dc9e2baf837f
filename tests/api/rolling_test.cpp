/// rolling: each window has the bytes of `reduce` of its items, whatever the window before held.

#include "monofold/rolling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "monofold/monofold.hpp"
#include "tests/inputs/answer_bytes.hpp"
#include "tests/inputs/hard_numbers.hpp"
#include "tests/inputs/random.hpp"
#include "tests/inputs/row_folds.hpp"

namespace {

namespace mf = monofold;
using inputs::bytes_of;

template <class Item, class F>
[[gnu::noinline]] void check_windows(const std::string& name, const std::vector<Item>& items,
                                     std::int64_t window, const F& fold) {
  const int threads = window % 2 == 0 ? 1 : 3;
  const auto got = mf::try_rolling(mf::cpu(threads), items, window, fold);
  ASSERT_EQ(std::ssize(got), std::ssize(items) - window + 1);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const mf::contiguous_view<Item> slice(items.data() + i, window);
    ASSERT_EQ(bytes_of(got[i]), bytes_of(mf::try_reduce(mf::cpu(1), slice, fold)))
        << name << ", windows of " << window << " at " << i;
  }
}

/// Folds that have a way of their own for each type of items.
template <class Item>
void check_typed_folds(const std::vector<Item>& items, std::int64_t window) {
  check_windows("sum", items, window, mf::sum);
  check_windows("mean", items, window, mf::mean);
  check_windows("variance", items, window, mf::variance(1));
  check_windows("norms", items, window, mf::all(mf::norm1, mf::norm2, mf::norm_inf));
  check_windows("max and any", items, window, mf::all(mf::max, mf::any_of, mf::nonzero));
  check_windows("min", items, window, mf::min);
}

void check_folds(const std::vector<double>& items, std::int64_t window) {
  inputs::with_row_folds(
      [&](const char* name, const auto& fold) { check_windows(name, items, window, fold); });
  check_typed_folds(items, window);
  check_windows("sum to float", items, window, mf::sum_to<float>);
}

template <class Item>
std::vector<Item> as(const std::vector<double>& items) {
  std::vector<Item> out;
  for (const double x : items) out.push_back(static_cast<Item>(x));
  return out;
}

TEST(rolling, windows_are_arrays_of_their_own) {
  const std::vector<double> items = inputs::spread_doubles(2500, 12, 1);
  const std::vector<std::int32_t> integers = inputs::integers<std::int32_t>(300, 2);
  for (const std::int64_t window : {1, 2, 7, 100, 2499, 2500}) {
    check_folds(items, window);
    check_typed_folds(as<float>(items), window);
    if (window <= 300) check_typed_folds(integers, window);
  }
}

// What is large passes through, and leaves nothing behind.
TEST(rolling, hard_numbers) {
  std::vector<double> items = inputs::cancelling(300, 3);
  const auto append = [&](const std::vector<double>& more) {
    items.insert(items.end(), more.begin(), more.end());
  };
  append(inputs::all_subnormal(300, 4));
  append(inputs::kinds_of_double());
  append(inputs::near_a_billion(300, 5));
  append(std::vector<double>(50, -0.0));
  append(inputs::kinds_of_double());
  append(inputs::spread_doubles(1500, 300, 6));
  append({inputs::largest, inputs::largest, inputs::largest, -inputs::largest});
  append(inputs::spread_doubles(100, 0, 7));
  for (const std::int64_t window : {1, 3, 20, 700}) {
    for (const auto set : {mf::instruction_set::baseline, mf::instruction_set::avx512}) {
      mf::limit_instruction_set(set);
      check_windows("sum", items, window, mf::sum);
      check_windows("mean", items, window, mf::mean);
      check_windows("norm1", items, window, mf::norm1);
      check_windows("extrema", items, window, mf::all(mf::min, mf::max, mf::argmin));
      check_windows("floats", as<float>(items), window, mf::all(mf::mean, mf::norm2, mf::max));
    }
  }
}

// -0 among numbers, in runs, and alone in a window.
TEST(rolling, minus_zeros) {
  for (const std::int64_t every : {1, 2, 7, 40, 900}) {
    std::vector<double> items = inputs::spread_doubles(4000, 3, 9);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const bool is_other = static_cast<std::int64_t>(i) % every == 0;
      if (is_other != (i > 1500 && i < 3000)) items[i] = -0.0;
    }
    items[3500] = 0.0;
    for (const std::int64_t window : {1, 2, 5, 30, 1200}) {
      for (const auto set : {mf::instruction_set::baseline, mf::instruction_set::avx512}) {
        mf::limit_instruction_set(set);
        check_windows("sum", items, window, mf::sum);
        check_windows("mean", items, window, mf::mean);
        check_windows("floats", as<float>(items), window, mf::mean);
      }
    }
  }
}

// Sums of few bits lie at the middle between two means as often as not.
TEST(rolling, means_at_the_middle_between_doubles) {
  std::vector<double> items;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    items.push_back(std::ldexp(static_cast<double>(inputs::mixed(i) >> 11), -53));
  }
  for (const std::int64_t window : {2, 3, 6, 12, 100, 1024}) {
    check_windows("mean", items, window, mf::mean);
  }
}

// Numbers of as many bits as two doubles hold are added as such, and those beyond one by one.
TEST(rolling, wider_than_two_doubles_for_a_while) {
  std::vector<double> items = inputs::spread_doubles(6000, 1, 8);
  items[2500] = 0x1p-200;
  items[2600] = 0x1.8p200;
  for (const std::int64_t window : {5, 1500}) check_windows("sum", items, window, mf::sum);
}

// Numbers of which n Q - S^2 keeps few bits or none, and those whose squares two doubles do not hold.
TEST(rolling, variances) {
  std::vector<double> items = inputs::spread_doubles(900, 2, 12);
  const auto append = [&](const std::vector<double>& more) {
    items.insert(items.end(), more.begin(), more.end());
  };
  append(inputs::near_a_billion(600, 13));
  append(std::vector<double>(300, 0.1));
  for (std::uint64_t i = 0; i < 600; ++i) {
    items.push_back(1 + 0x1p-52 * static_cast<int>(inputs::mixed(i) % 2));
  }
  append(std::vector<double>(300, -0.0));
  append(inputs::spread_doubles(600, 40, 14));
  for (std::uint64_t i = 0; i < 600; ++i) {
    items.push_back(0x1p-449 * (1 + static_cast<int>(inputs::mixed(i) % 9)));
  }
  append({0x1p460, std::numeric_limits<double>::quiet_NaN(), 1, 0x1p-700});
  append(inputs::spread_doubles(600, 2, 15));
  append({-std::numeric_limits<double>::infinity(), 2, std::numeric_limits<double>::quiet_NaN()});
  append(inputs::spread_doubles(600, 2, 17));
  const std::vector<std::int32_t> integers = inputs::integers<std::int32_t>(900, 16);
  const std::vector<std::uint16_t> narrow(integers.begin(), integers.end());
  for (const auto set :
       {mf::instruction_set::baseline, mf::instruction_set::avx2, mf::instruction_set::avx512}) {
    mf::limit_instruction_set(set);
    for (const std::int64_t window : {1, 2, 4, 50, 257}) {
      const auto both = mf::all(mf::variance(0), mf::standard_deviation(1));
      check_windows("variances", items, window, both);
      check_windows("norm2", items, window, mf::norm2);
      check_windows("variances of floats", as<float>(items), window, both);
      check_windows("variances of integers", integers, window, both);
      check_windows("variances of 16 bits", narrow, window, both);
    }
  }
}

#if defined(__SSE2__)
// A caller may have subnormal numbers flushed, or round upwards.
TEST(rolling, arithmetic_of_the_caller_changes_nothing) {
  std::vector<double> items = inputs::spread_doubles(600, 3, 10);
  const std::vector<double> small = inputs::all_subnormal(300, 11);
  items.insert(items.begin() + 200, small.begin(), small.end());
  std::vector<float> narrow = as<float>(items);
  for (std::size_t i = 200; i < 500; ++i) narrow[i] = static_cast<float>(small[i - 200] * 0x1p890);
  const unsigned before = _mm_getcsr();
  for (const unsigned changed : {0x8040U, 0x4000U}) {
    const auto check = [&](const auto& all, const auto& fold) {
      const auto wanted = bytes_of(mf::rolling(mf::cpu(1), all, 20, fold));
      _mm_setcsr(before | changed);
      const auto got = mf::rolling(mf::cpu(1), all, 20, fold);
      _mm_setcsr(before);
      ASSERT_EQ(bytes_of(got), wanted) << changed;
    };
    check(items, mf::sum);
    check(items, mf::mean);
    check(items, mf::min);
    check(items, mf::variance(1));
    check(narrow, mf::standard_deviation(1));
    check(narrow, mf::sum);
    check(narrow, mf::mean);
    check(narrow, mf::max);
  }
}
#endif

TEST(rolling, views_pairs_and_indices_of_the_range) {
  const std::vector<double> items = inputs::spread_doubles(500, 5, 9);
  const auto twice = mf::transform(items, [](double x) { return 2 * x; });
  const auto means = mf::rolling(mf::cpu, twice, 9, mf::mean);
  const auto dots = mf::rolling(mf::cpu, mf::zip(items, items), 9, mf::dot);
  const auto own = mf::rolling(items, 9, mf::argmax);
  const auto all = mf::rolling(items, 9, mf::argmax, mf::global_index);
  for (std::size_t i = 0; i < means.size(); ++i) {
    const mf::contiguous_view<double> slice(items.data() + i, 9);
    ASSERT_EQ(means[i], 2 * mf::reduce(slice, mf::mean));
    ASSERT_EQ(dots[i], mf::reduce(mf::zip(slice, slice), mf::dot));
    ASSERT_EQ(all[i], own[i] + static_cast<std::int64_t>(i));
  }
}

TEST(rolling, refused) {
  const std::vector<double> items = {1, 2, std::numeric_limits<double>::quiet_NaN()};
  for (const std::int64_t window : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{4}}) {
    try {
      mf::rolling(items, window, mf::sum);
      FAIL() << window;
    } catch (const mf::error& wrong) {
      EXPECT_EQ(wrong.code(), mf::status::invalid_argument);
      EXPECT_EQ(std::string(wrong.what()),
                "invalid argument: a window of " + std::to_string(window) + ", not 1 to 3 items");
    }
  }
  const std::vector<std::int64_t> large(3, std::int64_t{1} << 62);
  try {
    mf::rolling(large, 2, mf::sum);
    FAIL();
  } catch (const mf::segment_error& wrong) {
    EXPECT_EQ(wrong.code(), mf::status::integer_overflow);
    EXPECT_EQ(wrong.segment(), 0);
  }
}

}  // namespace
