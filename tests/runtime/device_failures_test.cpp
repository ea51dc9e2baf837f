// A call that failed on a device leaves nothing behind for the next one.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "monofold/monofold.h"
#include "tests/inputs/short_memory.hpp"
#include "tests/runtime/device_rows_cases.hpp"

namespace {

using namespace device_row_cases;  // NOLINT: a test is made of it

monofold_status reduce_there(monofold_operation op, monofold_dtype type, const device_copy& items,
                             std::int64_t count) {
  monofold_options options = MONOFOLD_OPTIONS_INIT;
  options.plain = 1;
  monofold_result result;
  return monofold_reduce(items.at<>(), type, count, MONOFOLD_DEVICE, op, &options, &result);
}

using device_failures = device_rows;

/// Exits with 0 where all is well. What other calls of a process have left may be all the memory that this call needs.
[[noreturn]] void fail_and_go_on() {
  constexpr std::int64_t many = 3000000;  // they need a larger workspace
  const device_copy items(bytes_of(std::vector<float>(many, 1.0f)));
  if (reduce_there(MONOFOLD_VAR, MONOFOLD_FLOAT32, items, 3000) != MONOFOLD_OK) std::exit(1);
  monofold_status failed = MONOFOLD_OK;
  {
    const inputs::short_memory here(0);
    failed = reduce_there(MONOFOLD_VAR, MONOFOLD_FLOAT32, items, many);
  }
  if (failed != MONOFOLD_OUT_OF_MEMORY) std::exit(2);
  // Integers have no NaN: no kernel is started, and the flag is where the last one has left it.
  std::exit(reduce_there(MONOFOLD_COUNT_NAN, MONOFOLD_INT32, items, 3000) == MONOFOLD_OK ? 0 : 3);
}

TEST_F(device_failures, memory_that_is_short_does_not_fail_the_next_call) {
  if (!mf::runtime::find_devices(device_kind::gpu).devices.empty()) {
    GTEST_SKIP() << "its memory has no limit";
  }
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(fail_and_go_on(), testing::ExitedWithCode(0), "");
}

}  // namespace
