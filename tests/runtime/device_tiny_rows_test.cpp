// Rows of up to four items in memory of a device, a lane each: the bytes are those of the processor, for every type of
// answers, where items are hard to round, cancel, or are no numbers.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "monofold/monofold.h"
#include "tests/inputs/random.hpp"
#include "tests/runtime/device_rows_cases.hpp"

namespace {

namespace mf = monofold;
using namespace device_row_cases;  // NOLINT: a test is made of it

std::vector<question> sums_and_means_of(mf::dtype type) {
  std::vector<question> out;
  for (const question& what : questions_of(type)) {
    const bool is_floating = what.to >= static_cast<monofold_dtype>(mf::dtype::float16);
    const bool is_of_sums =
        what.op == MONOFOLD_SUM || what.op == MONOFOLD_MEAN || what.op == MONOFOLD_NORM1;
    if (is_of_sums && is_floating) out.push_back(what);
  }
  return out;
}

/// Numbers at the middle between two of a narrower type and next to it, at the ends of types, and none.
std::vector<double> hard_numbers() {
  const double infinity = std::numeric_limits<double>::infinity();
  return {1 + 0x1p-8,
          1 + 0x1p-8 + 0x1p-22,
          1 + 0x3p-8,
          -1 - 0x1p-11,
          1 + 0x3p-11,
          65519.996,
          65520,
          -65504,
          3.3961776e38,
          std::ldexp(0x1.fffffep0, 127),
          0x1p-25,
          0x3p-25,
          0x1p-14,
          0x1p-133,
          0x1p-134,
          0x1p-149,
          -0.0,
          0,
          3,
          infinity,
          -infinity,
          std::nan(""),
          0x1.fffffep-3,
          1e-40};
}

/// `hard` items, each with what makes rows of others: nothing, little, and what takes it away again.
template <class Item>
std::vector<Item> hard_rows(std::int64_t length, std::int64_t gap) {
  std::vector<Item> out;
  for (const double hard : hard_numbers()) {
    for (const double other : {0.0, -0.0, 0x1p-60, -hard, hard}) {
      for (std::int64_t i = 0; i < length; ++i) {
        out.push_back(Item(static_cast<float>(i == 0 ? hard : other)));
      }
      out.insert(out.end(), static_cast<std::size_t>(gap), Item(7.0f));
    }
  }
  return out;
}

template <class Item>
void compare_tiny(mf::dtype type) {
  for (std::int64_t length = 1; length <= 4; ++length) {
    for (const std::int64_t gap : {0, 3}) {
      const std::vector<Item> items = hard_rows<Item>(length, gap);
      const auto count = static_cast<std::int64_t>(items.size()) / (length + gap);
      const bytes own = bytes_of(items);
      for (const question& what : sums_and_means_of(type)) {
        SCOPED_TRACE(testing::Message() << "rows of " << length << ", gap " << gap);
        compare_rows(what, own, {{count, length}, {length + gap, 1}, {1}, 0});
        if (gap != 0) continue;
        compare_rows(what, own, {{1, length}, {length, 1}, {1}, 5});     // a row alone
        compare_rows(what, own, {{count - 4, length}, {1, 1}, {1}, 0});  // that share items
        compare_rows(what, own, {{70, length}, {0, 1}, {1}, length * count / 2});  // all the same
      }
    }
  }
}

TEST_F(device_rows, tiny_of_float32) { compare_tiny<float>(mf::dtype::float32); }
TEST_F(device_rows, tiny_of_float64) { compare_tiny<double>(mf::dtype::float64); }
TEST_F(device_rows, tiny_of_bfloat16) { compare_tiny<mf::bfloat16>(mf::dtype::bfloat16); }
TEST_F(device_rows, tiny_of_float16) { compare_tiny<mf::float16>(mf::dtype::float16); }

/// So many that a warp takes several lots of them, and sums that no double holds, here and there.
TEST_F(device_rows, tiny_and_many) {
  for (std::int64_t length = 1; length <= 4; ++length) {
    const std::int64_t count = 9001;
    std::vector<float> items;
    for (std::int64_t i = 0; i < count * length; ++i) {
      const std::uint64_t random = inputs::mixed(static_cast<std::uint64_t>(i));
      const auto fraction =
          static_cast<float>(static_cast<double>(random % 16777216) / 8388608 - 1);
      const auto far = std::ldexp(fraction, static_cast<int>(random >> 50 & 63));
      const float finite = (random >> 40 & 15) != 0 ? fraction : far;
      items.push_back(random % 1009 == 0 ? std::nanf("") : finite);
    }
    const bytes own = bytes_of(items);
    for (const question& what : sums_and_means_of(mf::dtype::float32)) {
      if (what.options.nan == MONOFOLD_NAN_RAISE) continue;
      compare_rows(what, own, {{count, length}, {length, 1}, {1}, 0});
    }
  }
}

}  // namespace
