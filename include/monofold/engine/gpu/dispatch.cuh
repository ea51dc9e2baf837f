#pragma once
/// engine/gpu/dispatch: which kernels fold a view, and with how much workspace.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>
#include <type_traits>

#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/exact/adapted.cuh"
#include "monofold/engine/gpu/exact/start.cuh"
#include "monofold/engine/gpu/exact/start_members.cuh"
#include "monofold/engine/gpu/launch.cuh"
#include "monofold/engine/gpu/sinks.cuh"
#include "monofold/engine/gpu/top/start.cuh"
#include "monofold/engine/gpu/tree/fold_few_tiles_kernel.cuh"
#include "monofold/engine/gpu/tree/fold_tiles_kernel.cuh"
#include "monofold/engine/gpu/workspace.cuh"
#include "monofold/fold/fold.hpp"
#include "monofold/level/grid.cuh"
#include "monofold/plan/launch.hpp"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/shape/view.hpp"

namespace monofold {

namespace detail {

/// True where a fold says by which other one fewer items may be folded.
template <class F>
inline constexpr bool has_short_fold_v = false;
template <class F>
requires(F::short_items > 0) inline constexpr bool has_short_fold_v<F> = true;

/// Hands a state of the short fold on as one of the fold.
template <class F, class Sink>
struct widening_sink {
  static_assert(std::is_empty_v<F>);
  Sink sink;

