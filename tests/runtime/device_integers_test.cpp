// Integers in memory of a device have no NaN, whatever the rule for them is.

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "monofold/monofold.h"
#include "tests/runtime/device_rows_cases.hpp"

namespace {

using namespace device_row_cases;  // NOLINT: a test is made of it

using device_integers = device_rows;

TEST_F(device_integers, have_every_answer_under_every_rule) {
  bytes items(4000);
  for (std::size_t i = 0; i < items.size(); i += 3) items[i] = 1;
  const device_copy copy(items);
  for (const mf::dtype_info& item : mf::dtypes) {
    if (item.is_floating) continue;
    const auto type = static_cast<monofold_dtype>(item.type);
    const std::int64_t count = 4000 / item.size_bytes;
    for (monofold_operation op = MONOFOLD_COUNT; op <= MONOFOLD_SOFTMAX_DENOMINATOR; ++op) {
      if (op == MONOFOLD_TOP || op == MONOFOLD_BOTTOM || op == MONOFOLD_DOT) continue;
      for (const auto rule : {MONOFOLD_NAN_PROPAGATE, MONOFOLD_NAN_OMIT, MONOFOLD_NAN_RAISE}) {
        monofold_options options = MONOFOLD_OPTIONS_INIT;
        options.nan = rule;
        monofold_result want{}, got{};
        const monofold_status here =
            monofold_reduce(items.data(), type, count, MONOFOLD_HOST, op, &options, &want);
        const monofold_status there =
            monofold_reduce(copy.at<>(), type, count, MONOFOLD_DEVICE, op, &options, &got);
        EXPECT_EQ(here, there) << item.name << ", operation " << op << ", rule " << rule;
        EXPECT_EQ(want.value.as.uint64, got.value.as.uint64) << item.name << ", operation " << op;
      }
    }
  }
}

/// A sum of signed items that only uint64 holds, one that neither does, and those of few and many items.
TEST_F(device_integers, have_sums_of_the_other_sign) {
  constexpr std::int64_t rows = 3, most = INT64_MAX;
  for (const std::int64_t columns : {3, 700, 9000}) {
    std::vector<std::int64_t> items(rows * columns);
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t i = 0; i < 2 + row % 2; ++i) items[row * columns + i * columns / 3] = most;
      items[(row + 1) * columns - 1] += row % 2;
    }
    const monofold_options options = MONOFOLD_OPTIONS_INIT;
    for (const auto& [from, to] :
         {std::pair{MONOFOLD_INT64, MONOFOLD_UINT64}, std::pair{MONOFOLD_UINT64, MONOFOLD_INT64}}) {
      for (const std::int64_t axis : {0, 1}) {
        const question what{MONOFOLD_SUM, from, to, options};
        compare_rows(what, bytes_of(items), {{rows, columns}, {columns, 1}, {axis}, 0});
      }
    }
  }
}

}  // namespace
