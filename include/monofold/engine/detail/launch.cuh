#pragma once
/// engine/detail/launch: the one place where a kernel is launched, and what its errors mean.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>
#include <type_traits>

#include "monofold/platform/status.hpp"
#if defined(MONOFOLD_EMULATED)
#include "emulation/launch.hpp"
#endif

namespace monofold::detail {

/// What went wrong on the way to a launch; `detail` names the argument or the call.
struct failure {
  status code = status::ok;
  std::string detail;

  explicit operator bool() const { return code != status::ok; }
};

inline status status_of(cudaError_t code) {
  switch (code) {
    case cudaSuccess: return status::ok;
    case cudaErrorMemoryAllocation: return status::out_of_memory;
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorDevicesUnavailable:
    case cudaErrorNoKernelImageForDevice: return status::device_unavailable;
    default: return status::internal;
  }
}

/// The failure that a CUDA call reports, with the call's name; the sticky error is cleared.
inline failure failure_of(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return {};
  static_cast<void>(cudaGetLastError());
  return {status_of(code), std::string(call) + ": " + cudaGetErrorString(code)};
}

/// Launches a kernel on `blocks` blocks of `threads` threads with `shared_bytes` of dynamic shared
/// memory.
///
/// sync       does not wait; may be captured in a graph
template <class... Parameters, class... Arguments>
failure launch(void (*kernel)(Parameters...), std::int64_t blocks, int threads, int shared_bytes,
               cudaStream_t stream, const Arguments&... arguments) {
  static_assert((std::is_same_v<std::remove_cv_t<Parameters>, Arguments> && ...),
                "the runtime copies the bytes of arguments: their types must be the kernel's");
  if (blocks > 0x7fffffff) return {status::unsupported, "more than 2^31 - 1 blocks"};
#if defined(MONOFOLD_EMULATED)
  return failure_of(emulation::launch(kernel, dim3(static_cast<unsigned>(blocks)),
                                      dim3(static_cast<unsigned>(threads)), dim3(),
                                      static_cast<std::size_t>(shared_bytes), stream, arguments...),
                    "the emulated launch");
#else
  // The runtime reads the arguments and does not write them.
  void* parameters[] = {const_cast<void*>(static_cast<const void*>(&arguments))...};
  return failure_of(
      cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(static_cast<unsigned>(blocks)),
                       dim3(static_cast<unsigned>(threads)), parameters,
                       static_cast<std::size_t>(shared_bytes), stream),
      "cudaLaunchKernel");
#endif
}

}  // namespace monofold::detail
