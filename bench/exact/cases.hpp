#pragma once
/// bench/exact/cases: exact sums on a GPU that are timed, as calls of a program without CUDA.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/gpu/cases.hpp"

namespace bench {

/// What the items are.
///
/// uniform in [-1, 1), normal, log-normal with sigma 10 (cut to the largest finite number), every
/// exponent alike, exponents that grow from the smallest to the largest along a period
enum class exact_data { uniform, normal, lognormal, any_exponent, growing };
inline constexpr int num_exact_data = 5;

const char* name_of(exact_data kind);

/// Data repeat after so many bytes, so that the exact state of any amount is known.
inline constexpr std::int64_t period_bytes = std::int64_t{64} << 20;

/// One operation on one type. The first subject is ours, the second our plain counterpart.
struct exact_case {
  std::string op;
  gpu_items type;
  std::vector<gpu_subject> subjects;
  /// Fills so many bytes of device memory.
  std::function<void(void* out, std::int64_t bytes, exact_data kind)> fill;
  /// The words of the state that the first subject has left.
  std::function<std::vector<std::uint64_t>(const void* out)> words;
  /// The same by the CPU, of `count` items that repeat the period at `host_items`.
  std::function<std::vector<std::uint64_t>(const void* host_items, std::int64_t count)> right;
};

/// Sums, variances, dot products and eight statistics. A dot product is that of the two halves of the range. Beside all
/// but sums stands the plain sum, as "plain sum".
std::vector<exact_case> exact_float64();
std::vector<exact_case> exact_float32();
std::vector<exact_case> exact_bfloat16();
std::vector<exact_case> exact_float16();

}  // namespace bench
