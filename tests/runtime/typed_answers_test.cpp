// runtime/typed_answers: exact answers of every narrower type are rounded once, against exact arithmetic.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/monofold.h"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/dtype.hpp"
#include "monofold/platform/float_format.hpp"
#include "tests/inputs/random.hpp"
#include "tests/oracle/big_integer.hpp"
#include "tests/oracle/exact_real.hpp"
#include "tests/oracle/nearest.hpp"

namespace {

namespace mf = monofold;
using oracle::big_integer;

// Rounds differ in numbers, not in the memory that they touch.
#if defined(__SANITIZE_ADDRESS__)
constexpr int share_of_rounds = 5;
#else
constexpr int share_of_rounds = 1;
#endif

struct narrow_type {
  monofold_dtype type;
  oracle::binary format;
};
constexpr narrow_type narrow_types[] = {{MONOFOLD_FLOAT64, oracle::binary64},
                                        {MONOFOLD_FLOAT32, oracle::binary32},
                                        {MONOFOLD_FLOAT16, oracle::binary16},
                                        {MONOFOLD_BFLOAT16, oracle::brain16}};

/// The sums of items, multiples of 2^-1074, and of their squares and magnitudes.
struct exact_sums {
  explicit exact_sums(const std::vector<double>& items)
      : count(static_cast<std::int64_t>(items.size())) {
    for (const double x : items) {
      const big_integer units = oracle::units_of(x);
      sum += units;
      magnitudes += units.magnitude();
      squares += units * units;
    }
  }

  double answer(monofold_operation op, std::int64_t ddof, const oracle::binary& format) const {
    const double sign = sum.is_negative() ? -1 : 1;
    const big_integer deviations = squares * count - sum * sum;
    const big_integer divisor = big_integer(count) * (count - ddof);
    switch (op) {
      case MONOFOLD_SUM: return sign * oracle::nearest_ratio(sum.magnitude(), 1, -1074, format);
      case MONOFOLD_MEAN:
        return sign * oracle::nearest_ratio(sum.magnitude(), count, -1074, format);
      case MONOFOLD_VAR: return oracle::nearest_ratio(deviations, divisor, -2148, format);
      case MONOFOLD_STD: return oracle::nearest_root(deviations, divisor, -2148, format);
      case MONOFOLD_NORM1: return oracle::nearest_ratio(magnitudes, 1, -1074, format);
      case MONOFOLD_MEAN_SQUARE: return oracle::nearest_ratio(squares, count, -2148, format);
      default: return oracle::nearest_root(squares, 1, -2148, format);
    }
  }

