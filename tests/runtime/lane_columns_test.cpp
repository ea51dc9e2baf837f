/// runtime/lanes: columns among which a few have items that others have not have the answers that each has alone.

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/axis_reducer.hpp"
#include "tests/inputs/random.hpp"
#include "tests/runtime/lanes.hpp"
#include "tests/runtime/parity.hpp"

namespace {

namespace mf = monofold;
namespace rt = monofold::runtime;
using rt::operation;

/// Usual items, but in every `apart`-th place one from a list.
template <class Item>
void check_rare(const std::vector<Item>& rare) {
  rt::request what;
  what.type = parity::dtype_of<Item>();
#if defined(__SANITIZE_ADDRESS__)  // which memory is used does not depend on the rest
  const std::vector<std::int64_t> lengths{1, 3, 8, 31};
#else
  const std::vector<std::int64_t> lengths{1, 2, 3, 5, 8, 9, 24, 31, 260};
#endif
  for (const std::int64_t length : lengths) {
    for (const std::int64_t apart : {613, 4099, 20011}) {
      std::vector<Item> items;
      const std::int64_t width = 1203;
      for (std::int64_t i = 0; i < length * width; ++i) {
        items.push_back(static_cast<Item>(inputs::spread_double(static_cast<std::uint64_t>(i), 4)));
        if (i % apart == apart - 1)
          items.back() = rare[static_cast<std::size_t>(i / 7) % rare.size()];
        // Some cancel the column's first item, so that nothing hides what was lost beside it.
        if (i / width == length - 1 && i % 3 == 0)
          items.back() = -items[static_cast<std::size_t>(i % width)];
      }
      for (const operation op : {operation::sum, operation::mean, operation::var}) {
        what.ops = {op};
        SCOPED_TRACE(testing::Message() << rt::info(op).name << ", one in " << apart);
        lanes::check_lanes(what, items, width, length, width, 0);
      }
      what.plain = true;
      what.ops = {operation::sum};
      lanes::check_lanes(what, items, width, length, width, 0);
      what.plain = false;
    }
  }
}

TEST(lane_columns, rare_items) {
  using single = std::numeric_limits<float>;
  using wide = std::numeric_limits<double>;
  const std::string own = rt::instruction_set();
  for (const std::string& name : rt::instruction_sets()) {
    ASSERT_TRUE(rt::use_instruction_set(name));
    SCOPED_TRACE(name);
    check_rare<float>({1e-30f, 1e30f, -1e30f, single::denorm_min(), -0.0f});
    check_rare<float>({single::infinity(), -single::infinity(), single::max()});
    check_rare<float>({single::quiet_NaN(), single::infinity()});
    check_rare<double>({1e-300, 1e300, -1e300, wide::denorm_min(), wide::max()});
    check_rare<double>({wide::infinity(), -wide::infinity(), wide::quiet_NaN()});
  }
  ASSERT_TRUE(rt::use_instruction_set(own));
}

/// As many slots meet at once as have equally many items.
TEST(lane_columns, plain_sums_of_every_length) {
  rt::request what;
  what.plain = true;
  what.ops = {operation::sum};
  for (std::int64_t length = 1; length < 300; ++length) {
    std::vector<double> items;
    const std::int64_t width = 21;
    for (std::int64_t i = 0; i < length * width; ++i) {
      items.push_back(inputs::spread_double(static_cast<std::uint64_t>(i), 4));
    }
    what.type = mf::dtype::float64;
    lanes::check_lanes(what, items, width, length, width, 0);
    what.type = mf::dtype::float32;
    lanes::check_lanes(what, std::vector<float>(items.begin(), items.end()), width, length, width,
                       0);
  }
}

/// Items of columns of 1.8 MB; `rare`: some are infinite, NaN, or cancel others of their column.
template <class Item>
std::vector<Item> large_items(std::int64_t width, std::int64_t length, double scale, bool rare) {
  std::vector<Item> items;
  for (std::int64_t i = 0; i < length * width; ++i) {
    double x = scale * inputs::spread_double(static_cast<std::uint64_t>(i), 1);
    if (std::is_unsigned_v<Item>) x = std::abs(x);
    items.push_back(static_cast<Item>(static_cast<float>(x)));
    if constexpr (std::is_floating_point_v<Item>) {
      using limits = std::numeric_limits<Item>;
      const Item others[] = {limits::infinity(), limits::quiet_NaN(), limits::max() / 2, Item(-0.0),
                             limits::denorm_min()};
      const std::int64_t column = i % width;
      if (rare && column % 3 == 0 && i % 6007 == 6006) items.back() = others[i % 5];
      // A large one, and its negative at the end: what is between shows what was lost.
      if (rare && column % 3 == 1 && i < 2 * width) items.back() = Item(0x1p80);
      if (rare && column % 3 == 1 && i >= (length - 2) * width) items.back() = Item(-0x1p80);
    }
  }
  return items;
}

/// Large arrays, whose items may come in another order than they lie in.
template <class Item>
void check_large(double scale, bool rare) {
  rt::request what;
  what.type = parity::dtype_of<Item>();
  const std::int64_t width = 41, length = 45'011 / static_cast<std::int64_t>(sizeof(Item));
  const std::vector<Item> items = large_items<Item>(width, length, scale, rare);
  for (const operation op : {operation::sum, operation::var, operation::max, operation::argmin}) {
    for (const bool plain : {false, true}) {
      if (plain && (op != operation::sum || !std::is_floating_point_v<Item>)) continue;
      what.ops = {op};
      what.plain = plain;
      for (const int threads : {1, 3}) {
        what.num_threads = threads;
        SCOPED_TRACE(testing::Message() << rt::info(op).name << " on " << threads);
        lanes::check_lanes(what, items, width, length, width, 0);
        lanes::check_lanes(what, items, width - 3, length, width, 0);
      }
    }
  }
}

TEST(lane_columns, of_large_arrays) {
  check_large<double>(1, false);
  check_large<double>(1, true);
  check_large<float>(1, false);
  check_large<float>(1, true);
  check_large<mf::float16>(1, false);
  check_large<std::int32_t>(1000, false);
  check_large<std::uint8_t>(100, false);
}

/// Two axes that do not lie one in the other, and one of them from its end on.
TEST(lane_columns, of_large_arrays_along_two_axes) {
  const std::int64_t blocks = 83, rows = 67, width = 41;
  const std::vector<double> items = large_items<double>(width, blocks * rows, 1, true);
  for (const operation op : {operation::sum, operation::var, operation::max}) {
    rt::request what;
    what.type = mf::dtype::float64;
    what.ops = {op};
    for (const int threads : {1, 3}) {
      what.num_threads = threads;
      const rt::axis_answers wanted =
          rt::reduce_axis(what, {items.data(), {blocks * rows, width}, {width, 1}, {0}, {}});
      const double* const last = items.data() + (blocks - 1) * rows * width;
      const rt::axis_answers got = rt::reduce_axis(
          what, {last, {blocks, rows, width}, {-rows * width, width, 1}, {0, 1}, {}});
      EXPECT_EQ(lanes::bytes_of_arrays(got), lanes::bytes_of_arrays(wanted)) << rt::info(op).name;
    }
  }
}

}  // namespace
