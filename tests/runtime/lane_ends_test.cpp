/// runtime/lanes: the best item of a row wherever it is, NaN and zeros of both signs too; nothing is read behind the last
/// row, where the array ends.

#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/fold/nan.hpp"
#include "runtime/axis_reducer.hpp"
#include "tests/runtime/parity.hpp"

namespace {

namespace mf = monofold;
namespace rt = monofold::runtime;

/// The smallest item is the last one of three rows; of equal ones the first counts.
template <class Item>
void check_smallest_at_the_end(std::int64_t length) {
  std::vector<Item> items(static_cast<std::size_t>(3 * length), Item(0));
  items.back() = Item(-1);
  rt::request what;
  what.type = parity::dtype_of<Item>();
  what.ops = {rt::operation::argmin};
  const rt::axis_answers got =
      rt::reduce_axis(what, {items.data(), {3, length}, {length, 1}, {1}, mf::keepdims::no});
  for (const rt::answer_array& part : got.arrays) {
    if (part.name != "index") continue;
    std::int64_t places[3];
    ASSERT_EQ(part.bytes.size(), sizeof places);
    std::memcpy(places, part.bytes.data(), sizeof places);
    EXPECT_EQ(places[0], 0) << length;
    EXPECT_EQ(places[2], length - 1) << length;
    return;
  }
  FAIL() << "no indices";
}

TEST(lane_ends, smallest_item_of_all_is_the_last) {
  for (std::int64_t length = 60; length < 140; ++length) {
    check_smallest_at_the_end<float>(length);
    check_smallest_at_the_end<double>(length);
    check_smallest_at_the_end<std::int32_t>(length);
  }
}

/// Row r has one best item, at place r.
template <class Item>
void check_single_best(Item best, Item other, std::int64_t length) {
  std::vector<Item> items(static_cast<std::size_t>(length * length), other);
  for (std::int64_t r = 0; r < length; ++r) items[static_cast<std::size_t>(r * length + r)] = best;
  for (const rt::operation op : {rt::operation::argmax, rt::operation::max}) {
    rt::request what;
    what.type = parity::dtype_of<Item>();
    what.ops = {op};
    const rt::axis_answers got =
        rt::reduce_axis(what, {items.data(), {length, length}, {length, 1}, {1}, mf::keepdims::no});
    for (std::int64_t r = 0; r < length; ++r) {
      Item found{};
      std::memcpy(&found, got.arrays.front().bytes.data() + r * sizeof(Item), sizeof found);
      const bool is_found =
          mf::is_nan(best) ? mf::is_nan(found) : std::memcmp(&found, &best, sizeof best) == 0;
      EXPECT_TRUE(is_found) << length;
      if (op == rt::operation::max) continue;
      std::int64_t place = -1;
      std::memcpy(&place, got.arrays.back().bytes.data() + r * sizeof place, sizeof place);
      EXPECT_EQ(place, r) << length;
    }
  }
}

template <class Item>
void check_floats(std::int64_t length) {
  constexpr Item infinity = std::numeric_limits<Item>::infinity();
  check_single_best<Item>(2, 1, length);
  check_single_best<Item>(Item(0.0), Item(-0.0), length);
  check_single_best<Item>(Item(-0.0), -1, length);
  check_single_best<Item>(-1, -infinity, length);
  check_single_best<Item>(std::numeric_limits<Item>::quiet_NaN(), infinity, length);
  check_single_best<Item>(-std::numeric_limits<Item>::quiet_NaN(), infinity, length);
}

TEST(lane_ends, best_item_is_found_wherever_it_is) {
  for (const std::int64_t length : {63, 64, 65, 100, 127, 128, 129, 200, 257, 300}) {
    check_floats<float>(length);
    check_floats<double>(length);
    check_single_best<std::int64_t>(-5, -6, length);
    check_single_best<std::uint32_t>(0x80000000u, 0x7fffffffu, length);
    check_single_best<std::uint8_t>(0x80, 0x7f, length);
    check_single_best<std::int8_t>(1, -128, length);
    check_single_best<std::int16_t>(1, -1, length);
    check_single_best<std::uint16_t>(0x8000, 0x7fff, length);
  }
}

/// Rows whose last items do not fill a vector behind whole tiles; a larger item is behind each.
template <class Item>
void check_nothing_of_the_next_row(std::int64_t length) {
  constexpr std::int64_t num_rows = 5;
  std::vector<Item> items(static_cast<std::size_t>(num_rows * length), Item(0));
  for (std::int64_t r = 1; r < num_rows; ++r) items[static_cast<std::size_t>(r * length)] = Item(r);
  rt::request what;
  what.type = parity::dtype_of<Item>();
  what.ops = {rt::operation::max};
  what.num_threads = 1;
  const rt::axis_answers got =
      rt::reduce_axis(what, {items.data(), {num_rows, length}, {length, 1}, {1}, mf::keepdims::no});
  for (std::int64_t r = 0; r < num_rows; ++r) {
    Item found{};
    std::memcpy(&found, got.arrays.front().bytes.data() + r * sizeof(Item), sizeof found);
    EXPECT_EQ(found, Item(r)) << length;
  }
}

TEST(lane_ends, of_rows_of_more_than_a_mebi_item) {
  for (const std::int64_t rest : {1, 15, 16, 31, 32, 63}) {
    const std::int64_t length = (std::int64_t{1} << 20) + rest;
    check_nothing_of_the_next_row<std::int8_t>(length);
    check_nothing_of_the_next_row<std::uint16_t>(length);
    check_nothing_of_the_next_row<std::int32_t>(length);
  }
  check_nothing_of_the_next_row<std::int16_t>((std::int64_t{1} << 21) + 1);
}

}  // namespace
