#pragma once
/// engine/detail/shared_threads: independent pieces of work on the threads of oneTBB's pool.

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "monofold/engine/detail/any_body.hpp"

namespace monofold::detail {

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

}  // namespace monofold::detail
