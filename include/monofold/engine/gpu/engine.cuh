#pragma once
/// engine/gpu/engine: the GPU engine as a value, and what it asks of what a caller gives it.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>

#include "monofold/engine/gpu/launch.cuh"
#include "monofold/engine/gpu/workspace.cuh"
#include "monofold/platform/status.hpp"
#include "monofold/shape/view.hpp"

namespace monofold {

/// The GPU engine, as a value: `gpu` is the current device and its default stream, `gpu(stream)` a
/// stream of the current device.
struct gpu_engine {
  cudaStream_t stream = nullptr;

  constexpr gpu_engine operator()(cudaStream_t other) const { return {other}; }
};

inline constexpr gpu_engine gpu{};

namespace detail {

inline void throw_if(const failure& failed) {
  if (failed) throw error(failed.code, failed.detail);
}

/// The engine's stream, and the current device, to which it must belong.
inline failure open_stream(const gpu_engine& engine, device_stream& out) {
  out.stream = engine.stream;
  return failure_of(cudaGetDevice(&out.device), "cudaGetDevice");
}

/// Whether the current device may use `pointer`, which must hold values aligned to `alignment`.
inline failure check_pointer(const void* pointer, const char* name, std::size_t alignment,
                             int device) {
  const auto refuse = [&](const std::string& why) -> failure {
    return {status::invalid_argument, std::string(name) + " " + why};
  };
  if (pointer == nullptr) return refuse("is a null pointer");
  if (reinterpret_cast<std::uintptr_t>(pointer) % alignment != 0) {
    return refuse("is not aligned to " + std::to_string(alignment) + " bytes");
  }
  cudaPointerAttributes facts{};
  if (auto failed =
          failure_of(cudaPointerGetAttributes(&facts, pointer), "cudaPointerGetAttributes")) {
    return failed;
  }
  if (facts.type == cudaMemoryTypeDevice && facts.device != device) {
    return refuse("is memory of device " + std::to_string(facts.device) +
                  "; the current device is " + std::to_string(device));
  }
  if (facts.type == cudaMemoryTypeUnregistered) {
    int reads_host_memory = 0;
    if (auto failed = failure_of(
            cudaDeviceGetAttribute(&reads_host_memory, cudaDevAttrPageableMemoryAccess, device),
            "cudaDeviceGetAttribute")) {
      return failed;
    }
    if (reads_host_memory == 0) return refuse("is host memory that the device cannot reach");
  }
  return {};
}

/// Whether a view can be reduced by the current device.
template <class View>
failure check_view(const View& view, int device) {
  if (view.size() < 0) return {status::invalid_argument, "the range has a negative count"};
  if constexpr (contiguous_item_view<View>) {
    using item = typename View::item_type;
    if (view.size() > 0) return check_pointer(view.data(), "the range", alignof(item), device);
  } else if constexpr (contiguous_pair_view<View>) {
    using item = typename View::item_type;
    if (view.size() > 0) {
      if (auto failed = check_pointer(view.left_data(), "the left range",
                                      alignof(decltype(item::left)), device)) {
        return failed;
      }
      return check_pointer(view.right_data(), "the right range", alignof(decltype(item::right)),
                           device);
    }
  }
  return {};
}

/// Whether the current device may use a workspace.
inline failure check_workspace(const gpu_workspace& workspace, int device) {
  if (workspace.bytes() > 0 && workspace.device() != device) {
    return {status::invalid_argument, "the workspace is memory of device " +
                                          std::to_string(workspace.device()) +
                                          "; the current device is " + std::to_string(device)};
  }
  return {};
}

/// Whether a workspace is large enough.
inline failure check_size(const gpu_workspace& workspace, std::int64_t needed) {
  if (needed > workspace.bytes()) {
    return {status::invalid_argument, "the workspace has " + std::to_string(workspace.bytes()) +
                                          " bytes and needs " + std::to_string(needed)};
  }
  return {};
}

}  // namespace detail

}  // namespace monofold
