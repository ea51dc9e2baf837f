#pragma once
/// bench/exact_peers/peers: other exact sums of float64, each on one core.

#include <cstdint>
#include <functional>

#include "bench/harness/samples.hpp"

namespace bench {

/// Radford Neal's large superaccumulator, written from its description.
///
/// source     R. Neal 2015, arXiv 1505.05571: the small one where the large one spills
std::function<outcome()> neal_large_call(const double* items, std::int64_t count);

}  // namespace bench
