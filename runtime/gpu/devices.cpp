/// runtime/gpu/devices: asks the driver.

#include "runtime/gpu/devices.hpp"

#include <cuda_runtime_api.h>

#include "runtime/gpu/staging_stream.hpp"

namespace monofold::runtime {

namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// One code stands for a driver that is too old and for none at all.
std::string why(cudaError_t code) {
  if (code != cudaErrorInsufficientDriver) return cudaGetErrorString(code);
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
    static_cast<void>(cudaGetLastError());
    return "no NVIDIA driver is here";
  }
  return "the driver is for CUDA " + version_text(driver) + ", this build for CUDA " +
         version_text(CUDART_VERSION);
}

gpu_devices look() {
  gpu_devices found;
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    found.why_none = why(code);
    return found;
  }
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp facts{};
    if (cudaGetDeviceProperties(&facts, i) != cudaSuccess) continue;
    found.devices.push_back({facts.name, static_cast<std::int64_t>(facts.totalGlobalMem),
                             facts.multiProcessorCount, facts.major, facts.minor});
  }
  if (found.devices.empty()) found.why_none = "the driver shows no GPU";
  return found;
}

}  // namespace

const gpu_devices& find_gpus() {
  static const gpu_devices found = look();
  return found;
}

int use_gpu(int device) {
  int before = 0;
  check_cuda(cudaGetDevice(&before), "cudaGetDevice");
  if (before != device) check_cuda(cudaSetDevice(device), "cudaSetDevice");
  return before;
}

bool is_device_memory(const void* pointer) {
  cudaPointerAttributes facts{};
  check_cuda(cudaPointerGetAttributes(&facts, pointer), "cudaPointerGetAttributes");
  return facts.type == cudaMemoryTypeDevice || facts.type == cudaMemoryTypeManaged;
}

std::shared_ptr<void> make_pinned(std::int64_t bytes) {
  return {allocate_pinned(bytes), [](void* own) { static_cast<void>(cudaFreeHost(own)); }};
}

void copy_from_device(void* to, const void* from, std::int64_t bytes) {
  check_cuda(cudaMemcpy(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDefault),
             "cudaMemcpy");
}

}  // namespace monofold::runtime
