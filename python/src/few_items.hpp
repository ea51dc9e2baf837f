#pragma once
/// python/src/few_items: answers about so few items that making a state would take longer than finding them.

#include <cstdint>
#include <span>

#include "monofold/monofold.h"

namespace monofold::python {

/// Up to so many items find their sums by vectors, all in a first-level cache, with nothing to keep.
inline constexpr std::int64_t most_few = 4096;

/// 1 to most_few items as doubles: where they lie, or in `room` for most_few; null: of no type that this is for, or a
/// processor's.
const double* as_doubles(const void* items, monofold_dtype dtype, std::int64_t count, double* room);

/// The exact inner product of a few pairs of such doubles, rounded once; false: not found here, as of what is not
/// finite, and of sums that are small beside their products, such as 0.
bool dot_of_few(const double* left, const double* right, std::int64_t count, double& out);

/// Answers to some operations about a few such doubles, as monofold_reduce_several gives them where NaN are no error;
/// false: not found here, as of what is not finite, of 0 alone, of squares that may over- or underflow, of deviations
/// that are small beside the mean, and of other operations than the exact ones of `mf.stats`.
///
/// shape      results: one for each operation
bool answer_few(std::span<const monofold_operation> operations, std::span<const double> items,
                std::int64_t ddof, monofold_result* results);

/// Places of the k best of a few items, the best first and of equal ones the first; false: not found here, as of NaN,
/// and of many that are found to be better than those before them.
///
/// shape      up to most_ranked items, and 1 to `count` best
inline constexpr std::int64_t most_ranked = 4096;
bool rank_few(const void* items, monofold_dtype dtype, std::int64_t count, std::int64_t k,
              bool largest, std::int64_t* places);

}  // namespace monofold::python
