#pragma once
/// python/src/few_items: answers about so few items that making a state would take longer than finding them.

#include <cstdint>

#include "monofold/monofold.h"

namespace monofold::python {

/// The exact inner product of a few pairs of doubles, rounded once; false: not found here, as of what is not finite, of
/// products that may round below the smallest numbers, and of 0, whose sign is to be known.
///
/// shape      up to most_few pairs
inline constexpr std::int64_t most_few = 64;
bool dot_of_few(const double* left, const double* right, std::int64_t count, double& out);

/// Places of the k best of a few items, the best first and of equal ones the first; false: not found here, as of NaN.
///
/// shape      count * k up to most_ranked, and 1 to `count` best
inline constexpr std::int64_t most_ranked = 4096;
bool rank_few(const void* items, monofold_dtype dtype, std::int64_t count, std::int64_t k,
              bool largest, std::int64_t* places);

}  // namespace monofold::python
