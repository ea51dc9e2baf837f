/// runtime/lanes: longer rows, which a bin takes or several tiles, have the answers that each has alone.

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/platform/strict_arithmetic.hpp"
#include "runtime/axis_reducer.hpp"
#include "runtime/lanes.hpp"
#include "tests/inputs/random.hpp"
#include "tests/runtime/lanes.hpp"
#include "tests/runtime/parity.hpp"

namespace {

namespace rt = monofold::runtime;
using rt::operation;
using limits = std::numeric_limits<double>;

/// On both sides of where bins begin, of a vector, four of them, a tile and the longest that is not cut.
const std::vector<std::int64_t> row_lengths{120,  127,  128,  129,  135,  136,   159,
                                            160,  161,  511,  512,  513,  1000,  4095,
                                            4096, 4097, 4500, 8192, 8193, 20'000};

enum class row_items { usual, growing, wide, zeros, minus_zeros, huge, tiny, rare, cancelling };

/// growing: each row is far larger than the one before; wide: no bin holds a row; zeros: some rows have nothing else;
/// minus_zeros: some rows after others have -0 alone; rare: a few items are special.
std::vector<double> rows_of_kind(row_items what, std::int64_t rows, std::int64_t length) {
  std::vector<double> out;
  const double special[] = {limits::infinity(), -limits::infinity(), limits::quiet_NaN(), -0.0,
                            limits::max(),      limits::denorm_min()};
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t i = 0; i < length; ++i) {
      const auto seed = static_cast<std::uint64_t>(r * length + i);
      double x = inputs::spread_double(seed, what == row_items::wide ? 60 : 4);
      switch (what) {
        case row_items::growing: x = std::ldexp(x, static_cast<int>(r % 19 * 20)); break;
        case row_items::zeros: x = r % 3 == 0 ? 0.0 : r % 3 == 1 && i > 600 ? 0.0 : x; break;
        case row_items::minus_zeros:
          if (r % 3 != 0) x = r % 3 == 2 && i == length - 1 ? 0.0 : -0.0;
          break;
        case row_items::huge: x = std::ldexp(x, 1000); break;
        case row_items::tiny: x = std::ldexp(x, -1060); break;
        case row_items::rare:
          if (inputs::mixed(seed) % 5003 == 0) x = special[inputs::mixed(seed) / 5003 % 6];
          break;
        case row_items::cancelling:
          if (i % 2 != 0) x = -out.back() * (r % 2 == 0 ? 1 : 1 + limits::epsilon());
          break;
        default: break;
      }
      out.push_back(x);
    }
  }
  return out;
}

void check_rows(row_items kind) {
  rt::request what;
  for (const std::int64_t length : row_lengths) {
    const std::int64_t rows = length < 1000 ? 37 : 11;
    what.num_threads = length % 2 != 0 ? 1 : 3;
    const std::vector<double> items = rows_of_kind(kind, rows, length);
    for (const operation op : {operation::sum, operation::mean, operation::std, operation::max}) {
      what.ops = {op};
      SCOPED_TRACE(testing::Message() << rt::info(op).name << ", items " << static_cast<int>(kind));
      lanes::check_lanes(what, items, rows, length, length, 1);
      if (op == operation::sum) lanes::check_lanes(what, items, rows - 5, length - 3, length, 1);
    }
  }
}

TEST(lane_rows, longer_ones_of_every_kind) {
  for (int kind = 0; kind <= static_cast<int>(row_items::cancelling); ++kind) {
    check_rows(static_cast<row_items>(kind));
  }
}

TEST(lane_rows, by_every_instruction_set) {
  const std::string own = rt::instruction_set();
  for (const std::string& name : rt::instruction_sets()) {
    ASSERT_TRUE(rt::use_instruction_set(name));
    SCOPED_TRACE(name);
    for (const row_items kind : {row_items::usual, row_items::wide, row_items::minus_zeros}) {
      check_rows(kind);
    }
  }
  ASSERT_TRUE(rt::use_instruction_set(own));
}

