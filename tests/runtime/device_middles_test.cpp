// Variances, norms and means of squares of a few items a column that lie in the middle between two answers, or beside
// it: the bytes are those of the processor.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "monofold/monofold.h"
#include "tests/inputs/random.hpp"
#include "tests/runtime/device_rows_cases.hpp"

namespace {

namespace mf = monofold;
using namespace device_row_cases;  // NOLINT: a test is made of it

struct asked {
  monofold_operation op;
  std::int64_t ddof;
};
constexpr asked questions[] = {{MONOFOLD_VAR, 0}, {MONOFOLD_VAR, 1},   {MONOFOLD_STD, 0},
                               {MONOFOLD_STD, 1}, {MONOFOLD_NORM2, 0}, {MONOFOLD_MEAN_SQUARE, 0}};

/// An item is an integer below 2^bits times a power of two.
struct column {
  std::vector<std::int64_t> items;
};

/// How many bits the answer of a column has, as a binary fraction; 0 where it is none.
int bits_of_answer(const column& own, const asked& what) {
  std::int64_t sum = 0;
  std::int64_t squares = 0;
  for (const std::int64_t x : own.items) {
    sum += x;
    squares += x * x;
  }
  const auto n = static_cast<std::int64_t>(own.items.size());
  const bool are_deviations = what.op == MONOFOLD_VAR || what.op == MONOFOLD_STD;
  std::int64_t over = are_deviations ? n * squares - sum * sum : squares;
  std::int64_t by = are_deviations ? n * (n - what.ddof) : what.op == MONOFOLD_NORM2 ? 1 : n;
  if (over == 0) return 0;
  const int twos = std::countr_zero(static_cast<std::uint64_t>(over)) -
                   std::countr_zero(static_cast<std::uint64_t>(by));
  over >>= std::countr_zero(static_cast<std::uint64_t>(over));
  by >>= std::countr_zero(static_cast<std::uint64_t>(by));
  if (over % by != 0) return 0;
  over /= by;
  if (what.op == MONOFOLD_STD || what.op == MONOFOLD_NORM2) {
    const auto root = static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(over))));
    if (twos % 2 != 0 || root * root != over) return 0;
    over = root;
  }
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(over)));
}

/// A column of few integers of so many bits, some times a power of two.
column some_column(std::uint64_t seed, int items, int bits, bool is_root, std::int64_t ddof) {
  const auto random = [&](std::uint64_t k) { return inputs::mixed(seed * 64 + k); };
  const std::int64_t limit = std::int64_t{1} << bits;
  const auto any = [&](std::uint64_t k) {
    const auto x =
        static_cast<std::int64_t>(random(k) % static_cast<std::uint64_t>(2 * limit)) - limit;
    return seed % 2 == 0 ? x : x * (std::int64_t{1} << random(k + 32) % 5);
  };
  column own;
  for (int i = 0; i < items; ++i) own.items.push_back(any(static_cast<std::uint64_t>(i)));
  if (is_root && seed % 4 < 2) {
    // Two numbers by turns deviate by half of what lies between them; one number beside three equal ones by a half.
    for (int i = 2; i < items; ++i) {
      own.items[static_cast<std::size_t>(i)] =
          own.items[ddof == 0 ? static_cast<std::size_t>(i % 2) : 1];
    }
  }
  return own;
}

/// Columns whose answers have one bit more than answers of `digits` bits, and those with one item changed a little.
std::vector<column> columns_in_the_middle(const asked& what, int items, int bits, int digits) {
  std::vector<column> out;
  const bool is_root = what.op == MONOFOLD_STD || what.op == MONOFOLD_NORM2;
  for (std::uint64_t seed = 0; seed < 300000 && out.size() < 320; ++seed) {
    column own = some_column(seed, items, bits, is_root && what.op == MONOFOLD_STD, what.ddof);
    if (bits_of_answer(own, what) != digits + 1) continue;
    out.push_back(own);
    std::int64_t& x = own.items[seed % own.items.size()];
    const std::int64_t step = std::int64_t{1}
                              << std::countr_zero(static_cast<std::uint64_t>(x | 16));
    x += x < 0 || seed % 2 == 0 ? step : -step;
    if (std::abs(x) % (std::int64_t{1} << bits) != 0 || seed % 2 == 0) out.push_back(own);
  }
  return out;
}

/// Such columns, eight of one power of two side by side, in as many groups as warps of the emulated device; in every
/// 16th eight items lie too far from each other for doubles, and every 64th eight are zeros but for one column.
template <class Item>
void compare_middles(mf::dtype type, int bits) {
  constexpr std::int64_t count = 2100 * 8;
  int with_middles = 0;
  for (const asked& what : questions) {
    for (const int items : {4, 5, 10}) {
      for (const mf::dtype to : {type, mf::dtype::float32}) {
        const int digits = to == mf::dtype::float32 ? 24 : bits;
        const std::vector<column> own = columns_in_the_middle(what, items, bits, digits);
        if (own.empty()) continue;
        ++with_middles;
        std::vector<Item> all(static_cast<std::size_t>(items * count), Item(0.0f));
        for (std::int64_t c = 0; c < count; ++c) {
          if (c / 8 % 64 == 7 && c % 8 != 3) continue;
          const std::uint64_t random = inputs::mixed(static_cast<std::uint64_t>(c));
          const int power =
              -bits - static_cast<int>(inputs::mixed(static_cast<std::uint64_t>(c / 8)) % 4);
          const column& one = own[random % own.size()];
          for (std::int64_t i = 0; i < items; ++i) {
            const double x = static_cast<double>(one.items[static_cast<std::size_t>(i)]);
            all[static_cast<std::size_t>(i * count + c)] =
                Item(static_cast<float>(std::ldexp(x, power)));
          }
          if (c / 8 % 16 == 5 && c % 8 == 2) all[static_cast<std::size_t>(c)] = Item(0x1p-20f);
        }
        monofold_options options = MONOFOLD_OPTIONS_INIT;
        options.ddof = what.ddof;
        SCOPED_TRACE(testing::Message() << items << " items, " << own.size() << " columns");
        compare_rows(
            {what.op, static_cast<monofold_dtype>(type), static_cast<monofold_dtype>(to), options},
            bytes_of(all), {{items, count}, {count, 1}, {0}, 0});
      }
    }
  }
  EXPECT_GE(with_middles, 20);  // of 27: roots of exact sums have no 25 bits
}

TEST_F(device_rows, whose_answers_are_middles_of_bfloat16) {
  compare_middles<mf::bfloat16>(mf::dtype::bfloat16, 8);
}
TEST_F(device_rows, whose_answers_are_middles_of_float16) {
  compare_middles<mf::float16>(mf::dtype::float16, 11);
}

}  // namespace
