#pragma once
/// bench/table/cases: the operations that the table of calls in a stream and isolated ones has.

#include <vector>

#include "bench/gpu/cases.hpp"

namespace bench {

/// All of one type: sum, exact sum (of floats), max, argmax, eight exact and eight plain statistics,
/// variance, and top10 (of float32 and float64); each ours, then CUB's where it has one.
std::vector<gpu_case> table_float32();
std::vector<gpu_case> table_float64();
std::vector<gpu_case> table_bfloat16();
std::vector<gpu_case> table_float16();
std::vector<gpu_case> table_int8();
std::vector<gpu_case> table_int32();
std::vector<gpu_case> table_int64();

}  // namespace bench
