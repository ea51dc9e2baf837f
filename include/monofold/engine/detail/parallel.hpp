#pragma once
/// engine/detail/parallel: independent pieces of work on some threads, nothing else.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "monofold/engine/detail/any_body.hpp"
#ifdef __linux__
#include <sched.h>
#else
#include <thread>
#endif

#if defined(MONOFOLD_HAS_TBB) && MONOFOLD_HAS_TBB
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <optional>
#else
#include "monofold/engine/detail/own_threads.hpp"
#endif

namespace monofold::detail {

/// How many cores this process may use.
inline int num_cores() {
  static const int cores = [] {
#ifdef __linux__
    cpu_set_t set;
    // An error: there are more than 1024.
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : CPU_SETSIZE;
#else
    return static_cast<int>(std::thread::hardware_concurrency());
#endif
  }();
  return std::max(1, cores);
}

/// How many threads `num_threads` means (0: as many as there are cores).
inline int concurrency(int num_threads) { return num_threads > 0 ? num_threads : num_cores(); }

#if defined(MONOFOLD_HAS_TBB) && MONOFOLD_HAS_TBB
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

inline void on_shared_threads(int num_threads, std::int64_t count, const any_body& body) {
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
#endif

/// Calls body(i) for 0 <= i < count, in any order, on up to `num_threads` threads (0: all there
/// are). What a body throws reaches the caller; pieces that have not begun are then left out.
///
/// sync       threads of oneTBB's pool; without oneTBB threads of this call, each for four pieces or
///            more: of the CPU engine's, which take 10 us and longer
template <class Body>
void parallel_for(int num_threads, std::int64_t count, const Body& body) {
  if (num_threads == 1 || count < 2) {
    for (std::int64_t i = 0; i < count; ++i) body(i);
    return;
  }
#if defined(MONOFOLD_HAS_TBB) && MONOFOLD_HAS_TBB
  on_shared_threads(num_threads, count, any_body(body));
#else
  on_own_threads(std::min<std::int64_t>(concurrency(num_threads), count / 4), count,
                 any_body(body));
#endif
}

}  // namespace monofold::detail
