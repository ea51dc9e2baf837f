#pragma once
/// engine/gpu/wait: folds a view on a CUDA device and waits for the state.

#include <cuda_runtime_api.h>

#include "monofold/engine/gpu/awaited.cuh"
#include "monofold/engine/gpu/dispatch.cuh"
#include "monofold/engine/gpu/engine.cuh"
#include "monofold/platform/status.hpp"

namespace monofold::detail {

/// Whether a host may wait for a stream.
inline failure check_waitable(const device_stream& on) {
  if (on.device >= awaited_state::max_devices) {
    return {status::unsupported, "more than 64 devices"};
  }
  cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
  if (auto failed =
          failure_of(cudaStreamIsCapturing(on.stream, &capturing), "cudaStreamIsCapturing")) {
    return failed;
  }
  if (capturing != cudaStreamCaptureStatusNone) {
    return {status::invalid_argument,
            "the stream is being captured: reduce_into can be, reduce waits"};
  }
  return {};
}

/// Folds and waits, in the place that this thread has for it; `out` is then the state, or as it was where
/// there are no items to look at.
template <kernel_choice kernels = kernel_choice::by_count, class F, class View>
failure fold_and_wait(const gpu_engine& engine, const F& f, const View& view,
                      typename F::state& out) {
  device_stream on{};
  if (auto failed = open_stream(engine, on)) return failed;
  if (auto failed = check_view(view, on.device)) return failed;
  if (auto failed = check_waitable(on)) return failed;
  const gpu_path<F, View, kernels> path(f, view);
  if (path.is_empty()) return {};
  awaited_state& place = awaited_state::of_device(on.device);
  if (auto failed = place.reserve(path.awaited_bytes(), path.workspace_bytes())) return failed;
  auto failed = start_path(path, on, place.workspace(), path.sink_in(place));
  if (!failed) failed = place.wait(on.stream);
  if (failed) {
    place.discard_workspace();
    return failed;
  }
  path.get(place, out);
  return {};
}

}  // namespace monofold::detail
