#pragma once
/// emulation/launch: starts a kernel on the emulated device.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "emulation/dimensions.hpp"
#include "emulation/grid.hpp"

namespace monofold::emulation {

/// Runs it now, or notes it where the stream is being captured.
cudaError_t submit(launch_request request, cudaStream_t stream);

/// Starts a kernel on copies of the arguments.
///
/// sync       the kernel has ended when the call returns
/// errors     cudaErrorInvalidConfiguration: no device runs such a launch; cudaErrorLaunchFailure: the
///            kernel went wrong (cudaGetErrorString says how, take_reports says it again), or an
///            earlier one did
template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), const dim3& grid, const dim3& block,
                   const dim3& cluster, std::size_t shared_bytes, cudaStream_t stream,
                   const Arguments&... arguments) {
  using copies = std::tuple<std::remove_cv_t<Parameters>...>;
  launch_request request;
  request.kernel = reinterpret_cast<const void*>(kernel);
  request.grid = grid;
  request.block = block;
  request.cluster = cluster;
  request.shared_bytes = shared_bytes;
  request.body = [kernel, held = copies(arguments...)] { std::apply(kernel, held); };
  return submit(std::move(request), stream);
}

}  // namespace monofold::emulation
