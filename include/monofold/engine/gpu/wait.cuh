#pragma once
/// engine/gpu/wait: runs a plan on a CUDA device and waits for the state.

#include <cuda_runtime_api.h>

#include <cstdint>

#include "monofold/engine/gpu/awaited.cuh"
#include "monofold/engine/gpu/dispatch.cuh"
#include "monofold/engine/gpu/launch.cuh"
#include "monofold/platform/status.hpp"

namespace monofold::detail {

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
