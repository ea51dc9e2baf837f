#pragma once
/// bench/gpu/check: CUDA errors as exceptions.

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace bench {

inline void check(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(code));
}

}  // namespace bench
