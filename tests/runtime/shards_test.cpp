// Several GPUs through libmonofold: shards, and host memory that all of them fold. On the emulated device, of which
// kernels that touch another device's memory are reported.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "monofold/monofold.h"
#include "runtime/gpu/load_device_library.hpp"
#include "runtime/reducer.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;

// Before a test of another file has the library look.
[[maybe_unused]] const int asked_for = setenv("MONOFOLD_EMULATED_DEVICES", "3", 1);

class several_devices : public testing::Test {
 protected:
  void SetUp() override {
    const auto& found = mf::runtime::find_devices(mf::runtime::device_kind::emulated);
    if (found.devices.empty()) GTEST_SKIP() << found.why_none;
    ASSERT_EQ(found.devices.size(), 3u);
    mf::runtime::use_devices(mf::runtime::device_kind::emulated);
  }
  void TearDown() override { mf::runtime::use_devices(mf::runtime::device_kind::gpu); }
};

const std::vector<monofold_operation> asked{MONOFOLD_SUM, MONOFOLD_MEAN, MONOFOLD_VAR,
                                            MONOFOLD_ARGMAX};

using results = std::vector<monofold_result>;

void expect_same(const results& want, const results& got, const std::string& where) {
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(want[i].status, got[i].status) << where;
    EXPECT_EQ(want[i].index, got[i].index) << where;
    EXPECT_EQ(want[i].value.as.uint64, got[i].value.as.uint64) << where;  // bits
  }
}

results on_cpu(const std::vector<double>& items, const monofold_options& options) {
  results out(asked.size());
  monofold_reduce_several(items.data(), MONOFOLD_FLOAT64, std::ssize(items), MONOFOLD_HOST,
                          asked.data(), 4, &options, out.data());
  return out;
}

monofold_status reduce_shards(const std::vector<monofold_shard>& shards,
                              const monofold_options& options, results& out) {
  out.assign(asked.size(), {});
  return monofold_reduce_shards(shards.data(), static_cast<int32_t>(shards.size()),
                                MONOFOLD_FLOAT64, asked.data(), 4, &options, out.data());
}

TEST_F(several_devices, shards_have_the_bits_of_one_array) {
  const std::vector<double> items = inputs::spread_doubles(5 * 4096 + 77, 40, 3);
  const auto shard = [&](std::int64_t first, std::int64_t end, int device) {
    return monofold_shard{items.data() + first, end - first, device};
  };
  const std::int64_t n = std::ssize(items);
  for (const int plain : {0, 1}) {
    monofold_options options = MONOFOLD_OPTIONS_INIT;
    options.plain = plain;
    const results want = on_cpu(items, options);
    results got;
    EXPECT_EQ(reduce_shards({shard(0, n, 2)}, options, got), MONOFOLD_OK);
    expect_same(want, got, "one");
    EXPECT_EQ(reduce_shards({shard(0, 4096, 0), shard(4096, 4096, 2), shard(4096, 12288, 1),
                             shard(12288, n, 2)},
                            options, got),
              MONOFOLD_OK);
    expect_same(want, got, "four, one of them empty");
    if (plain != 0) continue;
    EXPECT_EQ(
        reduce_shards({shard(0, 5000, 1), shard(5000, 5001, 0), shard(5001, n, 2)}, options, got),
        MONOFOLD_OK);
    expect_same(want, got, "anywhere");
  }
}

TEST_F(several_devices, what_is_wrong_with_shards) {
  const std::vector<double> items(5000, 1.5);
  const monofold_options options = MONOFOLD_OPTIONS_INIT;
  results got;
  const monofold_shard good{items.data(), 5000, 0};
  EXPECT_EQ(reduce_shards({good, {items.data(), 5000, 3}}, options, got),
            MONOFOLD_DEVICE_UNAVAILABLE);
  EXPECT_EQ(reduce_shards({good, {items.data(), 5000, -1}}, options, got),
            MONOFOLD_INVALID_ARGUMENT);
  EXPECT_EQ(reduce_shards({good, {nullptr, 5, 1}}, options, got), MONOFOLD_INVALID_ARGUMENT);
  EXPECT_EQ(reduce_shards({good, {items.data(), -5, 1}}, options, got), MONOFOLD_INVALID_ARGUMENT);
  EXPECT_EQ(reduce_shards({}, options, got), MONOFOLD_INVALID_ARGUMENT);
  EXPECT_EQ(reduce_shards({{nullptr, 0, 1}}, options, got), MONOFOLD_EMPTY_INPUT);
  EXPECT_EQ(got[0].status, MONOFOLD_OK);  // of the sum
}

TEST_F(several_devices, host_memory_goes_to_all) {
  // Pieces of 8 MiB, and a few items.
  const std::vector<double> items = inputs::spread_doubles(2 * (1 << 20) + 600, 40, 5);
  const monofold_operation sum = MONOFOLD_SUM;
  monofold_options options = MONOFOLD_OPTIONS_INIT;
  options.plain = 1;
  const auto sum_from = [&](monofold_place place) {
    monofold_result out{};
    EXPECT_EQ(monofold_reduce(items.data(), MONOFOLD_FLOAT64, std::ssize(items), place, sum,
                              &options, &out),
              MONOFOLD_OK);
    return results{out};
  };
  expect_same(sum_from(MONOFOLD_HOST), sum_from(MONOFOLD_HOST_TO_GPUS), "a plain sum");
  monofold_state* state = nullptr;
  ASSERT_EQ(monofold_state_create(MONOFOLD_FLOAT64, &sum, 1, 0, nullptr, &state), MONOFOLD_OK);
  EXPECT_EQ(monofold_state_push(state, items.data(), 5, MONOFOLD_HOST_TO_GPUS),
            MONOFOLD_INVALID_ARGUMENT);
  monofold_state_destroy(state);
}

}  // namespace
