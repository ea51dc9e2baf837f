#pragma once
/// bench/harness/check: whether the values of an outcome are right.

#include <string>
#include <vector>

#include "bench/harness/operations.hpp"

namespace bench {

/// ours    sums of floats within the bound that fold/sum.hpp states
/// peer    within what a sum in the items' own precision may lose
enum class accuracy { ours, peer };

/// What is wrong with the values of an operation on `data`, or nothing. NaN is always wrong.
std::string mismatch(operation op, const dataset& data, accuracy wanted,
                     const std::vector<double>& values, const std::vector<double>& right);

}  // namespace bench
