#pragma once
/// engine/detail/shared_threads: independent pieces of work on the threads of oneTBB's pool.

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "monofold/engine/detail/any_body.hpp"
#include "monofold/engine/detail/own_threads.hpp"

namespace monofold::detail {

/// Whether this process is a child of one that had the pool: none of its threads is here, and what they had locked stays
/// so.
inline bool is_forked() {
  static const pid_t owner = getpid();
  return getpid() != owner;
}

/// Pieces [0, count) on up to `num_threads` threads (0: as many as the pool has).
///
/// As many as there are cores are the pool's own: those of an arena that is made for a call must first come into it, which
/// took short calls twice the time. More than there are cores are threads of this call: oneTBB gives that many only where
/// its limit, which the whole program shares, is raised, and its idle ones then spin at the cost of those at work. The
/// limit is never changed; where the program has lowered it below the cores, it holds.
inline void on_shared_threads(int num_threads, std::int64_t count, const any_body& body) {
  namespace tbb = oneapi::tbb;
  using range = tbb::blocked_range<std::int64_t>;
  constexpr auto limit = tbb::global_control::max_allowed_parallelism;
  const int cores = tbb::info::default_concurrency();
  // No more threads than pieces: each takes memory.
  const std::int64_t wanted = std::min<std::int64_t>(num_threads > 0 ? num_threads : cores, count);
  if (is_forked()) return on_own_threads(wanted, count, body);
  const auto work = [&] {
    tbb::parallel_for(range(0, count), [&](const range& r) { body(r.begin(), r.end()); });
  };
  if (num_threads <= 0) return work();
  const auto most = static_cast<std::int64_t>(tbb::global_control::active_value(limit));
  if (wanted > cores && most >= cores) {
    on_own_threads(wanted, count, body);
  } else if (num_threads >= cores) {
    work();
  } else {
    tbb::task_arena arena(static_cast<int>(std::min(wanted, most)));
    arena.execute(work);
  }
}

}  // namespace monofold::detail
