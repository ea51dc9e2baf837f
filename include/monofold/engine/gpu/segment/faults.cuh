#pragma once
/// engine/gpu/segment/faults: which segments a call that did not wait found wrong.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>

#include "monofold/engine/gpu/dispatch.cuh"
#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/launch.cuh"
#include "monofold/engine/gpu/workspace.cuh"

namespace monofold {

/// What a call of segments that did not wait found wrong.
struct segment_faults {
  std::optional<std::int64_t> first_bad;  // ends before it begins, or lies outside the range
  std::optional<std::int64_t>
      first_empty;  // has no answer: is empty, or has fewer items than `top` asks for

  explicit operator bool() const { return first_bad || first_empty; }
};

/// Reads what the last call of segments found wrong that had this workspace. It tells nothing of calls of fixed_segments
/// and of axes: the host knows what is wrong with those, and throws.
///
/// shape      workspace: that of the call
/// sync       waits for the engine's stream, which is that of the call; not while it is captured
/// errors     throws `error`: as `reduce` of a GPU. A kernel that failed shows here, too
/// tested by  tests/gpu/segment_faults_test.cu
inline segment_faults read_segment_faults(const gpu_engine& engine,
                                          const gpu_workspace& workspace) {
  if (workspace.bytes() == 0) return {};
  detail::device_stream on{};
  detail::throw_if(detail::open_stream(engine, on));
  detail::throw_if(detail::check_workspace(workspace, on.device));
  detail::throw_if(detail::check_waitable(on));
  std::uint64_t words[2] = {};
  detail::throw_if(
      detail::failure_of(cudaMemcpyAsync(words, workspace.segment_report(), sizeof(words),
                                         cudaMemcpyDeviceToHost, on.stream),
                         "cudaMemcpyAsync"));
  detail::throw_if(detail::failure_of(cudaStreamSynchronize(on.stream), "cudaStreamSynchronize"));
  const auto named = [](std::uint64_t word) {
    return word == 0 ? std::nullopt : std::optional(static_cast<std::int64_t>(~word));
  };
  return {named(words[0]), named(words[1])};
}

}  // namespace monofold
