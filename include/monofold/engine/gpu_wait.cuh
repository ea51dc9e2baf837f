#pragma once
/// engine/gpu_wait: runs a plan on a CUDA device and waits for the state.

#include <cuda_runtime_api.h>

#include <cstdint>

#include "monofold/engine/detail/awaited.cuh"
#include "monofold/engine/detail/launch.cuh"
#include "monofold/engine/gpu.cuh"
#include "monofold/platform/status.hpp"

namespace monofold::detail {

/// The place where this thread waits for what the engine's device makes of a view, with room for
/// `state_bytes`; or why there is none.
template <class View>
failure open_place(const gpu_engine& engine, const View& view, std::int64_t state_bytes,
                   std::int64_t workspace_bytes, awaited_state*& out) {
  int device = 0;
  if (auto failed = failure_of(cudaGetDevice(&device), "cudaGetDevice")) return failed;
  if (device >= awaited_state::max_devices) return {status::unsupported, "more than 64 devices"};
  if (auto failed = check_view(view, device)) return failed;
  cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
  if (auto failed =
          failure_of(cudaStreamIsCapturing(engine.stream, &capturing), "cudaStreamIsCapturing")) {
    return failed;
  }
  if (capturing != cudaStreamCaptureStatusNone) {
    return {status::invalid_argument,
            "the stream is being captured: reduce_into can be, reduce waits"};
  }
  out = &awaited_state::of_device(device);
  return out->reserve(state_bytes, workspace_bytes);
}

/// Folds and waits; the state is then in this thread's `awaited_state`, or `out` says why not.
template <class F, class View>
failure fold_and_wait(const gpu_engine& engine, const F& f, const View& view,
                      typename F::state& out) {
  using state = typename F::state;
  awaited_state* place = nullptr;
  if (auto failed = open_place(engine, view, sizeof(state), workspace_bytes_of<F>(view), place)) {
    return failed;
  }
  if (auto failed = fold_async(engine, f, view, place->workspace(), place->sink<state>())) {
    return failed;
  }
  if (auto failed = place->wait(engine.stream)) return failed;
  out = place->get<state>();
  return {};
}

}  // namespace monofold::detail
