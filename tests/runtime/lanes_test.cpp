/// runtime/lanes: rows and columns that are folded side by side have the answers that each has alone.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/platform/wide_int.hpp"
#include "runtime/axis_reducer.hpp"
#include "runtime/typed_answers.hpp"
#include "tests/inputs/random.hpp"
#include "tests/runtime/lanes.hpp"
#include "tests/runtime/parity.hpp"

namespace {

namespace mf = monofold;
namespace rt = monofold::runtime;
using rt::operation;

enum class lane_items { usual, apart, wide, special, equal };

/// usual: near each other; apart: one double does not hold sums of float32; wide: sums take more bits than two
/// doubles; special: zeros of both signs, NaN of any payload, infinities, the smallest and the largest; equal: two
/// values, so that many are the first one.
template <class Item>
std::vector<Item> items_of_kind(lane_items what, std::int64_t count) {
  using limits = std::numeric_limits<Item>;
  std::vector<Item> out;
  if constexpr (mf::is_floating_v<Item> && sizeof(Item) == 2) {
    for (const float x : items_of_kind<float>(what, count)) out.push_back(static_cast<Item>(x));
    return out;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    const std::uint64_t bits = inputs::mixed(seed);
    const int powers = what == lane_items::wide ? 110 : what == lane_items::apart ? 20 : 4;
    const double spread = inputs::spread_double(seed, powers);
    const std::uint64_t dice = bits >> 40;
    if constexpr (std::is_floating_point_v<Item>) {
      Item x = static_cast<Item>(spread);
      if (what == lane_items::equal) x = static_cast<Item>(dice % 3 == 0 ? 1.5 : -2.5);
      if (what == lane_items::special && dice % 8 == 0) {
        const Item some[] = {Item(0),
                             Item(-0.0),
                             limits::infinity(),
                             -limits::infinity(),
                             limits::quiet_NaN(),
                             -limits::quiet_NaN(),
                             limits::max(),
                             limits::denorm_min(),
                             limits::lowest()};
        x = some[dice / 8 % 9];
      }
      if (what == lane_items::special && dice % 8 == 1) x = Item(-0.0);
      out.push_back(x);
    } else {
      Item x = static_cast<Item>(bits);
      if (what == lane_items::equal) x = static_cast<Item>(dice % 3);
      if (what == lane_items::special && dice % 3 == 0)
        x = dice % 2 == 0 ? limits::min() : limits::max();
      out.push_back(x);
    }
  }
  return out;
}

template <class Item>
void check_lane_lengths(lane_items from, const std::vector<std::int64_t>& lengths) {
  const std::vector<Item> items = items_of_kind<Item>(from, 140'000);
  rt::request what;
  what.type = parity::dtype_of<Item>();
  for (const operation op :
       {operation::sum, operation::mean, operation::var, operation::std, operation::min,
        operation::max, operation::argmin, operation::argmax}) {
    what.ops = {op};
    for (const bool plain : {false, true}) {
      what.plain = plain;
      if (plain && (op > operation::mean || !mf::is_floating_v<Item>)) continue;
      // Sums that may not fit.
      if (sizeof(Item) == 8 && !mf::is_floating_v<Item> && op <= operation::std) continue;
      SCOPED_TRACE(testing::Message()
                   << rt::info(op).name << (plain ? ", plain, of " : " of ")
                   << mf::info(what.type).name << ", items " << static_cast<int>(from));
      for (const std::int64_t length : lengths) {
        const std::int64_t rows = length < 20 ? 99 : length < 100 ? 35 : 19;
        what.num_threads = length % 2 != 0 ? 1 : 3;
        what.ddof = op == operation::std && length > 1 ? 1 : 0;
        lanes::check_lanes(what, items, rows, length, length, 1);
        lanes::check_lanes(what, items, rows, length, length + 5, 1);
        lanes::check_lanes(what, items, rows, length, rows, 0);
        lanes::check_lanes(what, items, rows - 14, length, rows, 0);
      }
    }
  }
}

/// Threads share columns of the longest.
const std::vector<std::int64_t> lane_lengths{
    1,   2,   3,   4,   5,   7,   8,   9,   15,  16,  17,   31,   33,   63,   64,   65,
    100, 127, 128, 129, 200, 256, 300, 511, 513, 640, 1000, 1023, 1025, 1100, 2049, 7000};

TEST(lanes, every_length_of_floats) {
  for (const lane_items from : {lane_items::usual, lane_items::apart, lane_items::wide,
                                lane_items::special, lane_items::equal}) {
#if defined(__SANITIZE_ADDRESS__)  // which memory is used does not depend on these
    if (from == lane_items::apart || from == lane_items::equal) continue;
#endif
    check_lane_lengths<float>(from, lane_lengths);
    check_lane_lengths<double>(from, lane_lengths);
  }
}

/// Columns and rows whose large items cancel: what is left is far below what one or two doubles of a column hold on
/// the way.
template <class Item>
void check_cancelling(mf::dtype type) {
  const Item cycle[] = {Item(0x1p100), Item(1), Item(0x1p-60), Item(-0x1p100), Item(-1)};
  rt::request what;
  what.type = type;
  for (const operation op : {operation::sum, operation::mean, operation::std}) {
    what.ops = {op};
    for (const std::int64_t length : {5, 10, 15, 300, 1285}) {
      for (const std::int64_t width : {1, 3, 8, 16, 35}) {
        std::vector<Item> rows, columns;
        for (std::int64_t i = 0; i < length * width; ++i) {
          rows.push_back(cycle[i % length % 5]);
          columns.push_back(cycle[i / width % 5]);
        }
        lanes::check_lanes(what, rows, width, length, length, 1);
        lanes::check_lanes(what, columns, width, length, width, 0);
      }
    }
  }
}
TEST(lanes, items_that_cancel) {
  const std::string own = rt::instruction_set();
  for (const std::string& name : rt::instruction_sets()) {
    ASSERT_TRUE(rt::use_instruction_set(name));
    SCOPED_TRACE(name);
    check_cancelling<float>(mf::dtype::float32);
    check_cancelling<double>(mf::dtype::float64);
  }
  ASSERT_TRUE(rt::use_instruction_set(own));
}

TEST(lanes, integers_and_halves) {
  const std::vector<std::int64_t> lengths{1, 3, 8, 20, 130, 600, 1030, 2100};
  for (const lane_items from : {lane_items::usual, lane_items::special, lane_items::equal}) {
    check_lane_lengths<std::int8_t>(from, lengths);
    check_lane_lengths<std::uint8_t>(from, lengths);
    check_lane_lengths<std::int16_t>(from, lengths);
    check_lane_lengths<std::uint16_t>(from, lengths);
    check_lane_lengths<std::int32_t>(from, lengths);
    check_lane_lengths<std::uint32_t>(from, lengths);
    check_lane_lengths<std::int64_t>(from, {1, 3, 8, 20, 130, 1030});
    check_lane_lengths<std::uint64_t>(from, {1, 3, 8, 20, 130, 1030});
    check_lane_lengths<mf::float16>(from, lengths);
    check_lane_lengths<mf::bfloat16>(from, lengths);
  }
}

/// Sums beyond 2^53, which one double does not hold.
TEST(lanes, large_sums_of_integers) {
  const std::int64_t length = std::int64_t{1} << 22;
  std::vector<std::uint32_t> items(static_cast<std::size_t>(8 * length), 0xffffffffu);
  items[5] = 0xfffffffeu;
  rt::request what;
  what.type = mf::dtype::uint32;
  for (const operation op : {operation::sum, operation::mean, operation::std}) {
    what.ops = {op};
    lanes::check_lanes(what, items, 8, length, 8, 0);
  }
}

TEST(lanes, every_instruction_set) {
  const std::string own = rt::instruction_set();
  for (const std::string& name : rt::instruction_sets()) {
    ASSERT_TRUE(rt::use_instruction_set(name));
    SCOPED_TRACE(name);
    for (const lane_items from : {lane_items::usual, lane_items::special}) {
      check_lane_lengths<float>(from, {1, 2, 3, 7, 20, 100, 300, 1030});
      check_lane_lengths<double>(from, {1, 2, 3, 7, 20, 100, 300, 1030});
      check_lane_lengths<std::uint8_t>(from, {1, 2, 3, 7, 8, 20, 4200});
      check_lane_lengths<mf::float16>(from, {1, 2, 3, 7, 8, 20, 2100});
    }
  }
  ASSERT_TRUE(rt::use_instruction_set(own));
}

/// One row that lanes do not hold, or only in another way, among many that they do: what stands before it and behind it
/// has its answers, and so has the next array.
TEST(lanes, one_row_of_another_kind) {
  const std::string own = rt::instruction_set();
  const std::vector<double> usual = items_of_kind<double>(lane_items::usual, 120'000);
  rt::request what;
  what.type = mf::dtype::float64;
  const auto check = [&](const std::vector<double>& items, std::int64_t rows, std::int64_t length) {
    for (const operation op : {operation::sum, operation::mean, operation::std}) {
      what.ops = {op};
      lanes::check_lanes(what, items, rows, length, length, 1);
      lanes::check_lanes(what, items, length, rows, length, 0);
    }
  };
  for (const std::string& name : rt::instruction_sets()) {
    ASSERT_TRUE(rt::use_instruction_set(name));
    SCOPED_TRACE(name);
    for (const std::int64_t length : {32, 33, 100, 700, 4100}) {
      const std::int64_t rows = std::ssize(usual) / length;
      for (const lane_items kind : {lane_items::apart, lane_items::wide, lane_items::special}) {
        for (const std::int64_t row : {std::int64_t{0}, rows / 3, rows - 1}) {
          std::vector<double> items = usual;
          const std::vector<double> other = items_of_kind<double>(kind, length);
          std::copy(other.begin(), other.end(), items.begin() + row * length);
          check(items, rows, length);
          check(usual, std::min<std::int64_t>(rows, 40), length);
        }
      }
    }
    check(std::vector<double>(3000, -0.0), 30, 100);
  }
  ASSERT_TRUE(rt::use_instruction_set(own));
}

/// Rows as numbers of another type: rounded once.
template <class Item>
void check_narrow(const rt::request& what, const std::vector<Item>& items, mf::dtype type,
                  std::int64_t length) {
  const std::int64_t rows = std::min<std::int64_t>(40, std::ssize(items) / length);
  std::vector<char> got(8 * 40, 'x'), wanted(got);
  std::vector<std::int64_t> got_indices(40), wanted_indices(40);
  rt::typed_keeper keeper({type, got.data(), nullptr, got_indices.data(), 1});
  const rt::row_reducer reducer(what, rt::rounding_for(type));
  rt::reduce_rows(reducer, items.data(), mf::rows_of({rows, length}, {length, 1}, {1}), keeper);
  for (std::int64_t r = 0; r < rows; ++r) {
    rt::reducer alone(what);
    alone.push(items.data() + r * length, length);
    rt::store_typed({type, wanted.data(), nullptr, wanted_indices.data(), 1}, r,
                    alone.finish(rt::rounding_for(type)).front());
  }
  EXPECT_EQ(std::string(got.begin(), got.end()), std::string(wanted.begin(), wanted.end()))
      << rt::info(what.ops.front()).name << " of " << length << " as " << mf::info(type).name;
  EXPECT_EQ(got_indices, wanted_indices);
}

/// Few bits, so that variances lie on ties and on numbers; far from 0, so that nearly all cancels; equal items.
template <class Item>
std::vector<Item> items_of_little_spread(int kind) {
  std::vector<Item> out;
  for (std::uint64_t i = 0; i < 6000; ++i) {
    const std::uint64_t dice = inputs::mixed(i) >> 20;
    const double some[] = {static_cast<double>(dice % 4),
                           static_cast<double>(dice % (1 << 28)) - 0x1p27,
                           1000.0 + static_cast<double>(dice % 1024) * 0x1p-12,
                           0x1p23 + static_cast<double>(dice % 3),
                           0.1,
                           i % 97 == 0 ? 0.1 : 0.0,
                           std::ldexp(static_cast<double>(dice % 8), -500),
                           1.38752989145,
                           dice % 10 == 0 ? 0.1 + 0x1p-50 : 0.1};
    out.push_back(static_cast<Item>(some[kind]));
  }
  return out;
}

TEST(lanes, little_spread) {
  const auto check = [](const auto& items, mf::dtype item, int kind) {
    rt::request what;
    what.type = item;
    for (const operation op : {operation::var, operation::std}) {
      what.ops = {op};
      for (const std::int64_t length : {2, 3, 4, 7, 8, 25, 64, 300, 1200}) {
        SCOPED_TRACE(testing::Message() << rt::info(op).name << ", items " << kind);
        what.ddof = length % 3 == 0 ? 1 : 0;
        lanes::check_lanes(what, items, 5000 / length, length, length, 1);
        lanes::check_lanes(what, items, 5000 / length, length, 5000 / length, 0);
        for (const mf::dtype type : {mf::dtype::float32, mf::dtype::float16}) {
          check_narrow(what, items, type, length);
        }
      }
    }
  };
  for (int kind = 0; kind < 9; ++kind) {
    check(items_of_little_spread<float>(kind), mf::dtype::float32, kind);
    check(items_of_little_spread<double>(kind), mf::dtype::float64, kind);
  }
}

TEST(lanes, answers_of_other_types) {
  const std::vector<double> wide = items_of_kind<double>(lane_items::usual, 20'000);
  const std::vector<float> narrow = items_of_kind<float>(lane_items::special, 20'000);
  const std::vector<std::int16_t> integers = items_of_kind<std::int16_t>(lane_items::usual, 20'000);
  rt::request what;
  for (const operation op :
       {operation::sum, operation::mean, operation::var, operation::std, operation::argmax}) {
    what.ops = {op};
    for (const mf::dtype type : {mf::dtype::float32, mf::dtype::float16, mf::dtype::float64}) {
      for (const std::int64_t length : {1, 3, 8, 40, 300}) {
        what.type = mf::dtype::float64;
        check_narrow(what, wide, type, length);
        what.type = mf::dtype::float32;
        check_narrow(what, narrow, type, length);
        what.type = mf::dtype::int16;
        check_narrow(what, integers, type, length);
      }
    }
  }
}

/// Sums that lie half way between two numbers, or next to that.
TEST(lanes, means_next_to_ties) {
  std::vector<double> items;
  for (std::int64_t i = 0; i < 3000; ++i) {
    const auto bits = inputs::mixed(static_cast<std::uint64_t>(i));
    const double base = 1.0 + static_cast<double>(bits % 8) * 0x1p-52;
    items.push_back(
        i % 3 == 0 ? base : (i % 3 == 1 ? 0x1p-53 : 0x1p-105 * static_cast<double>(bits >> 62)));
  }
  rt::request what;
  for (const operation op : {operation::sum, operation::mean}) {
    what.ops = {op};
    for (const std::int64_t length : {2, 3, 4, 5, 6, 7, 12, 24, 100}) {
      lanes::check_lanes(what, items, 3000 / length, length, length, 1);
      lanes::check_lanes(what, items, 3000 / length, length, 3000 / length, 0);
    }
  }
}

/// Means half a unit from a double, and the least more or less: h + l = n (m + 1/2), l the next double too.
TEST(lanes, means_by_the_least_off_ties) {
  rt::request what;
  what.ops = {operation::mean};
  for (std::int64_t n = 3; n < 40; ++n) {
    std::vector<double> items;
    for (std::uint64_t i = 0; i < 300; ++i) {
      const auto m =
          static_cast<mf::int128>((inputs::mixed(i) >> 11 | std::uint64_t{1} << 52) * 2 + 1);
      const mf::int128 sum = n * m;
      const auto high = static_cast<double>(sum);
      double low = static_cast<double>(sum - static_cast<mf::int128>(high));
      if (i % 3 == 1) low = std::nextafter(low, 1e9);
      if (i % 3 == 2) low = std::nextafter(low, -1e9);
      items.insert(items.end(), {high, low});
      items.resize(items.size() + static_cast<std::size_t>(n - 2));
    }
    lanes::check_lanes(what, items, 300, n, n, 1);
  }
}

TEST(lanes, walks_of_several_axes_and_long_rows) {
  const std::vector<float> items = items_of_kind<float>(lane_items::usual, 4 * 90'000);
  rt::request what;
  what.type = mf::dtype::float32;
  what.num_threads = 1;
  for (const bool plain : {false, true}) {
    what.plain = plain;
    for (const operation op : {operation::sum, operation::argmax}) {
      what.ops = {op};
      lanes::check_lanes(what, items, 4, 90'000, 90'000, 1);
      lanes::check_lanes(what, items, 4, 90'000, 4, 0);
      // Axes 0 and 2 of four.
      const rt::axis_answers got = rt::reduce_axis(
          what, {items.data(), {30, 5, 50, 40}, {10'000, 2'000, 40, 1}, {0, 2}, mf::keepdims::no});
      std::vector<rt::answer> wanted;
      for (std::int64_t k = 0; k < 5; ++k) {
        for (std::int64_t c = 0; c < 40; ++c) {
          std::vector<float> own;
          for (std::int64_t i = 0; i < 1500; ++i) {
            own.push_back(
                items[static_cast<std::size_t>(i / 50 * 10'000 + k * 2'000 + i % 50 * 40 + c)]);
          }
          rt::reducer alone(what);
          alone.push(own.data(), 1500);
          wanted.push_back(alone.finish().front());
        }
      }
      EXPECT_EQ(lanes::bytes_of_arrays(got), lanes::bytes_of_lanes(got, wanted));
    }
  }
}

}  // namespace
