/// runtime/lanes: nothing is read behind the last row, where the array ends.

#include <cstdint>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

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

}  // namespace
