#pragma once
/// engine/gpu/engine: the GPU engine as a value, the checks of its arguments, and what a family of kernels must offer.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>
#include <type_traits>

#include "monofold/engine/gpu/launch.cuh"
#include "monofold/engine/gpu/workspace.cuh"
#include "monofold/fold/all.hpp"
#include "monofold/plan/launch.hpp"
#include "monofold/plan/tiles.hpp"
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

/// Gets the current device, for questions of sizes. No stream is asked for anything: while another one is captured, the
/// default stream may answer with an error.
inline failure open_device(device_stream& out) {
  return failure_of(cudaGetDevice(&out.device), "cudaGetDevice");
}

/// Gets the engine's stream and the current device, to which the stream must belong.
inline failure open_stream(const gpu_engine& engine, device_stream& out) {
  out.stream = engine.stream;
  cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
  if (auto failed =
          failure_of(cudaStreamIsCapturing(out.stream, &capturing), "cudaStreamIsCapturing")) {
    return failed;
  }
  out.is_captured = capturing != cudaStreamCaptureStatusNone;
  return open_device(out);
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

/// Which kernels of the tree are compiled: several, of which the count of items selects one; or one for all counts,
/// which is a third of the code to compile and takes some microseconds more for small ranges; or those for few items.
enum class kernel_choice { by_count, one, few };

/// The path of a fold of a view: a class of a family, which `engine/gpu/dispatch.cuh` names. An object
/// lives for one call, refers to the fold and the view, and computes the plan once:
///
/// | member | meaning |
/// |---|---|
/// | `workspace_bytes()` | that `start` needs |
/// | `start(on, workspace, sink)` | starts the kernels on items that are there; does not wait |
/// | `awaited_bytes()`, `sink_in(place)`, `get(place, out)` | how a host waits for the state |
/// | `is_empty()` | no items to look at: `start` is not called |
template <class F, class View, kernel_choice kernels>
struct gpu_path_of;
template <class F, class View, kernel_choice kernels = kernel_choice::by_count>
using gpu_path =
    typename gpu_path_of<std::remove_const_t<F>, std::remove_const_t<View>, kernels>::type;

/// What paths with one state as their result have in common.
template <class F, class View>
class state_path {
 public:
  using fold = F;
  using state = typename F::state;
  static_assert(
      std::is_trivially_copyable_v<state>,
      "on a GPU the state of a fold must be trivially copyable: lanes exchange its bytes");
  static_assert(std::is_trivially_copyable_v<F> && std::is_trivially_copyable_v<View>,
                "on a GPU folds and views must be trivially copyable: kernels get their bytes");
  static_assert(sizeof(state) <= max_state_bytes && alignof(state) <= lane_bytes,
                "on a GPU a state has at most 8 KiB, aligned to at most 16 bytes");

  state_path(const F& f, const View& view) : fold_(f), view_(view) {}
  state_path(const state_path&) = delete;
  state_path& operator=(const state_path&) = delete;

  const F& f() const { return fold_; }
  const View& view() const { return view_; }
  std::int64_t count() const { return static_cast<std::int64_t>(view_.size()); }
  bool is_empty() const { return count() == 0; }

  std::int64_t awaited_bytes() const { return sizeof(state); }
  auto sink_in(awaited_state& place) const {
    if constexpr (mails_state) {
      return place.template mailed<state>();
    } else {
      return place.template sink<state>();
    }
  }
  void get(const awaited_state& place, state& out) const {
    if constexpr (mails_state) {
      out = place.template get_mailed<state>();
    } else {
      out = place.template get<state>();
    }
  }

 private:
  // Members of an `all` may be left by kernels of their own.
  static constexpr bool mails_state = goes_by_mail(sizeof(state)) && !is_all_fold<F>::value;

  const F& fold_;
  const View& view_;
};

/// Starts the kernels of a path, if the workspace of the caller is large enough.
template <class Path, class Sink>
failure start_path(const Path& path, const device_stream& on, const gpu_workspace& workspace,
                   const Sink& sink) {
  if (auto failed = check_size(workspace, path.workspace_bytes())) return failed;
  return path.start(on, workspace, sink);
}

}  // namespace detail

}  // namespace monofold
