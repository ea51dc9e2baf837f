// A user's kernel, recorded and written as a page.

// [traced]
#include <cuda_runtime.h>

#include <fstream>

#include "trace/trace.hpp"
namespace trace = monofold::trace;

__global__ void turn_kernel(const float* in, float* out) {
  __shared__ float cells[64];
  const unsigned t = threadIdx.x;
  cells[t] = in[t];
  __syncthreads();  // cells written above are read below by other threads
  out[t] = cells[(t + 1) % 64];
}

int main() {
  float* in = nullptr;
  if (cudaMalloc(&in, 128 * sizeof(float)) != cudaSuccess) return 1;
  if (cudaMemset(in, 0, 64 * sizeof(float)) != cudaSuccess) return 1;
  float* const out = in + 64;
  cudaLaunchConfig_t config{};
  config.gridDim = 1;
  config.blockDim = 64;
  trace::tracer tracer;  // records what is launched while it lives
  tracer.name(in, 64, "in");
  tracer.name(out, 64, "out", trace::contents::unset);
  tracer.name_shared<float>("cells");
  cudaError_t code = cudaLaunchKernelEx(&config, turn_kernel, static_cast<const float*>(in), out);
  trace::run_facts facts;
  facts.name = "turn";
  const std::string page = trace::page(trace::document({tracer.json(facts)}), facts.name);
  std::ofstream("turn.html") << page;
  // [/traced]
  // Its page has the kernel's source, and no accident.
  const bool has_source = page.find("\"file\":\"traced.cu\"") != std::string::npos &&
                          page.find("cells[t] = in[t];") != std::string::npos;
  if (!has_source || tracer.found().problem || tracer.found().steps.size() != 5) return 1;
  // [traced]
  return code == cudaSuccess ? 0 : 1;
}
// [/traced]
