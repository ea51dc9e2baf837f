/// runtime/far_sums: sums that two doubles do not hold, and where the bound of their error does not tell how to round.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/inputs/random.hpp"
#include "tests/runtime/lanes.hpp"

namespace {

namespace rt = monofold::runtime;
using rt::operation;

/// Halves of units, which decide how a sum is rounded, what may decide these, and what cancels them. Some rows are of
/// ordinary numbers, whose sums lanes know.
std::vector<double> far_items(std::int64_t count, std::uint64_t seed) {
  const double far[] = {1,       -1,       0x1p53,    -0x1p53,  0x1p-53,  -0x1p-53,
                        0x1p-54, 0x1p-106, -0x1p-106, 0x1p-107, 0x1p-160, -0x1p-160,
                        0x1p106, -0x1p106, 3,         0x1p-1074};
  inputs::generator random(seed);
  std::vector<double> out;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t drawn = random();
    out.push_back(i / 50 % 3 == 0 ? static_cast<double>(drawn >> 40) : far[drawn % std::size(far)]);
  }
  return out;
}

TEST(far_sums, around_halves_of_units) {
  const std::string own = rt::instruction_set();
  for (const std::string& name : rt::instruction_sets()) {
    ASSERT_TRUE(rt::use_instruction_set(name));
    SCOPED_TRACE(name);
    for (const std::int64_t length : {2, 3, 5, 15, 16, 17, 40, 100, 700}) {
      for (const std::int64_t rows : {9, 64, 600}) {
        const auto items =
            far_items(rows * (length + 3), static_cast<std::uint64_t>(rows + length));
        for (const operation op : {operation::sum, operation::mean}) {
          rt::request what;
          what.ops = {op};
          what.num_threads = 2;
          lanes::check_lanes(what, items, rows, length, length, 1);
          lanes::check_lanes(what, items, rows, length, length + 3, 1);
          lanes::check_lanes(what, items, rows, length, rows, 0);
        }
      }
    }
  }
  ASSERT_TRUE(rt::use_instruction_set(own));
}

}  // namespace
