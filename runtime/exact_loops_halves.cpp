/// runtime/exact_loops_halves: the loops of exact sums of float16 and bfloat16.

#include "runtime/exact_loops.hpp"

#if defined(MONOFOLD_EXACT_X86)
namespace monofold {

MONOFOLD_EXACT_RUNS(, float16);
MONOFOLD_EXACT_RUNS(, bfloat16);

}  // namespace monofold
#endif
