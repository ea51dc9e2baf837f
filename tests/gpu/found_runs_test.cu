// Runs of equal keys that are folded as they are found, since all of them are short: the bytes of the CPU's. At the
// borders of words, warps and blocks, of pages and of what has room in shared memory, for keys and items that lie
// anywhere.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "monofold/engine/gpu/key/runs_fold.cuh"
#include "monofold/engine/gpu/key/starts.cuh"
#include "monofold/group_by.cuh"
#include "monofold/monofold.cuh"
#include "tests/gpu/keyed_items.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;
using gpu_tests::device_keys;
using gpu_tests::expect_same_groups;
using gpu_tests::numbers_of;

class gpu_found_runs : public gpu_tests::gpu_test {};

constexpr std::int64_t block = mf::detail::flagged_by_block;

/// How long run number `run` is.
using length_of = std::size_t (*)(std::uint64_t run);
struct shape {
  const char* name;
  length_of length;
};
const shape shapes[] = {
    {"of one item", [](std::uint64_t) { return std::size_t{1}; }},
    {"of three", [](std::uint64_t) { return std::size_t{3}; }},
    {"of seven", [](std::uint64_t) { return std::size_t{7}; }},
    {"of sixteen", [](std::uint64_t) { return std::size_t{16}; }},
    {"of fifteen to seventeen",
     [](std::uint64_t run) { return static_cast<std::size_t>(15 + inputs::mixed(run) % 3); }},
    {"of up to forty",
     [](std::uint64_t run) { return static_cast<std::size_t>(1 + inputs::mixed(run) % 40); }},
    {"of up to nine",
     [](std::uint64_t run) { return static_cast<std::size_t>(1 + inputs::mixed(run) % 9); }},
    {"of one, or now and then of many",
     [](std::uint64_t run) {
       return static_cast<std::size_t>(run % 200 == 199 ? 30 + inputs::mixed(run) % 200 : 1);
     }},
    {"of eight, or now and then as long as a window",
     [](std::uint64_t run) { return static_cast<std::size_t>(run % 200 == 100 ? 250 : 8); }},
};

/// For each place the number of its run.
std::vector<std::uint64_t> runs_of(std::size_t n, length_of length) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t run = 0; out.size() < n; ++run) {
    for (std::size_t i = length(run); i > 0 && out.size() < n; --i) out.push_back(run);
  }
  return out;
}

/// Keys and items from place `first` on.
template <class Key, class Item, class F>
void compare_from(std::size_t first, const std::vector<Key>& keys, const std::vector<Item>& values,
                  const F& f) {
  const device_keys<Key> there(keys);
  const device_array<Item> device(values);
  const std::size_t count = keys.size() - first;
  const auto got =
      mf::try_reduce_by_key(mf::gpu, there.all().subspan(first), device.span(first, count), f);
  const auto want = mf::try_reduce_by_key(mf::cpu, std::span(keys).subspan(first),
                                          std::span(values).subspan(first), f);
  expect_same_groups("from " + std::to_string(first), got, want);
}

