/// scan: each answer has the bytes of `reduce` of the items up to it.

#include "monofold/scan.hpp"

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

/// Looks at every `step`-th answer, and at the last.
template <class Item, class F>
[[gnu::noinline]] void check_scan(const std::string& name, const std::vector<Item>& items,
                                  const F& fold, std::size_t step = 1, int threads = 1) {
  const auto got = mf::try_scan(mf::cpu(threads), items, fold);
  ASSERT_EQ(got.size(), items.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (i % step != 0 && i + 1 != got.size()) continue;
    const mf::contiguous_view<Item> part(items.data(), static_cast<std::int64_t>(i) + 1);
    ASSERT_EQ(bytes_of(got[i]), bytes_of(mf::try_reduce(mf::cpu(1), part, fold)))
        << name << " up to " << i;
  }
}

template <class Item>
std::vector<Item> scanned_as(const std::vector<double>& items) {
  std::vector<Item> out;
  for (const double x : items) out.push_back(static_cast<Item>(x));
  return out;
}

/// Sums by each of the loops.
void check_sums(const std::vector<double>& items, std::size_t step = 1) {
  for (const auto set :
       {mf::instruction_set::baseline, mf::instruction_set::avx2, mf::instruction_set::avx512}) {
    mf::limit_instruction_set(set);
    check_scan("sum", items, mf::sum, step);
    check_scan("mean", items, mf::mean, step);
    check_scan("norm1", items, mf::norm1, step);
  }
  check_scan("sum to float", items, mf::sum_to<float>, step);
  check_scan("floats", scanned_as<float>(items), mf::all(mf::sum, mf::norm2), step);
}

TEST(scan, beginnings_are_arrays_of_their_own) {
  const std::vector<double> items = inputs::spread_doubles(1300, 12, 1);
  const std::vector<float> narrow = scanned_as<float>(items);
  const std::vector<std::int32_t> integers = inputs::integers<std::int32_t>(300, 2);
  const std::vector<std::int8_t> bytes(integers.begin(), integers.end());
  inputs::with_row_folds([&](const char* name, const auto& fold) {
    check_scan(name, items, fold);
    check_scan(name, narrow, fold, 7);
    check_scan(name, integers, fold);
    check_scan(name, bytes, fold);
  });
  check_sums(items);
}

// Tiles that are whole, and several heights of the tree above them.
TEST(scan, many_tiles) {
  const std::vector<float> items = scanned_as<float>(inputs::spread_doubles(9000, 2, 2));
  const auto fold = mf::all(mf::plain_sum, mf::plain_mean, mf::product, mf::plain_norm2);
  check_scan("plain", items, fold, 97);
  check_scan("ordered", inputs::integers<std::int32_t>(9000, 3), inputs::matrix_product{}, 97);
  check_scan("logsumexp", std::vector<double>(items.begin(), items.begin() + 2000), mf::logsumexp,
             9);
}

// Tiles of one row and of several, which end inside a row or with it.
TEST(scan, rows_of_tiles) {
  for (const std::int64_t count : {1, 63, 64, 65, 127, 129, 511, 512, 513, 1100}) {
    const std::vector<double> items = inputs::spread_doubles(count, 1, 9);
    const auto fold = mf::all(mf::product, mf::plain_sum, mf::plain_variance(1), mf::plain_norm2);
    check_scan("doubles", items, fold, count < 200 ? 1 : 13);
    check_scan("floats", scanned_as<float>(items), fold, count < 200 ? 1 : 13);
    check_scan("halves", scanned_as<mf::bfloat16>(items), fold, 13);
    check_scan("near", inputs::near_a_billion(count, 3), mf::plain_variance(0), 13);
  }
}

// Sums that cancel, and zeros of both signs, infinities and NaN among them.
TEST(scan, hard_numbers) {
  for (const auto& first : {inputs::cancelling(300, 3), inputs::all_subnormal(300, 4),
                            std::vector<double>(50, -0.0), inputs::spread_doubles(1500, 300, 6)}) {
    std::vector<double> items = first;
    const auto append = [&](const std::vector<double>& more) {
      items.insert(items.end(), more.begin(), more.end());
    };
    append(inputs::near_a_billion(1100, 5));
    append(std::vector<double>(30, -0.0));
    append({0x1p-300, -0x1p-300, 0x1p-1074, 0x1p-1060});
    append(inputs::spread_doubles(1500, 60, 7));
    append({inputs::largest, inputs::largest, -inputs::largest, -inputs::largest});
    append(inputs::spread_doubles(100, 0, 7));
    check_sums(items, 3);
    append(inputs::kinds_of_double());
    append(inputs::spread_doubles(100, 0, 8));
    check_sums(items, 61);
  }
}

