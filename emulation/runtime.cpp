// The CUDA runtime's calls: device, memory, errors.

#include <cuda_runtime_api.h>

#include <cstring>
#include <string>
#include <utility>

#include "emulation/device_memory.hpp"
#include "emulation/devices.hpp"
#include "emulation/grid.hpp"
#include "emulation/report.hpp"

namespace emulation = monofold::emulation;
using emulation::detail::memory;
using emulation::detail::memory_kind;

namespace {

thread_local cudaError_t last_error = cudaSuccess;

cudaError_t noted(cudaError_t code) {
  if (code != cudaSuccess) last_error = code;
  return code;
}

cudaError_t allocate(void** out, std::size_t bytes, memory_kind kind) {
  *out = memory.allocate(bytes, kind, emulation::detail::current_device());
  return noted(*out == nullptr ? cudaErrorMemoryAllocation : cudaSuccess);
}

/// No kernel may run while its memory goes.
cudaError_t release(void* begin) {
  if (begin == nullptr) return cudaSuccess;
  emulation::detail::lock_device();
  const bool was_there = memory.release(begin);
  emulation::detail::unlock_device();
  return noted(was_there ? cudaSuccess : cudaErrorInvalidValue);
}

bool is_device(int device) { return device >= 0 && device < emulation::device_count(); }

/// Host memory is taken at the caller's word.
bool is_usable(const void* from, std::size_t bytes) {
  return bytes == 0 || !memory.holds(from) || memory.contains(from, bytes);
}

}  // namespace

cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }

const char* cudaGetErrorString(cudaError_t code) {
  static thread_local std::string text;
  switch (code) {
    case cudaSuccess: return "no error";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidConfiguration: return "invalid configuration argument";
    case cudaErrorInvalidDevice: return "invalid device ordinal";
    case cudaErrorInvalidResourceHandle: return "invalid resource handle";
    case cudaErrorStreamCaptureUnsupported: return "not allowed while the stream is captured";
    case cudaErrorLaunchFailure: text = emulation::detail::first_report(); return text.c_str();
    default: return "an error that the emulated device does not have";
  }
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = emulation::device_count();
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = emulation::detail::current_device();
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  return noted(emulation::detail::set_current_device(device) ? cudaSuccess
                                                             : cudaErrorInvalidDevice);
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* out, int device) {
  if (!is_device(device)) return noted(cudaErrorInvalidDevice);
  *out = {"emulated device", 0, 0, 0, 0};
  std::size_t free_bytes = 0;
  cudaMemGetInfo(&free_bytes, &out->totalGlobalMem);
  cudaDeviceGetAttribute(&out->multiProcessorCount, cudaDevAttrMultiProcessorCount, device);
  cudaDeviceGetAttribute(&out->major, cudaDevAttrComputeCapabilityMajor, device);
  return cudaDeviceGetAttribute(&out->minor, cudaDevAttrComputeCapabilityMinor, device);
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (!is_device(device)) return noted(cudaErrorInvalidDevice);
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount: *value = 4; break;
    case cudaDevAttrComputeCapabilityMajor: *value = 9; break;
    case cudaDevAttrComputeCapabilityMinor: *value = 0; break;
    case cudaDevAttrPageableMemoryAccess: *value = 0; break;
    default: return noted(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  return noted(emulation::detail::has_reports() ? cudaErrorLaunchFailure : cudaSuccess);
}

cudaError_t cudaMalloc(void** out, std::size_t bytes) {
  return allocate(out, bytes, memory_kind::device);
}
cudaError_t cudaMallocManaged(void** out, std::size_t bytes, unsigned) {
  return allocate(out, bytes, memory_kind::managed);
}
cudaError_t cudaHostAlloc(void** out, std::size_t bytes, unsigned) {
  return allocate(out, bytes, memory_kind::pinned);
}
cudaError_t cudaFree(void* begin) { return release(begin); }
cudaError_t cudaFreeHost(void* begin) { return release(begin); }

cudaError_t cudaMemset(void* to, int byte, std::size_t bytes) {
  if (!is_usable(to, bytes)) return noted(cudaErrorInvalidValue);
  if (bytes > 0) std::memset(to, byte, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  if (!is_usable(to, bytes) || !is_usable(from, bytes)) return noted(cudaErrorInvalidValue);
  if (bytes > 0) std::memmove(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* all_bytes) {
  // What a test may count on: more would be the host's memory and take hours.
  *free_bytes = *all_bytes = std::size_t{1} << 30;
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* out, const void* pointer) {
  memory_kind kind{};
  *out = {};
  if (!memory.find(pointer, kind, out->device)) return cudaSuccess;
  out->type = kind == memory_kind::device    ? cudaMemoryTypeDevice
              : kind == memory_kind::managed ? cudaMemoryTypeManaged
                                             : cudaMemoryTypeHost;
  out->devicePointer = const_cast<void*>(pointer);
  if (kind != memory_kind::device) out->hostPointer = const_cast<void*>(pointer);
  return cudaSuccess;
}