template <class Item, class Make, class F>
void compare_all(const F& f, const Make& key_of, int binades) {
  const std::size_t most = gpu_tests::is_slow ? block + 1300 : 3 * block + 5;
  for (const std::size_t n : {std::size_t{1}, std::size_t{33}, std::size_t{496}, std::size_t{993},
                              std::size_t{block}, most}) {
    if (gpu_tests::is_slow && binades > 100 && n > 1000) return;  // sums by digits take long
    for (const shape& how : shapes) {
      SCOPED_TRACE(std::string("runs ") + how.name + ", " + std::to_string(n) + " items");
      using key = decltype(key_of(0));
      std::vector<key> keys;
      for (const std::uint64_t run : runs_of(n, how.length)) keys.push_back(key_of(run));
      const auto values = numbers_of<Item>(n, binades);
      compare_from(0, keys, values, f);
      if (n > 1) compare_from(1, keys, values, f);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

std::int32_t number(std::uint64_t run) { return static_cast<std::int32_t>(run % 5) - 2; }

bool are_all_short(const mf::contiguous_view<std::int32_t>& keys,
                   const mf::detail::short_runs& limits) {
  mf::detail::run_starts runs(mf::detail::device_stream{nullptr, 0}, keys, limits);
  runs.wait();
  return runs.all_short();
}

TEST_F(gpu_found_runs, are_short) {
  for (const shape& how : shapes) {
    std::vector<std::int32_t> keys;
    for (const std::uint64_t run : runs_of(2 * block + 7, how.length)) keys.push_back(number(run));
    const device_array<std::int32_t> there(keys);
    const mf::contiguous_view<std::int32_t> view(there.data(),
                                                 static_cast<std::int64_t>(keys.size()));
    EXPECT_TRUE(are_all_short(view, {1024, 1000})) << how.name;
    EXPECT_FALSE(are_all_short(view, {0, 0})) << how.name;
    EXPECT_FALSE(are_all_short(view, {63, 1000})) << how.name;
  }
  // Runs of three, and a last one of two.
  for (const int mean : {2, 3}) {
    std::vector<std::int32_t> keys;
    for (std::int32_t i = 0; i < 3 * 4000 - 1; ++i) keys.push_back(i / 3);
    const device_array<std::int32_t> there(keys);
    const mf::contiguous_view<std::int32_t> view(there.data(),
                                                 static_cast<std::int64_t>(keys.size()));
    EXPECT_EQ(are_all_short(view, {1024, mean}), mean == 3);
  }
  // A run of a tile may be found to be too long; one of more has to be.
  for (const std::size_t before : {0, 5, 511, 512, 1024, 8000, 8191}) {
    std::vector<std::int32_t> keys;
    for (std::size_t i = 0; i < before + 1025 + 100; ++i) {
      keys.push_back(i < before || i >= before + 1025 ? static_cast<std::int32_t>(i) : -1);
    }
    const device_array<std::int32_t> there(keys);
    const mf::contiguous_view<std::int32_t> view(there.data(),
                                                 static_cast<std::int64_t>(keys.size()));
    EXPECT_FALSE(are_all_short(view, {1024, 1000})) << before;
  }
}

TEST_F(gpu_found_runs, sums_in_the_order_of_the_tree) {
  compare_all<float>(mf::plain_sum, number, 12);
}

TEST_F(gpu_found_runs, exact_sums_that_doubles_hold) {
  compare_all<float>(
      mf::sum, [](std::uint64_t run) { return static_cast<std::int8_t>(run % 3); }, 12);
}

/// Sums that no double holds: by pairs of doubles, and by digits.
TEST_F(gpu_found_runs, exact_sums_of_floats_that_are_far_apart) {
  compare_all<float>(mf::sum, number, 200);
}

TEST_F(gpu_found_runs, exact_sums_of_far_items) {
  compare_all<double>(
      mf::sum, [](std::uint64_t run) { return static_cast<std::int64_t>(run * 5) << 31; }, 130);
}

/// Whether memory for as many runs as keys is taken changes nothing, whichever kernel folds.
TEST_F(gpu_found_runs, with_memory_for_all_keys_or_for_the_runs) {
  const auto values = numbers_of<float>(2 * block + 7);
  const device_array<float> items(values);
  const mf::contiguous_view<float> view(items.data(), static_cast<std::int64_t>(values.size()));
  const auto f = mf::bind_fold<float>(mf::plain_sum);
  for (const std::size_t length : {std::size_t{2}, std::size_t{1500}}) {
    std::vector<std::int32_t> keys;
    for (std::size_t i = 0; i < values.size(); ++i) {
      keys.push_back(static_cast<std::int32_t>(i / length));
    }
    const device_array<std::int32_t> there(keys);
    const mf::contiguous_view<std::int32_t> key_view(there.data(), view.size());
    const auto want = mf::reduce_by_key(mf::cpu, keys, values, mf::plain_sum);
    for (const bool may_take_memory : {false, true}) {
      const mf::detail::device_stream on{nullptr, 0};
      using fold =
          mf::detail::runs_fold<std::remove_const_t<decltype(f)>, mf::contiguous_view<float>,
                                mf::contiguous_view<std::int32_t>, float, false>;
      fold own(on, f, view, key_view);
      auto got = own.start(may_take_memory);
      ASSERT_EQ(own.are_folded(), length == 2);
      ASSERT_EQ(got.keys.size(), static_cast<std::int64_t>(want.keys.size()));
      if (own.are_folded()) {
        EXPECT_EQ(mf::detail::brought(on, got.left), want.answers);
        EXPECT_EQ(mf::detail::brought(on, got.keys), want.keys);
      } else {
        const auto groups = own.groups(std::move(got.keys));
        EXPECT_EQ(mf::detail::brought(on, groups.keys), want.keys);
        const auto offsets = mf::detail::brought(on, groups.offsets);
        EXPECT_EQ(offsets.size(), want.keys.size() + 1);
        EXPECT_EQ(offsets[1], std::int64_t{1500});
        EXPECT_EQ(offsets.back(), view.size());
      }
    }
  }
}

/// NaN of all kinds are one key, and so are -0 and +0.
TEST_F(gpu_found_runs, means_by_keys_of_floats) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  compare_all<mf::bfloat16>(
      mf::mean,
      [nan](std::uint64_t run) {
        const double some[] = {0.0, nan, -0.0, 1.5, -nan, 1e300};
        return some[inputs::mixed(run) % 6];
      },
      12);
}

TEST_F(gpu_found_runs, extrema_with_their_places_by_keys_of_bytes) {
  compare_all<std::int32_t>(
      mf::argmax,
      [](std::uint64_t run) {
        return std::array<char, 3>{'a', static_cast<char>(run % 100), '\0'};
      },
      0);
}

/// A run of NaN alone has no place where NaN are left out.
TEST_F(gpu_found_runs, states_of_extrema_without_an_item) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<std::int32_t> keys;
  std::vector<float> values;
  for (std::int32_t i = 0; i < 3000; ++i) {
    keys.push_back(i / 2);
    values.push_back(i / 2 % 3 != 0 && i % 7 != 0 ? static_cast<float>(i % 100) : nan);
  }
  const mf::extremum_fold<float, true, mf::nan_rule::omit> f;
  const device_array<std::int32_t> there(keys);
  const device_array<float> device(values);
  const auto got =
      mf::reduce_by_key(mf::gpu, there.span(0, keys.size()), device.span(0, values.size()), f);
  const auto want = mf::reduce_by_key(mf::cpu, keys, values, f);
  ASSERT_EQ(got.keys, want.keys);
  for (std::size_t i = 0; i < want.keys.size(); ++i) {
    ASSERT_EQ(got.answers[i].key, want.answers[i].key) << i;
    ASSERT_EQ(got.answers[i].index, want.answers[i].index) << i;
  }
}

/// Memory of the host that the device reads.
TEST_F(gpu_found_runs, keys_and_items_in_memory_of_the_host) {
  constexpr std::size_t n = 5000;
  for (const length_of length : {shapes[0].length, shapes[2].length}) {
    void* memory = nullptr;
    ASSERT_EQ(cudaHostAlloc(&memory, n * 8, cudaHostAllocMapped), cudaSuccess);
    const std::span<std::int32_t> keys(static_cast<std::int32_t*>(memory), n);
    const std::span<float> values(static_cast<float*>(memory) + n, n);
    const std::vector<std::uint64_t> runs = runs_of(n, length);
    const std::vector<float> numbers = numbers_of<float>(n);
    for (std::size_t i = 0; i < n; ++i) {
      keys[i] = number(runs[i]);
      values[i] = numbers[i];
    }
    expect_same_groups("in memory of the host",
                       mf::try_reduce_by_key(mf::gpu, keys, values, mf::plain_sum),
                       mf::try_reduce_by_key(mf::cpu, keys, values, mf::plain_sum));
    EXPECT_EQ(cudaFreeHost(memory), cudaSuccess);
  }
}

/// Runs of one item have no variance of a sample.
TEST_F(gpu_found_runs, groups_without_an_answer) {
  compare_all<float>(
      mf::variance(1), [](std::uint64_t run) { return static_cast<std::uint16_t>(run % 7); }, 12);
}

}  // namespace
