// Groups of host memory on the emulated engine: the CPU engine's keys and bytes.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "monofold/emulated_groups.cuh"
#include "tests/gpu/keyed_items.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::expect_same_groups;
using gpu_tests::group_hash;
using gpu_tests::numbers_of;
using gpu_tests::run_keys;
using gpu_tests::spread_keys;

class emulation_groups : public gpu_tests::gpu_test {};

constexpr std::size_t group_items = 3000;

template <class Keys, class Values, class F>
void expect_groups(const std::string& what, const Keys& keys, const Values& values, const F& f) {
  for (const mf::key_order order : {mf::key_order::sorted, mf::key_order::first}) {
    const auto want = mf::try_group_by(mf::cpu, keys, values, f, order);
    EXPECT_GT(want.keys.size(), 1u) << what;
    expect_same_groups(what, mf::try_group_by(mf::emulated, keys, values, f, order), want);
  }
  expect_same_groups(what + " of runs", mf::try_reduce_by_key(mf::emulated, keys, values, f),
                     mf::try_reduce_by_key(mf::cpu, keys, values, f));
}

TEST_F(emulation_groups, keys_and_folds_give_the_bytes_of_the_cpu) {
  const auto values = numbers_of<double>(group_items);
  const auto keys = spread_keys(group_items, 50, 1 << 20);
  expect_groups("hash", keys, numbers_of<std::int32_t>(group_items), group_hash{});
  expect_groups("sum", keys, values, mf::sum);
  expect_groups("all", keys, values, mf::all(mf::count, mf::argmin));
  expect_groups("long runs", run_keys(group_items, 700), values, mf::plain_sum);
}

TEST_F(emulation_groups, keys_of_floats_and_of_bytes) {
  const auto values = numbers_of<double>(group_items);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> some{0.0, -0.0, nan, -nan, 1.5, -3, 1e300};
  std::vector<double> floats;
  std::vector<std::array<char, 3>> texts;
  for (std::uint64_t i = 0; i < group_items; ++i) {
    floats.push_back(some[inputs::mixed(i) % some.size()]);
    texts.push_back({'a', static_cast<char>(inputs::mixed(i) % 5 * 60), '\0'});
  }
  expect_groups("floats", floats, values, mf::plain_sum);
  expect_groups("bytes", texts, values, mf::plain_sum);
}

TEST_F(emulation_groups, computed_keys_and_values_are_read_where_they_lie) {
  const auto values = numbers_of<double>(group_items);
  const auto keys = mf::generate(static_cast<std::int64_t>(group_items),
                                 [](std::int64_t i) { return i * i % 11; });
  const auto doubled = mf::transform(values, [](double x) { return 2 * x; });
  expect_groups("computed", keys, doubled, mf::plain_sum);
}

TEST_F(emulation_groups, bare_answers_and_errors) {
  const std::vector<std::int32_t> keys{7, 3, 7, 7, 3};
  const std::vector<double> values{1, 2, 3, 4, 5};
  const auto sums = mf::group_by(mf::emulated, keys, values, mf::sum, mf::key_order::first);
  EXPECT_EQ(sums.keys, (std::vector<std::int32_t>{7, 3}));
  EXPECT_EQ(sums.answers, (std::vector<double>{8, 7}));
  const auto runs = mf::reduce_by_key(mf::emulated, keys, values, mf::count);
  EXPECT_EQ(runs.keys, (std::vector<std::int32_t>{7, 3, 7, 3}));
  EXPECT_EQ(runs.answers, (std::vector<std::int64_t>{1, 1, 2, 1}));
  EXPECT_TRUE(
      mf::group_by(mf::emulated, std::span(keys).first(0), std::span(values).first(0), mf::max)
          .keys.empty());
  gpu_tests::expect_refused(
      [&] { mf::group_by(mf::emulated, keys, std::span(values).first(4), mf::sum); },
      "5 keys and 4 values");
  const auto variances = [&] {
    const std::vector<std::int32_t> alone{3, 3, 7};
    mf::group_by(mf::emulated, alone, std::span(values).first(3), mf::plain_variance(1));
  };
  gpu_tests::expect_refused(variances, "group 1", mf::status::empty_input);
}

}  // namespace
