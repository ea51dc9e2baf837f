#pragma once
/// engine/gpu/dispatch: decides which kernels fold a view, in this one place, and starts them or waits for them.

#include <cuda_runtime_api.h>

#include <type_traits>

#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/exact/adapted_paths.cuh"
#include "monofold/engine/gpu/exact/members_path.cuh"
#include "monofold/engine/gpu/exact/path.cuh"
#include "monofold/engine/gpu/launch.cuh"
#include "monofold/engine/gpu/top/path.cuh"
#include "monofold/engine/gpu/tree/distinct_path.cuh"
#include "monofold/engine/gpu/tree/path.cuh"
#include "monofold/engine/gpu/workspace.cuh"
#include "monofold/fold/fold.hpp"
#include "monofold/level/thread.cuh"
#include "monofold/platform/status.hpp"

namespace monofold::detail {

/// Names the path of a fold of a view, see engine/gpu/engine.cuh.
template <class F, class View, kernel_choice kernels>
struct gpu_path_of {
  static constexpr auto choose() {
    if constexpr (is_top_fold_v<F>) {
      return std::type_identity<top_path<F, View>>{};
    } else if constexpr (adds_exactly_v<F, View>) {
      return std::type_identity<exact_path<F, View, kernels>>{};
    } else if constexpr (mapped_sum<F, View>::is_one) {
      return std::type_identity<mapped_path<F, View>>{};
    } else if constexpr (filtered_sum<F, View>::is_one) {
      return std::type_identity<filtered_path<F, View>>{};
    } else if constexpr (folds_members_v<F, View>) {
      return std::type_identity<members_path<F, View, kernels>>{};
    } else if constexpr (distinct_members<F>::are_fewer) {
      return std::type_identity<distinct_path<F, View, kernels>>{};
    } else if constexpr (has_short_fold_v<F> && kernels == kernel_choice::by_count) {
      return std::type_identity<short_path<F, View>>{};
    } else {
      return std::type_identity<tree_path_of<F, View, kernels>>{};
    }
  }
  using type = typename decltype(choose())::type;
};

/// Gives the sink the identity, for no items.
template <class F, class Sink>
__global__ void fold_nothing_kernel(const F f, const Sink sink) {
  wait_for_launches_before();
  sink(f, f.identity());
}

/// The fold that kernels use where only the answer is asked for: of a smallest or largest item, the key is enough.
///
/// shape      at least one item
template <class F>
const F& fold_for_answer(const F& f) {
  return f;
}
template <class Item, bool smallest>
extreme_key_fold<Item, smallest> fold_for_answer(
    const extremum_answer_fold<Item, smallest, extremum_part::value>&) {
  return {};
}
template <class Sink, class F>
decltype(auto) fold_for(const F& f) {
  if constexpr (is_answer_sink_v<Sink>) {
    return fold_for_answer(f);
  } else {
    return (f);
  }
}

/// Checks what the caller gave, and starts the fold of a view. `sink` takes the state on the device and stores it in
/// `out`.
///
/// shape      no items: the identity
/// sync       does not wait. The workspace is in use until the stream gets there
/// errors     invalid_argument: the view's count or pointer, a workspace that is too small or of
///            another device; empty_input: no items and no identity. Nothing was started then
/// cost       the path's; no allocation
template <class F, class View, class Sink, class Out>
failure fold_into_async(const gpu_engine& engine, const F& f, const View& view,
                        const gpu_workspace& workspace, const Sink& sink, const Out* out) {
  device_stream on{};
  if (auto failed = open_stream(engine, on)) return failed;
  if (auto failed = check_view(view, on.device)) return failed;
  if (auto failed = check_pointer(out, "the result", alignof(Out), on.device)) return failed;
  if (auto failed = check_workspace(workspace, on.device)) return failed;
  const auto& folded = fold_for<Sink>(f);
  const gpu_path<std::remove_cvref_t<decltype(folded)>, View> path(folded, view);
  if (!path.is_empty()) return start_path(path, on, workspace, sink);
  if constexpr (has_identity_v<F>) {
    return launch_early(fold_nothing_kernel<F, Sink>, 1, 1, 0, on, f, sink);
  } else {
    return {status::empty_input, "the range is empty and the fold has no identity"};
  }
}

/// Whether a host may wait for a stream.
inline failure check_waitable(const device_stream& on) {
  if (on.device >= awaited_state::max_devices) {
    return {status::unsupported, "more than 64 devices"};
  }
  if (on.is_captured) {
    return {status::invalid_argument,
            "the stream is being captured: reduce_into can be, reduce waits"};
  }
  return {};
}

/// Folds items that were checked, and waits for the state in `place`, which nobody else may use meanwhile. `out` gets
/// the state, or stays as it was where there are no items to look at.
template <kernel_choice kernels = kernel_choice::by_count, class F, class View>
failure fold_in_place(const device_stream& on, awaited_state& place, const F& f, const View& view,
                      typename F::state& out) {
  const gpu_path<F, View, kernels> path(f, view);
  if (path.is_empty()) return {};
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

/// Checks what the caller gave, folds, and waits in the place that this thread has for that.
template <kernel_choice kernels = kernel_choice::by_count, class F, class View>
failure fold_and_wait(const gpu_engine& engine, const F& f, const View& view,
                      typename F::state& out) {
  device_stream on{};
  if (auto failed = open_stream(engine, on)) return failed;
  if (auto failed = check_view(view, on.device)) return failed;
  if (auto failed = check_waitable(on)) return failed;
  return fold_in_place<kernels>(on, awaited_state::of_device(on.device), f, view, out);
}

}  // namespace monofold::detail
