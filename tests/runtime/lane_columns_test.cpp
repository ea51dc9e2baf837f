/// runtime/lanes: columns among which a few have items that others have not have the answers that each has alone.

#include <cstdint>
#include <limits>
#include <string>
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

}  // namespace
