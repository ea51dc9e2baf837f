/// engine/detail/parallel: every piece once, on as many threads as were asked for. Built three times: with
/// oneTBB linked, with its headers, and without it.

#include "monofold/engine/detail/parallel.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/engine/cpu.hpp"

#if MONOFOLD_HAS_TBB
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#endif

namespace {

namespace mf = monofold;

TEST(parallel, every_piece_is_done_once) {
  for (const int threads : {0, 1, 2, 3, 16, 1 << 20, std::numeric_limits<int>::max()}) {
    for (const std::int64_t count : {0, 1, 2, 15, 16, 17, 1000}) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(count));
      mf::detail::parallel_for(threads, count,
                               [&](std::int64_t i) { ++done[static_cast<std::size_t>(i)]; });
      for (const std::atomic<int>& times : done) ASSERT_EQ(times, 1) << count << " on " << threads;
    }
  }
}

/// A place where threads wait until enough of them are there at the same time.
class meeting {
 public:
  explicit meeting(std::size_t wanted) : wanted_(wanted) {}

  void come() {
    std::unique_lock lock(mutex_);
    present_.insert(std::this_thread::get_id());
    arrived_.notify_all();
    // So long, and only once, if the threads never come.
    const auto over = [&] { return complete() || given_up_; };
    if (!arrived_.wait_for(lock, std::chrono::seconds(20), over)) given_up_ = true;
    arrived_.notify_all();
  }
  bool complete() const { return present_.size() >= wanted_; }

 private:
  std::size_t wanted_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::set<std::thread::id> present_;
  bool given_up_ = false;
};

/// Counts items; the first of each node of the tree goes to the meeting.
struct meeting_fold {
  using state = std::int64_t;
  static constexpr bool commutative = true;
  meeting* place;

  state lift(double, std::int64_t index) const {
    if (index % (64 * mf::tile_items_v<double>) == 0) place->come();
    return 1;
  }
  state combine(state left, state right) const { return left + right; }
};

TEST(parallel, more_threads_than_cores_take_part_and_nothing_is_printed) {
  const auto cores = static_cast<std::size_t>(mf::detail::concurrency(0));
  if (cores > 64) GTEST_SKIP() << "a machine of " << cores << " cores";
  meeting place(cores + 3);
  // Without oneTBB a thread comes for every four nodes.
  const std::vector<double> items(4 * (cores + 14) * 64 * mf::tile_items_v<double>);
  const mf::contiguous_view<double> view(items.data(), std::ssize(items));
  testing::internal::CaptureStderr();
  const auto counted =
      mf::fold_view(mf::cpu(static_cast<int>(cores) + 14), meeting_fold{&place}, view);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(counted, view.size());
  EXPECT_TRUE(place.complete());
}

TEST(parallel, calls_from_several_threads_at_once) {
  std::atomic<std::int64_t> sum = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 6; ++caller) {
    callers.emplace_back([&sum, caller] {
      for (int again = 0; again < 50; ++again) {
        mf::detail::parallel_for(3 * caller, 20, [&](std::int64_t i) { sum += i; });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 6 * 50 * 190);
}

TEST(parallel, what_a_body_throws_reaches_the_caller_when_all_threads_are_done) {
  for (const int threads : {0, 1, 2, 7}) {
    std::atomic<int> inside = 0;
    const auto body = [&](std::int64_t i) {
      ++inside;
      std::this_thread::yield();
      --inside;
      if (i % 5 == 3) throw i;
    };
    EXPECT_THROW(mf::detail::parallel_for(threads, 100, body), std::int64_t);
    EXPECT_EQ(inside, 0);
  }
}

TEST(parallel, calls_within_calls) {
  for (const int threads : {0, 1, 3}) {
    std::atomic<std::int64_t> sum = 0;
    mf::detail::parallel_for(threads, 20, [&](std::int64_t i) {
      mf::detail::parallel_for(threads, 20, [&](std::int64_t j) { sum += 20 * i + j; });
    });
    EXPECT_EQ(sum, 400 * 399 / 2);
  }
}

#if MONOFOLD_HAS_TBB

using limit = oneapi::tbb::global_control;
constexpr auto threads_limit = limit::max_allowed_parallelism;

TEST(parallel, the_limit_of_the_program_is_not_changed) {
  const std::size_t before = limit::active_value(threads_limit);
  for (const int threads : {0, 2, 40}) {
    std::atomic<std::size_t> during = 0;
    mf::detail::parallel_for(threads, 40,
                             [&](std::int64_t) { during = limit::active_value(threads_limit); });
    EXPECT_EQ(during, before);
  }
}

TEST(parallel, a_lower_limit_of_the_program_stays_and_nothing_is_printed) {
  const auto cores = static_cast<std::size_t>(oneapi::tbb::info::default_concurrency());
  if (cores < 2) GTEST_SKIP() << "one core: no limit is lower";
  const limit own(threads_limit, cores - 1);
  testing::internal::CaptureStderr();
  std::mutex mutex;
  std::set<std::thread::id> seen;
  for (int again = 0; again < 20; ++again) {
    seen.clear();
    mf::detail::parallel_for(16, 200, [&](std::int64_t) {
      const std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    });
    EXPECT_LE(seen.size(), cores - 1);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

#endif

}  // namespace
