#pragma once
/// emulation/launch: starts a kernel on the emulated device.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>
#include <utility>

#include "emulation/builtins.hpp"
#include "emulation/launch_shape.hpp"

namespace monofold::emulation {

/// One argument of a kernel: its bytes are copied, as CUDA does.
struct argument {
  const void* at;
  std::size_t bytes;
};

/// Runs a kernel with copies of the arguments now, or notes it where the stream is being captured.
cudaError_t submit(const launch_shape& shape, const argument* arguments, std::size_t count,
                   cudaStream_t stream);

/// Calls a kernel of this type; there are hundreds of types, so little more is made for each. Stacks of recordings end
/// at `run`.
template <class... Parameters>
struct kernel_call {
  MONOFOLD_UNTOUCHED static void run(const void* kernel, const void* const* arguments) {
    call(kernel, arguments, std::index_sequence_for<Parameters...>{});
  }
  template <std::size_t... I>
  MONOFOLD_UNTOUCHED __attribute__((always_inline)) static void call(const void* kernel,
                                                                     const void* const* arguments,
                                                                     std::index_sequence<I...>) {
    reinterpret_cast<void (*)(Parameters...)>(const_cast<void*>(kernel))(
        *static_cast<const std::remove_cv_t<Parameters>*>(arguments[I])...);
  }
};

/// Starts a kernel on copies of the arguments.
///
/// sync       the kernel has ended when the call returns
/// errors     cudaErrorInvalidConfiguration: no device runs such a launch; cudaErrorMemoryAllocation: there is no
///            memory for its threads; cudaErrorLaunchFailure: the kernel went wrong (cudaGetErrorString says how,
///            take_reports says it again), or an earlier one did
template <class... Parameters, class... Arguments>
MONOFOLD_UNTOUCHED cudaError_t launch(void (*kernel)(Parameters...), const dim3& grid,
                                      const dim3& block, const dim3& cluster,
                                      std::size_t shared_bytes, cudaStream_t stream,
                                      const Arguments&... arguments) {
  static_assert((std::is_same_v<std::remove_cv_t<Parameters>, Arguments> && ...));
  const argument given[] = {{&arguments, sizeof(arguments)}..., {nullptr, 0}};
  return submit({reinterpret_cast<const void*>(kernel), grid, block, cluster, shared_bytes,
                 kernel_call<Parameters...>::run},
                given, sizeof...(arguments), stream);
}

}  // namespace monofold::emulation
