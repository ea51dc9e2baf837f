#pragma once
/// engine/gpu/path: how a fold of a view gets to the kernels of a family.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/awaited.cuh"
#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/launch.cuh"
#include "monofold/engine/gpu/workspace.cuh"
#include "monofold/plan/launch.hpp"
#include "monofold/plan/tiles.hpp"

namespace monofold::detail {

/// Which kernels of the tree may be compiled: those that suit the count of items, or one for any count,
/// a third of the code to compile and some microseconds more for small ranges.
enum class kernel_choice { by_count, one };

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

/// What paths share whose result is one state.
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
  auto sink_in(awaited_state& place) const { return place.template sink<state>(); }
  void get(const awaited_state& place, state& out) const { out = place.template get<state>(); }

 private:
  const F& fold_;
  const View& view_;
};

/// Starts what a path stands for, in a workspace that a caller gave.
template <class Path, class Sink>
failure start_path(const Path& path, const device_stream& on, const gpu_workspace& workspace,
                   const Sink& sink) {
  if (auto failed = check_size(workspace, path.workspace_bytes())) return failed;
  return path.start(on, workspace, sink);
}

}  // namespace monofold::detail