  template <class Short>
  MONOFOLD_GPU void operator()(const Short&, const typename Short::state& total) const {
    sink(F{}, static_cast<typename F::state>(total));
  }
};

template <class F, class View>
tile_launch plan_for(std::int64_t count) {
  // A negative count is refused later, by who starts the launch.
  return launch_for(tile_count<typename View::item_type>(count < 0 ? 0 : count),
                    launch_facts_v<F, View>);
}
template <class F, class View>
tile_launch plan_of(const View& view) {
  return plan_for<F, View>(static_cast<std::int64_t>(view.size()));
}

/// The bytes of workspace that a launch needs.
template <class F>
std::int64_t launch_workspace_bytes(const tile_launch& plan) {
  if (plan.blocks <= 1) return 0;
  if (plan.is_mailed) return gpu_workspace::fixed_bytes;
  return gpu_workspace::fixed_bytes +
         grid_states(plan.blocks) * static_cast<std::int64_t>(sizeof(typename F::state));
}

/// Where an exact sum of some of so many items keeps how many they are: behind what counting them takes.
template <class F, class View>
std::int64_t counted_at(std::int64_t count) {
  using counter = typename filtered_sum<F, View>::counter;
  const std::int64_t own = launch_workspace_bytes<counter>(plan_for<counter, View>(count));
  const std::int64_t least = gpu_workspace::fixed_bytes;
  return ((own < least ? least : own) + 15) / 16 * 16;
}

/// The workspace of an exact sum of so many items, perhaps adapted.
template <class F, class View>
std::int64_t sum_workspace_bytes(std::int64_t count) {
  if constexpr (filtered_sum<F, View>::is_one) {
    using counted = typename filtered_sum<F, View>::counter::state;
    return counted_at<F, View>(count) + static_cast<std::int64_t>(sizeof(counted));
  } else if constexpr (mapped_sum<F, View>::is_one) {
    using mapped = mapped_sum<F, View>;
    return sum_workspace_bytes<typename mapped::sum, typename mapped::view>(count);
  } else {
    return gpu_workspace::fixed_bytes;
  }
}

template <class F, class View>
std::int64_t workspace_bytes_of(const View& view);

/// What the largest member of an `all` takes: they run one after the other.
template <class... Folds, class View>
std::int64_t workspace_bytes_of_members(std::type_identity<all_fold<Folds...>>, const View& view) {
  std::int64_t most = 0;
  for (const std::int64_t own : {workspace_bytes_of<Folds>(view)...})
    most = own > most ? own : most;
  using members = members_of<all_fold<Folds...>, View>;
  if constexpr (members::is_shared) {
    const std::int64_t shared = gpu_workspace::fixed_bytes + members::beside::workspace_bytes;
    most = shared > most ? shared : most;
  }
  return most;
}

/// The same for a view, whichever fold it is folded by.
template <class F, class View>
std::int64_t workspace_bytes_of(const View& view) {
  if constexpr (sums_exactly_v<F, View>) {
    return sum_workspace_bytes<F, View>(static_cast<std::int64_t>(view.size()));
  } else if constexpr (folds_members_v<F, View>) {
    return workspace_bytes_of_members(std::type_identity<F>{}, view);
  } else if constexpr (has_short_fold_v<F>) {
    using short_fold = typename F::short_fold;
    const std::int64_t own = launch_workspace_bytes<F>(plan_of<F>(view));
    const std::int64_t other = launch_workspace_bytes<short_fold>(plan_of<short_fold>(view));
    return own < other ? other : own;
  } else {
    return launch_workspace_bytes<F>(plan_of<F>(view));
  }
}

/// Launches the kernel for any number of tiles, whose blocks meet by a ticket.
template <class F, class View, class Sink>
failure start_tiles(const gpu_engine& engine, const F& f, const View& view, const tile_launch& plan,
                    const gpu_workspace& workspace, const Sink& sink) {
  using state = typename F::state;
  const grid_storage<state> storage{static_cast<state*>(workspace.states()), workspace.ticket()};
  return launch_early(fold_tiles_kernel<F, View, Sink>, plan.blocks, plan.threads,
                      shared_bytes_of<F, View>(plan), engine.stream, f, view,
                      static_cast<std::int64_t>(view.size()), plan, handed_layout_of<F, View>(),
                      storage, sink);
}

/// The workspace for `fold_by_ticket` of so many items.
template <class F, class View>
std::int64_t ticket_workspace_bytes(std::int64_t count) {
  if constexpr (adds_exactly_v<F, View>) return gpu_workspace::fixed_bytes;
  const tile_launch plan = plan_for<F, View>(count);
  return gpu_workspace::fixed_bytes +
         grid_states(plan.blocks) * static_cast<std::int64_t>(sizeof(typename F::state));
}

/// As fold_async, by one kernel whatever the size: a third of the code to compile, and some
/// microseconds more for small ranges. For items that are there, in a workspace that is large enough.
template <class F, class View, class Sink>
failure fold_by_ticket(const gpu_engine& engine, const F& f, const View& view,
                       const gpu_workspace& workspace, const Sink& sink) {
  if constexpr (adds_exactly_v<F, View>) {
    return add_exactly(engine.stream, f, view, workspace, sink);
  } else {
    tile_launch plan = plan_of<F>(view);
    plan.is_mailed = false;
    return start_tiles(engine, f, view, plan, workspace, sink);
  }
}

/// Starts the fold of items that are there by the plan's tree.
template <class F, class View, class Sink>
failure fold_by_plan(const gpu_engine& engine, const F& f, const View& view,
                     const gpu_workspace& workspace, const Sink& sink) {
  using state = typename F::state;
  const tile_launch plan = plan_of<F>(view);
  if (auto failed = check_size(workspace, launch_workspace_bytes<F>(plan))) return failed;
  // Few tiles are a short fold's, where there is one.
  if constexpr (!has_short_fold_v<F>) {
    if (plan.blocks == 1 && plan.tiles <= plan.threads / warp_lanes) {
      return launch_early(fold_few_tiles_kernel<F, View, Sink>, 1, plan.threads,
                          few_tiles_shared_bytes<F, View>(plan), engine.stream,
                          few_launch_of<F, View>(plan), sized(view), sink, f);
    }
    if constexpr (sizeof(state) <= max_mailed_bytes) {
      if (plan.is_mailed) {
        return launch_early(fold_mailed_kernel<F, View, Sink>, plan.blocks, mailed_threads,
                            few_tiles_shared_bytes<F, View>(plan), engine.stream,
                            few_launch_of<F, View>(plan), sized(view), workspace.mail(), sink, f);
      }
    }
  }
  return start_tiles(engine, f, view, plan, workspace, sink);
}

/// Starts the exact sum of those items that a predicate lets through.
///
/// cost       two launches and passes: one counts the items
template <class F, class View, class Sink>
failure fold_filtered(const gpu_engine& engine, const F& f, const View& view,
                      const gpu_workspace& workspace, const Sink& sink) {
  using filtered = filtered_sum<F, View>;
  using counter = typename filtered::counter;
  using counted = typename counter::state;
  using term = view_term_t<typename filtered::sum, typename filtered::view>;
  const auto count = static_cast<std::int64_t>(view.size());
  const typename filtered::view kept = filtered::view_of(f, view);
  std::int64_t blocks = 0;
  if (auto failed = check_size(workspace, sum_workspace_bytes<F, View>(count))) return failed;
  if (auto failed = exact_blocks_of<term>(kept, blocks)) return failed;
  auto* const slot =
      reinterpret_cast<counted*>(static_cast<char*>(workspace.states()) +
                                 counted_at<F, View>(count) - gpu_workspace::fixed_bytes);
  if (auto failed = fold_by_plan(engine, counter{{}, f.predicate}, view, workspace,
                                 state_sink<counted>{slot})) {
    return failed;
  }
  return add_exactly_on(blocks, engine.stream, filtered::sum_of(f), kept, workspace,
                        filtered_sink<F, term, counted, Sink>{f, slot, sink});
}

/// Starts the fold of a view; `sink` takes the state on the device.
///
/// shape      no items: the identity
/// sync       does not wait. The workspace is in use until the stream gets there
/// errors     invalid_argument: the view's count or pointer, a workspace that is too small or of
///            another device; empty_input: no items and no identity. Nothing was started then
/// cost       one launch, of an `all` with exact sums and behind `where` as `reduce` says; no allocation
template <class F, class View, class Sink>
failure fold_async(const gpu_engine& engine, const F& f, const View& view,
                   const gpu_workspace& workspace, const Sink& sink) {
  using state = typename F::state;
  static_assert(
      std::is_trivially_copyable_v<state>,
      "on a GPU the state of a fold must be trivially copyable: lanes exchange its bytes");
  static_assert(std::is_trivially_copyable_v<F> && std::is_trivially_copyable_v<View>,
                "on a GPU folds and views must be trivially copyable: kernels get their bytes");
  static_assert(sizeof(state) <= max_state_bytes && alignof(state) <= lane_bytes,
                "on a GPU a state has at most 8 KiB, aligned to at most 16 bytes");
  if constexpr (has_short_fold_v<F>) {
    if (view.size() > 0 && view.size() < F::short_items) {
      return fold_async(engine, typename F::short_fold{}, view, workspace,
                        widening_sink<F, Sink>{sink});
    }
  }
  if (view.size() == 0) {
    if constexpr (has_identity_v<F>) {
      return launch_early(fold_nothing_kernel<F, Sink>, 1, 1, 0, engine.stream, f, sink);
    } else {
      return {status::empty_input, "the range is empty and the fold has no identity"};
    }
  }
  if constexpr (adds_exactly_v<F, View>) {
    if (auto failed = check_size(workspace, workspace_bytes_of<F>(view))) return failed;
    return add_exactly(engine.stream, f, view, workspace, sink);
  } else if constexpr (mapped_sum<F, View>::is_one) {
    return fold_async(engine, f.inner, mapped_sum<F, View>::view_of(f, view), workspace, sink);
  } else if constexpr (filtered_sum<F, View>::is_one) {
    return fold_filtered(engine, f, view, workspace, sink);
  } else if constexpr (folds_members_v<F, View>) {
    const auto start = [&](const auto& member, const auto& part) {
      return fold_async(engine, member, view, workspace, part);
    };
    if constexpr (members_of<F, View>::is_shared) {
      if (auto failed = check_size(workspace, workspace_bytes_of<F>(view))) return failed;
      if (auto failed = for_each_other_member<typename View::item_type>(f.members, sink, start)) {
        return failed;
      }
      return start_shared_members<F>(engine.stream, view, workspace, sink);
    } else {
      return for_each_member(f.members, sink, start);
    }
  } else {
    return fold_by_plan(engine, f, view, workspace, sink);
  }
}

/// The same after all checks of what the caller gave; `out` is where the result goes.
template <class F, class View, class Sink, class Out>
failure fold_into_async(const gpu_engine& engine, const F& f, const View& view,
                        const gpu_workspace& workspace, const Sink& sink, const Out* out) {
  int device = 0;
  if (auto failed = failure_of(cudaGetDevice(&device), "cudaGetDevice")) return failed;
  if (auto failed = check_view(view, device)) return failed;
  if (auto failed = check_pointer(out, "the result", alignof(Out), device)) return failed;
  if (auto failed = check_workspace(workspace, device)) return failed;
  return fold_async(engine, f, view, workspace, sink);
}

}  // namespace detail

}  // namespace monofold
