/// runtime/exact_loops_float: the loops of exact sums of float32.

#include "runtime/exact_loops.hpp"

#if defined(MONOFOLD_EXACT_X86)
namespace monofold {

MONOFOLD_EXACT_RUNS(, float);

}  // namespace monofold
#endif
