#pragma once
/// engine/detail/parallel: independent pieces of work on some threads, nothing else.

#include <cstdint>

#if defined(MONOFOLD_HAS_TBB) && MONOFOLD_HAS_TBB
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#endif

namespace monofold::detail {

/// How many threads `num_threads` means (0: all there are).
inline int concurrency(int num_threads) {
#if defined(MONOFOLD_HAS_TBB) && MONOFOLD_HAS_TBB
  return num_threads > 0 ? num_threads : oneapi::tbb::info::default_concurrency();
#else
  static_cast<void>(num_threads);
  return 1;
#endif
}

/// Calls body(i) for 0 <= i < count, in any order, on up to `num_threads` threads (0: all there
/// are). Without oneTBB the caller's thread does everything.
template <class Body>
void parallel_for(int num_threads, std::int64_t count, const Body& body) {
#if defined(MONOFOLD_HAS_TBB) && MONOFOLD_HAS_TBB
  if (num_threads != 1 && count > 1) {
    namespace tbb = oneapi::tbb;
    const auto run = [&] {
      tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, count),
                        [&](const tbb::blocked_range<std::int64_t>& some) {
                          for (std::int64_t i = some.begin(); i != some.end(); ++i) body(i);
                        });
    };
    if (num_threads == 0) {
      run();
    } else {
      tbb::task_arena arena(num_threads);
      arena.execute(run);
    }
    return;
  }
#else
  static_cast<void>(num_threads);
#endif
  for (std::int64_t i = 0; i < count; ++i) body(i);
}

}  // namespace monofold::detail