  std::int64_t count;
  big_integer sum;
  big_integer magnitudes;
  big_integer squares;
};

double narrow_as_double(monofold_dtype type, const void* held) {
  return mf::visit_dtype(static_cast<mf::dtype>(type), [&]<class T>() {
    return static_cast<double>(*static_cast<const T*>(held));
  });
}

/// Each answer for items that the type has, in each type of answers, alone and as one of two rows.
template <class Item>
void check_narrow_answers(mf::dtype type, const std::vector<double>& items, std::int64_t ddof) {
  std::vector<Item> own;
  for (int copy = 0; copy < 2; ++copy) {
    for (const double x : items) {
      own.push_back(static_cast<Item>(x));
      ASSERT_EQ(static_cast<double>(own.back()), x);
    }
  }
  const exact_sums exact(items);
  monofold_options options = MONOFOLD_OPTIONS_INIT;
  options.ddof = ddof;
  const std::int64_t last = 1;
  for (const auto op : {MONOFOLD_SUM, MONOFOLD_MEAN, MONOFOLD_VAR, MONOFOLD_STD, MONOFOLD_NORM1,
                        MONOFOLD_NORM2, MONOFOLD_MEAN_SQUARE}) {
    if ((op == MONOFOLD_VAR || op == MONOFOLD_STD) && exact.count <= ddof) continue;
    for (const narrow_type& to : narrow_types) {
      const double wanted = exact.answer(op, ddof, to.format);
      for (const std::int64_t rows : {1, 2}) {
        const std::int64_t extents[2] = {rows, exact.count};
        double held[2] = {};
        ASSERT_EQ(monofold_reduce_axis_into(own.data(), static_cast<monofold_dtype>(type), 2,
                                            extents, nullptr, &last, 1, op, &options, to.type, held,
                                            nullptr, nullptr, rows, nullptr),
                  MONOFOLD_OK);
        ASSERT_EQ(narrow_as_double(to.type, held), wanted)
            << "operation " << op << " of " << mf::info(type).name << " as " << to.type << ", "
            << exact.count << " items, first " << items[0];
      }
    }
  }
}

/// Powers of two whose sum is a tie between two numbers of the format, or next to one, in any order.
std::vector<double> near_tie(inputs::generator& random, const oracle::binary& format, int low,
                             int high) {
  std::vector<double> out;
  const int gap = 2 + static_cast<int>(random() % 60);
  const int last =
      low + gap +
      static_cast<int>(random() % static_cast<unsigned>(high - low - gap - format.precision));
  const double sign = random() % 2 == 0 ? 1 : -1;
  for (int bit = 0; bit < format.precision; ++bit) {
    if (bit == format.precision - 1 || random() % 2 == 0) {
      out.push_back(std::ldexp(sign, last + 1 + bit));
    }
  }
  out.push_back(std::ldexp(sign, last));
  const auto side = static_cast<int>(random() % 3) - 1;
  if (side != 0) out.push_back(std::ldexp(static_cast<double>(side), last - gap));
  return out;
}

/// The same with pairs that cancel out, so that more sums than those of a few items are there.
std::vector<double> with_pairs(std::vector<double> items, int pairs, int low, int high,
                               inputs::generator& random) {
  for (int i = 0; i < pairs; ++i) {
    const double x =
        std::ldexp(1.0, low + static_cast<int>(random() % static_cast<unsigned>(high - low)));
    items.push_back(x);
    items.push_back(-x);
  }
  std::shuffle(items.begin(), items.end(), random);
  return items;
}

template <class Item>
void check_sums_near_ties(mf::dtype type, int low, int high, std::uint64_t seed) {
  inputs::generator random(seed);
  for (int i = 0; i < 15; ++i) {
    for (const narrow_type& to : narrow_types) {
      if (high - low < 62 + to.format.precision + 1) continue;
      const auto items = near_tie(random, to.format, low, high);
      check_narrow_answers<Item>(type, items, 0);
      if (i % 8 == 0) check_narrow_answers<Item>(type, with_pairs(items, 60, low, high, random), 1);
    }
  }
}

TEST(typed_answers, sums_next_to_ties) {
  check_narrow_answers<double>(mf::dtype::float64, {1, 0x1p-24, 0x1p-80}, 0);
  check_narrow_answers<float>(mf::dtype::float32, {1 + 0x1p-23, 0x1p-24, -0x1p-80}, 0);
  check_sums_near_ties<double>(mf::dtype::float64, -160, 150, 1);
  check_sums_near_ties<double>(mf::dtype::float64, -1000, 900, 2);
  check_sums_near_ties<float>(mf::dtype::float32, -149, 100, 3);
  check_sums_near_ties<mf::bfloat16>(mf::dtype::bfloat16, -133, 100, 4);
}

TEST(typed_answers, means_deviations_and_roots_next_to_ties) {
  inputs::generator random(5);
  for (int i = 0; i < 20; ++i) {
    for (const narrow_type& to : narrow_types) {
      // A number of one bit more than the format has, and half of that many bits.
      const int bits = std::min(to.format.precision + 1, 52);
      const auto tie = static_cast<double>((random() | 1) & ((std::uint64_t{1} << bits) - 1));
      const double root = std::floor(std::sqrt(tie)) + (i % 2 == 0 ? 0.5 : 0.0);
      const double tiny = std::ldexp(i % 3 - 1.0, -static_cast<int>(random() % 60));
      const int n = 1 + i % 5;
      std::vector<double> copies(static_cast<std::size_t>(n), tie);
      copies.push_back(tiny);
      copies.push_back(tie);
      check_narrow_answers<double>(mf::dtype::float64, copies, 0);
      // (a - b) / 2 is the deviation of two, (a - b)^2 / 4 the variance.
      check_narrow_answers<double>(mf::dtype::float64, {2 * tie, tiny}, 0);
      check_narrow_answers<double>(mf::dtype::float64, {2 * root, tiny}, 0);
      // sqrt(x^2 + y^2) is above x by y^2 / 2 x.
      check_narrow_answers<double>(mf::dtype::float64, {tie, tiny}, 0);
    }
  }
}

TEST(typed_answers, other_floats) {
  for (const int powers : {0, 10, 300}) {
    for (const auto n : std::initializer_list<std::size_t>{1, 2, 7, 64, 65, 1000}) {
      for (std::uint64_t seed = 0; seed < 10 / share_of_rounds; ++seed) {
        const auto items = inputs::spread_doubles(n, powers, seed);
        check_narrow_answers<double>(mf::dtype::float64, items, seed % 2 == 0 ? 0 : 1);
        if (powers > 100) continue;
        std::vector<double> floats;
        std::vector<double> halves;
        for (const double x : items) {
          floats.push_back(static_cast<float>(x));
          halves.push_back(static_cast<float>(mf::float16(x)));
        }
        check_narrow_answers<float>(mf::dtype::float32, floats, 1);
        check_narrow_answers<mf::float16>(mf::dtype::float16, halves, 0);
      }
    }
  }
}

TEST(typed_answers, integers) {
  inputs::generator random(7);
  for (int i = 0; i < 300 / share_of_rounds; ++i) {
    std::size_t n = 1 + random() % 90;
    const int bits = 1 + static_cast<int>(random() % 63);
    std::vector<std::int64_t> items;
    for (std::size_t k = 0; k < n; ++k) {
      items.push_back(static_cast<std::int64_t>(random()) >> (64 - bits));
    }
    if (i % 3 == 0) {
      // Next to a tie of float32 or bfloat16, by less than a double of that size has.
      const int kept = i % 2 == 0 ? 25 : 9;
      const std::int64_t tie = (std::int64_t{1} << (kept - 1)) + i % (1 << (kept - 2)) * 2 + 1;
      items = {tie << (61 - kept), i % 5 - 2};
      n = 2;
    }
    big_integer sum;
    big_integer magnitudes;
    big_integer squares;
    for (const std::int64_t x : items) {
      sum += big_integer(x);
      magnitudes += big_integer(x).magnitude();
      squares += big_integer(x) * big_integer(x);
    }
    const auto count = static_cast<std::int64_t>(n);
    const double sign = sum.is_negative() ? -1 : 1;
    const big_integer deviations = squares * count - sum * sum;
    const auto check = [&](monofold_operation op, const auto& wanted) {
      for (const narrow_type& to : narrow_types) {
        double held = 0;
        const std::int64_t axis = 0;
        ASSERT_EQ(
            monofold_reduce_axis_into(items.data(), MONOFOLD_INT64, 1, &count, nullptr, &axis, 1,
                                      op, nullptr, to.type, &held, nullptr, nullptr, 1, nullptr),
            MONOFOLD_OK);
        ASSERT_EQ(narrow_as_double(to.type, &held), wanted(to.format))
            << "operation " << op << " as " << to.type << " of " << count << " of " << bits;
      }
    };
    check(MONOFOLD_SUM,
          [&](const auto& f) { return sign * oracle::nearest_ratio(sum.magnitude(), 1, 0, f); });
    check(MONOFOLD_MEAN, [&](const auto& f) {
      return sign * oracle::nearest_ratio(sum.magnitude(), count, 0, f);
    });
    check(MONOFOLD_NORM1,
          [&](const auto& f) { return oracle::nearest_ratio(magnitudes, 1, 0, f); });
    check(MONOFOLD_NORM2, [&](const auto& f) { return oracle::nearest_root(squares, 1, 0, f); });
    check(MONOFOLD_MEAN_SQUARE,
          [&](const auto& f) { return oracle::nearest_ratio(squares, count, 0, f); });
    check(MONOFOLD_VAR, [&](const auto& f) {
      return oracle::nearest_ratio(deviations, big_integer(count) * count, 0, f);
    });
    check(MONOFOLD_STD, [&](const auto& f) {
      return oracle::nearest_root(deviations, big_integer(count) * count, 0, f);
    });
  }
}

TEST(typed_answers, zeros_infinities_and_nan_keep_what_they_are) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto sum_of = [](std::vector<double> items) {
    float held = 0;
    const auto count = static_cast<std::int64_t>(items.size());
    const std::int64_t axis = 0;
    EXPECT_EQ(monofold_reduce_axis_into(items.data(), MONOFOLD_FLOAT64, 1, &count, nullptr, &axis,
                                        1, MONOFOLD_SUM, nullptr, MONOFOLD_FLOAT32, &held, nullptr,
                                        nullptr, 1, nullptr),
              MONOFOLD_OK);
    return mf::float_bits(held);
  };
  EXPECT_EQ(sum_of({-0.0, -0.0}), 0x80000000u);
  EXPECT_EQ(sum_of({-0.0, 0.0}), 0u);
  EXPECT_EQ(sum_of({1.0, -1.0}), 0u);
  EXPECT_EQ(sum_of({}), 0u);
  EXPECT_EQ(sum_of({1.0, -inf}), 0xff800000u);
  EXPECT_EQ(sum_of({inf, -inf}), 0x7fc00000u);
  EXPECT_EQ(sum_of({1.0, nan}), 0x7fc00000u);
  EXPECT_EQ(sum_of({1e300, 1.0}), 0x7f800000u);
  EXPECT_EQ(sum_of({-1e-300}), 0x80000000u);
  // Above the largest double, and below twice the largest float by little.
  EXPECT_EQ(sum_of({1.7e308, 1.7e308}), 0x7f800000u);
  EXPECT_EQ(sum_of({0x1.fffffep127, 0x1p103}), 0x7f800000u);
  EXPECT_EQ(sum_of({0x1.fffffep127, 0x1p103, -0x1p-900}), 0x7f7fffffu);
  EXPECT_EQ(sum_of({0x1p-150, 0x1p-1000}), 1u);
  EXPECT_EQ(sum_of({0x1p-150}), 0u);
}

