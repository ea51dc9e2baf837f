#pragma once
/// bench/views/cases: exact folds of adapted, paired and computed items on a GPU, as calls of a program without CUDA.

#include <cstdint>
#include <functional>
#include <vector>

#include "bench/gpu/cases.hpp"

namespace bench {

/// The first subject is the fold, the second the exact sum of the same memory, taken as float32.
struct view_case : gpu_case {
  /// Fills so many bytes of device memory, a range.
  std::function<void(void* out, std::int64_t bytes)> fill;
};

/// A sum behind `where` alone and behind two of them, a dot product of float32 with float64, a sum and extrema of a
/// computed view.
std::vector<view_case> view_cases();

}  // namespace bench
