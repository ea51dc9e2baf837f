// The CUDA runtime's calls: streams, graphs, launches.

#include <cuda_runtime_api.h>

#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "emulation/devices.hpp"
#include "emulation/grid.hpp"
#include "emulation/launch.hpp"
#include "emulation/report.hpp"

namespace emulation = monofold::emulation;

struct CUgraph_st {
  std::vector<emulation::launch_request> launches;
};

struct CUgraphExec_st {
  std::vector<emulation::launch_request> launches;
};

struct CUevent_st {};

struct CUstream_st {
  int device = 0;
  CUgraph_st* captured = nullptr;
};

namespace {

bool is_default(cudaStream_t stream) { return stream == nullptr || stream == cudaStreamLegacy; }

/// What was captured into the stream so far; null where it is not being captured.
CUgraph_st* capture_of(cudaStream_t stream) {
  return is_default(stream) ? nullptr : stream->captured;
}

cudaError_t run_now(const emulation::launch_request& request) {
  try {
    return emulation::run(request) ? cudaSuccess : cudaErrorLaunchFailure;
  } catch (const std::bad_alloc&) {
    return cudaErrorMemoryAllocation;
  }
}

cudaError_t submit_copied(const emulation::launch_request& request, cudaStream_t stream) {
  if (!emulation::is_launchable(request)) return cudaErrorInvalidConfiguration;
  if (!is_default(stream) && stream->device != request.device) {
    return cudaErrorInvalidResourceHandle;
  }
  if (CUgraph_st* const graph = capture_of(stream)) {
    graph->launches.push_back(request);
    return cudaSuccess;
  }
  return run_now(request);
}

}  // namespace

namespace monofold::emulation {

cudaError_t submit(const launch_shape& shape, const argument* arguments, std::size_t count,
                   cudaStream_t stream) {
  constexpr std::size_t line_bytes = sizeof(kernel_arguments::line);
  auto copies = std::make_shared<kernel_arguments>();
  std::size_t lines = 0;
  for (std::size_t i = 0; i < count; ++i)
    lines += (arguments[i].bytes + line_bytes - 1) / line_bytes;
  copies->lines.resize(lines);
  auto* to = copies->lines.data();
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(to, arguments[i].at, arguments[i].bytes);
    copies->table.push_back(to);
    to += (arguments[i].bytes + line_bytes - 1) / line_bytes;
  }
  return submit_copied({shape, std::move(copies), detail::current_device()}, stream);
}

}  // namespace monofold::emulation

cudaError_t cudaStreamCreate(cudaStream_t* out) {
  return cudaStreamCreateWithFlags(out, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* out, unsigned) {
  *out = new CUstream_st{emulation::detail::current_device()};
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete capture_of(stream);
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (capture_of(stream) != nullptr) return cudaErrorStreamCaptureUnsupported;
  return cudaDeviceSynchronize();
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  if (capture_of(stream) != nullptr) return cudaErrorStreamCaptureUnsupported;
  return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (is_default(stream) || stream->captured != nullptr) {
    return cudaErrorStreamCaptureUnsupported;
  }
  stream->captured = new CUgraph_st;
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* out) {
  *out = capture_of(stream);
  if (*out == nullptr) return cudaErrorInvalidValue;
  stream->captured = nullptr;
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* out) {
  *out =
      capture_of(stream) == nullptr ? cudaStreamCaptureStatusNone : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* out, cudaGraph_t graph, unsigned long long) {
  *out = new CUgraphExec_st{graph->launches};
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  for (const auto& each : graph->launches) {
    if (const cudaError_t failed = submit_copied(each, stream); failed != cudaSuccess) {
      return failed;
    }
  }
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  delete graph;
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* out, unsigned) {
  *out = new CUevent_st;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaDeviceSynchronize(); }

cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaDeviceSynchronize(); }

cudaError_t cudaEventQuery(cudaEvent_t) { return cudaDeviceSynchronize(); }

cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
