#pragma once
/// inputs/many_threads: lets oneTBB start more threads than this machine has cores.

#if defined(MONOFOLD_HAS_TBB) && MONOFOLD_HAS_TBB
#include <oneapi/tbb/global_control.h>
#endif

namespace inputs {

/// While one of these lives, an engine of up to 16 threads really has them.
struct [[maybe_unused]] many_threads {
#if defined(MONOFOLD_HAS_TBB) && MONOFOLD_HAS_TBB
  oneapi::tbb::global_control control{oneapi::tbb::global_control::max_allowed_parallelism, 16};
#endif
};

}  // namespace inputs
