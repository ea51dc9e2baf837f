/// runtime/exact_loops_double: the loops of exact sums of float64.

#include "runtime/exact_loops.hpp"

#if defined(MONOFOLD_EXACT_X86)
namespace monofold {

MONOFOLD_EXACT_RUNS(, double);
MONOFOLD_FEW_SUMS();

}  // namespace monofold
#endif
