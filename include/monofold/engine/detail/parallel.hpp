#pragma once
/// engine/detail/parallel: independent pieces of work on some threads, nothing else.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#if defined(MONOFOLD_HAS_TBB) && MONOFOLD_HAS_TBB
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <optional>
#else
#ifdef __linux__
#include <sched.h>
#endif

#include <atomic>
#include <exception>
#include <thread>
#include <vector>
#endif

namespace monofold::detail {

/// body(i) for a range of i, whatever the type of the body: what hands the ranges out, with oneTBB
/// some kilobytes of code for each type, is instantiated for this one.
class any_body {
 public:
  template <class Body>
  explicit any_body(const Body& body)
      : body_(&body), call_([](const void* of, std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i != end; ++i) (*static_cast<const Body*>(of))(i);
        }) {}
  void operator()(std::int64_t begin, std::int64_t end) const { call_(body_, begin, end); }

 private:
  const void* body_;
  void (*call_)(const void*, std::int64_t, std::int64_t);
};

#if defined(MONOFOLD_HAS_TBB) && MONOFOLD_HAS_TBB

/// How many threads `num_threads` means (0: all there are).
inline int concurrency(int num_threads) {
  return num_threads > 0 ? num_threads : oneapi::tbb::info::default_concurrency();
}

/// Calls `work` where up to `num_threads` threads may take part.
///
/// oneTBB hands out no more threads than there are cores, and says so on standard error, unless its
/// limit is raised; the limit in force is the lowest that anyone set, so a program's own lower one
/// stays.
template <class Work>
void with_threads(int num_threads, const Work& work) {
  namespace tbb = oneapi::tbb;
  constexpr auto limit = tbb::global_control::max_allowed_parallelism;
  std::optional<tbb::global_control> raised;
  const auto wanted = static_cast<std::size_t>(num_threads);
  if (num_threads > tbb::info::default_concurrency()) raised.emplace(limit, wanted);
  tbb::task_arena arena(
      static_cast<int>(std::min(wanted, tbb::global_control::active_value(limit))));
  arena.execute(work);
}

inline void parallel_for_any(int num_threads, std::int64_t count, const any_body& body) {
  namespace tbb = oneapi::tbb;
  using range = tbb::blocked_range<std::int64_t>;
  const auto work = [&] {
    tbb::parallel_for(range(0, count), [&](const range& r) { body(r.begin(), r.end()); });
  };
  if (num_threads <= 0) {
    work();
  } else {
    // No more threads than pieces: an arena takes memory for each.
    with_threads(static_cast<int>(std::min<std::int64_t>(num_threads, count)), work);
  }
}

#else

/// How many threads `num_threads` means (0: as many as there are cores that this process may use).
inline int concurrency(int num_threads) {
  if (num_threads > 0) return num_threads;
#ifdef __linux__
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) return std::max(1, CPU_COUNT(&cores));
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// Threads of this call alone, one for every four pieces at most: a thread takes 20 us to start, and
/// one of the CPU engine's pieces 10 us or more.
inline void parallel_for_any(int num_threads, std::int64_t count, const any_body& body) {
  std::atomic<std::int64_t> next{0};
  std::atomic_flag failed;
  std::exception_ptr failure;
  const auto work = [&]() noexcept {
    try {
      for (std::int64_t i = next++; i < count; i = next++) body(i, i + 1);
    } catch (...) {
      next = count;  // nobody begins another piece
      if (!failed.test_and_set()) failure = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  try {
    const auto wanted = std::min<std::int64_t>(concurrency(num_threads), count / 4);
    for (std::int64_t i = 1; i < wanted; ++i) threads.emplace_back(work);
  } catch (const std::exception&) {
    // The system gives no more threads: those that there are do the work.
  }
  work();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

#endif

/// Calls body(i) for 0 <= i < count, in any order, on up to `num_threads` threads (0: all there
/// are). What a body throws reaches the caller; pieces that have not begun are then left out.
template <class Body>
void parallel_for(int num_threads, std::int64_t count, const Body& body) {
  if (num_threads != 1 && count > 1) {
    parallel_for_any(num_threads, count, any_body(body));
  } else {
    for (std::int64_t i = 0; i < count; ++i) body(i);
  }
}

}  // namespace monofold::detail
