#pragma once
/// cli/thread_limit: lets more threads run than there are cores, for who asks for them.

#if defined(MONOFOLD_HAS_TBB) && MONOFOLD_HAS_TBB
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>

#include <algorithm>
#endif

namespace monofold::cli {

/// While this lives, up to `num_threads` threads work (0: as many as there are cores). oneTBB hands
/// out no more than there are cores otherwise, and says so on standard error.
class thread_limit {
 public:
#if defined(MONOFOLD_HAS_TBB) && MONOFOLD_HAS_TBB
  explicit thread_limit(int num_threads)
      : limit_(oneapi::tbb::global_control::max_allowed_parallelism,
               static_cast<std::size_t>(
                   std::max(num_threads, oneapi::tbb::info::default_concurrency()))) {}

 private:
  oneapi::tbb::global_control limit_;
#else
  explicit thread_limit(int) {}
#endif
};

}  // namespace monofold::cli
