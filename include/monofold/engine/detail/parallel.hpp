#pragma once
/// engine/detail/parallel: independent pieces of work on some threads, nothing else.

#include <algorithm>
#include <cstdint>

#include "monofold/engine/detail/any_body.hpp"
#ifdef __linux__
#include <sched.h>
#else
#include <thread>
#endif

// oneTBB's headers cost each source that includes them 0.5 s: users of the CMake target link what needs
// them (runtime/threads), and the target says so.
#if defined(MONOFOLD_LINKS_THREADS) && MONOFOLD_LINKS_THREADS
namespace monofold::detail {
void on_linked_threads(int num_threads, std::int64_t count, const any_body& body);
}
#elif defined(MONOFOLD_HAS_TBB) && MONOFOLD_HAS_TBB
#include "monofold/engine/detail/shared_threads.hpp"
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

/// Calls body(i) for 0 <= i < count, in any order, on up to `num_threads` threads (0: all there
/// are). What a body throws reaches the caller; pieces that have not begun are then left out.
///
/// sync       threads of oneTBB's pool, or where more are asked for than there are cores threads of this call;
///            without oneTBB threads of this call, each for four pieces or more: of the CPU engine's, which
///            take 10 us and longer
template <class Body>
void parallel_for(int num_threads, std::int64_t count, const Body& body) {
  if (num_threads == 1 || count < 2) {
    for (std::int64_t i = 0; i < count; ++i) body(i);
    return;
  }
#if defined(MONOFOLD_LINKS_THREADS) && MONOFOLD_LINKS_THREADS
  on_linked_threads(num_threads, count, any_body(body));
#elif defined(MONOFOLD_HAS_TBB) && MONOFOLD_HAS_TBB
  on_shared_threads(num_threads, count, any_body(body));
#else
  on_own_threads(std::min<std::int64_t>(concurrency(num_threads), count / 4), count,
                 any_body(body));
#endif
}

}  // namespace monofold::detail