TEST(scan, zeros_and_specials_at_the_beginning) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& first : std::vector<std::vector<double>>{
           {-0.0}, {0.0, -0.0}, {-0.0, -0.0, 1, -1}, {nan}, {infinity, -infinity}, {-infinity}}) {
    std::vector<double> items = first;
    items.insert(items.end(), 1100, -0.0);
    items.push_back(0.0);
    items.insert(items.end(), 5, -0.0);
    check_sums(items, 1);
    check_scan("omit", items, mf::sum | mf::omit_nan);
    check_scan("extrema", items, mf::all(mf::min, mf::argmax));
  }
}

// What two doubles do not hold stays, and decides how halves are rounded.
TEST(scan, sums_at_the_middle_between_doubles) {
  for (const double far : {0x1p-200, -0x1p-200, 0x1p-90, -0x1.8p-110}) {
    std::vector<double> items = {far};
    for (std::uint64_t i = 0; i < 3000; ++i) {
      // One, and quarters of its unit: half of all sums lie at or near a middle.
      items.push_back(i % 3 == 0 ? 1.0 : 0x1p-54 * static_cast<double>(inputs::mixed(i) % 5));
      if (i % 700 == 699) items.push_back(-static_cast<double>(i / 3));
      if (i == 1500) items.push_back(-far);
      if (i == 2200) items.push_back(far * 0x1p-70);
    }
    check_sums(items, 1);
  }
}

TEST(scan, several_threads) {
  std::vector<double> items = inputs::spread_doubles(300000, 30, 9);
  items[70000] = -0x1p-700;
  for (const int threads : {2, 3}) {
    check_scan("sum", items, mf::sum, 9973, threads);
    check_scan("several", items, mf::all(mf::argmin, mf::mean, mf::plain_sum), 29989, threads);
  }
  EXPECT_EQ(bytes_of(mf::scan(mf::cpu(1), items, mf::sum)),
            bytes_of(mf::scan(mf::cpu(2), items, mf::sum)));
}

#if defined(__SSE2__)
// A caller may have subnormal numbers flushed, or round upwards.
TEST(scan, arithmetic_of_the_caller_changes_nothing) {
  std::vector<double> items = inputs::spread_doubles(2600, 400, 10);
  const std::vector<double> small = inputs::all_subnormal(300, 11);
  items.insert(items.begin(), small.begin(), small.end());
  const auto wanted = bytes_of(mf::scan(mf::cpu(1), items, mf::sum));
  const unsigned before = _mm_getcsr();
  for (const unsigned changed : {0x8040U, 0x4000U}) {
    _mm_setcsr(before | changed);
    const auto got = mf::scan(mf::cpu(1), items, mf::sum);
    _mm_setcsr(before);
    ASSERT_EQ(bytes_of(got), wanted) << changed;
  }
}
#endif

TEST(scan, views_and_no_items) {
  const std::vector<double> items = inputs::spread_doubles(500, 5, 9);
  const auto twice = mf::transform(items, [](double x) { return 2 * x; });
  const auto sums = mf::scan(twice, mf::sum);
  const auto dots = mf::scan(mf::zip(items, items), mf::dot);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const mf::contiguous_view<double> part(items.data(), static_cast<std::int64_t>(i) + 1);
    ASSERT_EQ(sums[i], 2 * mf::reduce(part, mf::sum));
    ASSERT_EQ(dots[i], mf::reduce(mf::zip(part, part), mf::dot));
  }
  EXPECT_TRUE(mf::scan(std::vector<double>{}, mf::all(mf::max, mf::sum)).empty());
}

TEST(scan, the_first_that_does_not_fit) {
  const std::vector<std::int64_t> large(4, std::int64_t{1} << 61);
  try {
    mf::scan(large, mf::sum);
    FAIL();
  } catch (const mf::segment_error& wrong) {
    EXPECT_EQ(wrong.code(), mf::status::integer_overflow);
    EXPECT_EQ(wrong.segment(), 3);
  }
}

// Before and behind those that do not fit.
TEST(scan, sums_that_fit_again) {
  std::vector<std::int64_t> items = inputs::integers<std::int64_t>(3000, 4);
  for (std::int64_t& item : items) item = item % 1000 * (std::int64_t{1} << 50);
  check_scan("int64", items, mf::sum);
  check_scan("uint64", std::vector<std::uint64_t>(items.begin(), items.end()), mf::sum);
  const auto answers = mf::try_scan(mf::cpu(1), items, mf::sum);
  const auto fits = [](const auto& answer) { return bool(answer); };
  EXPECT_GT(std::count_if(answers.begin(), answers.end(), fits), 100);
  EXPECT_LT(std::count_if(answers.begin(), answers.end(), fits), 2900);
}

}  // namespace
