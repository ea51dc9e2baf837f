// runtime/stopping: calls end soon after another thread says so, on whatever threads they work.

#include <sys/mman.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/monofold.h"
#include "runtime/stopping.hpp"

namespace {

using monofold::runtime::stop_flag;
using monofold::runtime::stoppable_work;

constexpr std::int64_t endless = std::int64_t{1} << 42;

monofold_options on_threads(int threads) {
  monofold_options options = MONOFOLD_OPTIONS_INIT;
  options.num_threads = threads;
  return options;
}

/// So many equal rows, along the first two axes; 1024 of them lie in memory.
struct tall_columns {
  tall_columns(std::int64_t rows, std::int64_t columns, double item)
      : items(static_cast<std::size_t>(1024 * columns), item),
        extents{rows / 1024, 1024, columns},
        strides{0, columns, 1} {}

  std::vector<double> items;
  std::array<std::int64_t, 3> extents, strides;
  std::array<std::int64_t, 2> axes{0, 1};
};

/// Sums of columns.
monofold_status sum_columns(std::int64_t rows, std::int64_t columns, int threads) {
  const tall_columns own(rows, columns, 1.0);
  std::vector<double> sums(static_cast<std::size_t>(columns), -1.0);
  const monofold_options options = on_threads(threads);
  const monofold_status how =
      monofold_reduce_axis_into(own.items.data(), MONOFOLD_FLOAT64, 3, own.extents.data(),
                                own.strides.data(), own.axes.data(), 2, MONOFOLD_SUM, &options,
                                MONOFOLD_FLOAT64, sums.data(), nullptr, nullptr, columns, nullptr);
  if (how == MONOFOLD_OK) {
    for (const double sum : sums) EXPECT_EQ(sum, static_cast<double>(rows));
  }
  return how;
}

/// Inner products of columns, likewise.
monofold_status multiply_columns(std::int64_t rows, std::int64_t columns, int threads) {
  const tall_columns own(rows, columns, 2.0);
  std::vector<double> products(static_cast<std::size_t>(columns), -1.0);
  const monofold_options options = on_threads(threads);
  const monofold_status how =
      monofold_dot_axis(own.items.data(), own.items.data(), MONOFOLD_FLOAT64, 3, own.extents.data(),
                        own.strides.data(), own.strides.data(), own.axes.data(), 2, &options,
                        MONOFOLD_FLOAT64, products.data(), columns, nullptr);
  if (how == MONOFOLD_OK) {
    for (const double one : products) EXPECT_EQ(one, 4.0 * static_cast<double>(rows));
  }
  return how;
}

/// The deviation of one segment of so many zeros, which take no memory.
monofold_status spread_of_segment(std::int64_t count, int threads) {
  const auto bytes = static_cast<std::size_t>(count) * sizeof(double);
  void* const zeros =
      mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (zeros == MAP_FAILED) return MONOFOLD_OUT_OF_MEMORY;
  const std::int64_t start = 0;
  double deviation = -1;
  const monofold_options options = on_threads(threads);
  const monofold_status how =
      monofold_reduce_segments(zeros, MONOFOLD_FLOAT64, count, &start, &count, 1, MONOFOLD_STD,
                               &options, MONOFOLD_FLOAT64, &deviation, nullptr, nullptr, nullptr);
  munmap(zeros, bytes);
  if (how == MONOFOLD_OK) {
    EXPECT_EQ(deviation, 0.0);
  }
  return how;
}

/// Sums of ones by so many keys in turn.
monofold_status sum_groups(std::int64_t count, std::int64_t num_keys, int threads) {
  std::vector<std::int64_t> keys(static_cast<std::size_t>(count));
  std::int64_t next = 0;
  for (std::int64_t& key : keys) key = next++ % num_keys;
  const std::vector<float> items(keys.size(), 1.0F);
  const monofold_options options = on_threads(threads);
  monofold_groups* groups = nullptr;
  const monofold_status how =
      monofold_group_by(keys.data(), items.data(), MONOFOLD_FLOAT32, count, MONOFOLD_BY_KEY,
                        MONOFOLD_SUM, &options, MONOFOLD_FLOAT64, &groups);
  if (how == MONOFOLD_OK) {
    std::vector<double> sums(static_cast<std::size_t>(monofold_groups_count(groups)));
    EXPECT_EQ(std::ssize(sums), num_keys);
    EXPECT_EQ(monofold_groups_copy(groups, nullptr, sums.data(), nullptr, nullptr), MONOFOLD_OK);
    EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0.0), static_cast<double>(count));
  }
  monofold_groups_destroy(groups);
  return how;
}

constexpr std::array thread_counts{0, 1, 2, 5};

template <class Call>
void check_stops(const Call& call) {
  for (const int threads : thread_counts) {
    bool is_set = false;
    {
      const stoppable_work here{stop_flag(&is_set)};
      EXPECT_EQ(call(threads), MONOFOLD_OK) << threads;
      is_set = true;
      EXPECT_EQ(call(threads), MONOFOLD_INTERNAL) << threads;
    }
    EXPECT_EQ(call(threads), MONOFOLD_OK) << threads;
  }
}

TEST(stopping, calls_that_are_told_before_do_not_finish) {
  check_stops([](int threads) { return sum_columns(1 << 15, 16, threads); });
  check_stops([](int threads) { return sum_columns(1 << 15, 3, threads); });
  check_stops([](int threads) { return sum_columns(1 << 15, 1, threads); });
  check_stops([](int threads) { return multiply_columns(1 << 14, 9, threads); });
  check_stops([](int threads) { return multiply_columns(1 << 14, 1, threads); });
  check_stops([](int threads) { return spread_of_segment(1 << 18, threads); });
  check_stops([](int threads) { return sum_groups(1 << 18, 3, threads); });
  check_stops([](int threads) { return sum_groups(1 << 18, 1 << 14, threads); });
}

template <class Call>
void check_stops_meanwhile(const Call& call) {
  for (const int threads : thread_counts) {
    bool is_set = false;
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      __atomic_store_n(&is_set, true, __ATOMIC_RELAXED);
    });
    {
      const stoppable_work here{stop_flag(&is_set)};
      EXPECT_EQ(call(threads), MONOFOLD_INTERNAL) << threads;
    }
    other.join();
  }
}

TEST(stopping, calls_that_never_end_by_themselves_do) {
  check_stops_meanwhile([](int threads) { return sum_columns(endless, 16, threads); });
  check_stops_meanwhile([](int threads) { return sum_columns(endless, 3, threads); });
  check_stops_meanwhile([](int threads) { return sum_columns(endless, 1, threads); });
  check_stops_meanwhile([](int threads) { return multiply_columns(endless, 9, threads); });
  check_stops_meanwhile([](int threads) { return multiply_columns(endless, 1, threads); });
  check_stops_meanwhile(
      [](int threads) { return spread_of_segment(std::int64_t{1} << 35, threads); });
}

}  // namespace
