#pragma once
/// bench/gpu/cases: what is timed on a GPU, as calls that a program without CUDA can make.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

/// What the buffer is filled with.
///
/// floats uniform in [-1, 1), integers uniform in their whole range, matrices (2 x 2 float32) rotations;
/// ascending: in ranges that begin at a multiple of their size, of up to 4 GiB
enum class gpu_items {
  int8,
  int32,
  int64,
  float16,
  bfloat16,
  float32,
  float64,
  matrix,
  ascending_float32,
  ascending_bfloat16,
};
inline constexpr int num_gpu_items = 10;

const char* name_of(gpu_items type);
std::int64_t size_of(gpu_items type);

/// A range in device memory.
struct gpu_range {
  const void* items;
  std::int64_t count;
};

/// One way to compute a case. `start` enqueues the reduction of a range on a stream (a cudaStream_t);
/// its result goes to device memory at `out` (2 KiB), from where `values` takes it on the host.
/// `prepare` allocates what ranges of up to `count` items need.
struct gpu_subject {
  std::string path;
  std::function<void(std::int64_t count)> prepare;
  std::function<void(const gpu_range&, void* out, void* stream)> start;
  std::function<std::vector<double>(const void* out)> values;
};

/// The same, waiting for the value on the host.
struct gpu_waiting_subject {
  std::string path;
  std::function<double(const gpu_range&)> call;
};

/// One operation on one type. The first subject is ours; `right` is the CPU engine on the same items.
struct gpu_case {
  std::string op;
  gpu_items type;
  double target_of_cub;  // most that the time over CUB's may be from 64 MiB on; 0: none stated
  std::vector<std::int64_t> sizes;  // bytes
  std::vector<gpu_subject> subjects;
  std::vector<gpu_waiting_subject> waiting;
  std::function<std::vector<double>(const void* host_items, std::int64_t count)> right;
};

std::vector<gpu_case> integer_cases();
std::vector<gpu_case> half_cases();
std::vector<gpu_case> float32_cases();
std::vector<gpu_case> float64_cases();
std::vector<gpu_case> ordered_cases();
std::vector<gpu_case> top_cases();

}  // namespace bench
