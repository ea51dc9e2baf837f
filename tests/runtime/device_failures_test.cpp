// A call that failed on a device leaves nothing behind for the next one.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdint>
#include <vector>

#include "monofold/monofold.h"
#include "tests/runtime/device_rows_cases.hpp"

namespace {

using namespace device_row_cases;  // NOLINT: a test is made of it

/// No page of memory more, for the emulated device too, while this lives.
class no_more_memory {
 public:
  no_more_memory() {
    EXPECT_EQ(getrlimit(RLIMIT_DATA, &before_), 0);
    const rlimit none{1, before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_DATA, &none), 0);
  }
  ~no_more_memory() { setrlimit(RLIMIT_DATA, &before_); }

 private:
  rlimit before_{};
};

monofold_status reduce_there(monofold_operation op, monofold_dtype type, const device_copy& items,
                             std::int64_t count) {
  monofold_options options = MONOFOLD_OPTIONS_INIT;
  options.plain = 1;
  monofold_result result;
  return monofold_reduce(items.at<>(), type, count, MONOFOLD_DEVICE, op, &options, &result);
}

using device_failures = device_rows;

TEST_F(device_failures, memory_that_is_short_does_not_fail_the_next_call) {
  if (!mf::runtime::find_devices(device_kind::gpu).devices.empty()) {
    GTEST_SKIP() << "its memory has no limit";
  }
  constexpr std::int64_t many = 3000000;  // they need a larger workspace
  const device_copy items(bytes_of(std::vector<float>(many, 1.0f)));
  ASSERT_EQ(reduce_there(MONOFOLD_VAR, MONOFOLD_FLOAT32, items, 3000), MONOFOLD_OK);
  monofold_status failed = MONOFOLD_OK;
  {
    const no_more_memory here;
    failed = reduce_there(MONOFOLD_VAR, MONOFOLD_FLOAT32, items, many);
  }
  ASSERT_EQ(failed, MONOFOLD_OUT_OF_MEMORY);
  // Integers have no NaN: no kernel is started, and the flag is where the last one has left it.
  EXPECT_EQ(reduce_there(MONOFOLD_COUNT_NAN, MONOFOLD_INT32, items, 3000), MONOFOLD_OK);
}

}  // namespace