/// As many tiles as fill a tree, and one more or less.
template <class Item>
void check_plain_tiles(std::int64_t tile) {
  const std::int64_t most = 18 * tile;
  std::vector<Item> items;
  for (std::int64_t i = 0; i < 9 * most; ++i) {
    items.push_back(static_cast<Item>(inputs::spread_double(static_cast<std::uint64_t>(i), 9)));
  }
  items[static_cast<std::size_t>(3 * tile)] = std::numeric_limits<Item>::quiet_NaN();
  rt::request what;
  what.type = parity::dtype_of<Item>();
  what.plain = true;
  for (const operation op : {operation::sum, operation::mean}) {
    what.ops = {op};
    for (std::int64_t tiles = 1; tiles <= 17; ++tiles) {
      for (const std::int64_t more : {0, 1, 7, 100}) {
        what.num_threads = more == 1 ? 3 : 1;
        const std::int64_t length = tiles * tile + more;
        lanes::check_lanes(what, items, 9, length, length, 1);
        lanes::check_lanes(what, items, 3, length, length + 5, 1);
      }
    }
  }
}
TEST(lane_rows, plain_sums_of_several_tiles) {
  const std::string own = rt::instruction_set();
  for (const std::string& name : rt::instruction_sets()) {
    ASSERT_TRUE(rt::use_instruction_set(name));
    SCOPED_TRACE(name);
    check_plain_tiles<double>(512);
    check_plain_tiles<float>(1024);
  }
  ASSERT_TRUE(rt::use_instruction_set(own));
}

/// Blocks of columns are wide, and threads share them.
TEST(lane_rows, wide_columns) {
  rt::request what;
  for (const std::int64_t width : {2047, 2048, 2049, 4095, 4096, 4097, 9000}) {
    for (const std::int64_t length : {2, 3, 7, 8, 15, 17, 40}) {
      std::vector<double> items;
      for (std::int64_t i = 0; i < length * width; ++i) {
        items.push_back(inputs::spread_double(static_cast<std::uint64_t>(i), 4));
      }
      what.num_threads = length % 2 != 0 ? 1 : 3;
      for (const operation op : {operation::sum, operation::mean, operation::max}) {
        what.ops = {op};
        what.plain = op == operation::mean && length % 2 == 0;
        lanes::check_lanes(what, items, width, length, width, 0);
      }
    }
  }
}

/// No part of a sum is rounded, but together they are above the largest double: that is no pair.
TEST(lane_rows, sums_that_overflow) {
  const std::string own = rt::instruction_set();
  std::vector<double> items(100, 0.0);
  items[0] = limits::max();
  items[1] = 0x1p997 - 0x1p971;
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i < 100; ++i) offsets.push_back(8 * i);
  for (const std::string& name : rt::instruction_sets()) {
    ASSERT_TRUE(rt::use_instruction_set(name));
    const rt::lane_loops loops =
        rt::find_lane_loops(rt::lane_fold::exact_sum, monofold::dtype::float64);
    if (loops.fold_rows == nullptr) continue;
    std::vector<double> high(1 + rt::lane_padding), low(high), scratch(9 * high.size());
    const rt::lane_states states{high.data(), low.data(), scratch.data()};
    const monofold::strict_arithmetic arithmetic;
    loops.fold_rows({items.data(), 100, 1, 100, 0}, {}, states);
    EXPECT_TRUE(std::isnan(high[0])) << name;
    high[0] = 0;
    loops.fold_columns({reinterpret_cast<const char*>(items.data()), offsets.data(), 100, 1, true,
                        monofold::dtype::float64, nullptr, 0},
                       {}, states);
    EXPECT_TRUE(std::isnan(high[0])) << name;
  }
  ASSERT_TRUE(rt::use_instruction_set(own));
}

}  // namespace
