#pragma once
/* What <cuda_runtime.h> adds to <cuda_runtime_api.h>: launches from C++. */

#include <cuda_runtime_api.h>

#include "emulation/launch.hpp"

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  dim3 cluster;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    if (config->attrs[i].id != cudaLaunchAttributeClusterDimension) continue;
    const auto& shape = config->attrs[i].val.clusterDim;
    cluster = dim3(shape.x, shape.y, shape.z);
  }
  return monofold::emulation::launch(kernel, config->gridDim, config->blockDim, cluster,
                                     config->dynamicSmemBytes, config->stream,
                                     static_cast<std::remove_cv_t<Parameters>>(arguments)...);
}