/// What the caller's flags would make of conversions: subnormal numbers read as zero, rounding upwards.
TEST(typed_answers, flags_of_the_caller_change_nothing) {
  const float items[2] = {0x1p-149f, -0x1.000002p0f};
  const auto smallest_and_largest = [&](monofold_operation op, monofold_dtype type) {
    const std::int64_t count = op == MONOFOLD_MAX ? 2 : 1;
    const std::int64_t axis = 0;
    double held = 0;
    EXPECT_EQ(
        monofold_reduce_axis_into(items + 2 - count, MONOFOLD_FLOAT32, 1, &count, nullptr, &axis, 1,
                                  op, nullptr, type, &held, nullptr, nullptr, 1, nullptr),
        MONOFOLD_OK);
    return mf::bits_as<std::uint64_t>(held);
  };
  const auto all = [&] {
    return std::vector{smallest_and_largest(MONOFOLD_MAX, MONOFOLD_FLOAT64),
                       smallest_and_largest(MONOFOLD_MAX, MONOFOLD_FLOAT32),
                       smallest_and_largest(MONOFOLD_MIN, MONOFOLD_FLOAT64),
                       smallest_and_largest(MONOFOLD_SUM, MONOFOLD_BFLOAT16)};
  };
  const std::vector<std::uint64_t> wanted = all();
  EXPECT_EQ(wanted[0], mf::bits_as<std::uint64_t>(0x1p-149));
#if defined(__x86_64__)
  const unsigned int before = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(before | 0x8040 | 0x4000);  // flush and read as zero; upwards
  const std::vector<std::uint64_t> got = all();
  __builtin_ia32_ldmxcsr(before);
  EXPECT_EQ(got, wanted);
#endif
}

}  // namespace
