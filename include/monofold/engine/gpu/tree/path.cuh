#pragma once
/// engine/gpu/tree/path: starts the kernel of the plan's tree that suits the count of items.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/tree/fold_few_tiles_kernel.cuh"
#include "monofold/engine/gpu/tree/fold_large_kernel.cuh"
#include "monofold/engine/gpu/tree/fold_tiles_kernel.cuh"
#include "monofold/fold/fold.hpp"
#include "monofold/level/grid.cuh"
#include "monofold/plan/launch.hpp"
#include "monofold/plan/tiles.hpp"

namespace monofold::detail {

/// Path of a fold by the plan's tree.
///
/// cost       one launch, one pass
template <class F, class View, kernel_choice kernels>
class tree_path : public state_path<F, View> {
 public:
  using state = typename F::state;

  tree_path(const F& f, const View& view) : state_path<F, View>(f, view) {
    // A negative count is refused later, by who starts the launch.
    const std::int64_t count = this->count() < 0 ? 0 : this->count();
    plan_ = launch_for(tile_count<typename View::item_type>(count), launch_facts_v<F, View>);
    if (is_large) plan_.is_mailed = false;
    if (has_few_kernel) plan_ = widened(plan_, launch_facts_v<F, View>);
  }

  std::int64_t workspace_bytes() const {
    if (plan_.blocks <= 1) return 0;
    if (plan_.is_mailed) return gpu_workspace::fixed_bytes;
    return gpu_workspace::fixed_bytes +
           grid_states(plan_.blocks) * static_cast<std::int64_t>(sizeof(state));
  }

  /// Whether there are so few items that the kernel for few tiles folds them.
  bool is_few() const {
    if (plan_.blocks == 1) return plan_.tiles <= plan_.threads / warp_lanes;
    return is_mailable_v<state> && plan_.is_few && plan_.is_mailed;
  }

  template <class Sink>
  failure start(const device_stream& on, const gpu_workspace& workspace, const Sink& sink) const {
    const F& f = this->f();
    const View& view = this->view();
    if constexpr (has_few_kernel) {
      const auto start_few = [&](const auto& mail_storage) {
        using storage_type = std::remove_cvref_t<decltype(mail_storage)>;
        return launch_early(fold_few_tiles_kernel<F, View, storage_type, Sink>, plan_.blocks,
                            plan_.threads, few_tiles_shared_bytes<F, View>(plan_), on,
                            few_launch_of<F, View>(plan_), sized(view), mail_storage, sink, f);
      };
      if (is_few() && plan_.blocks == 1) return start_few(no_mailbox_storage{});
      if constexpr (is_mailable_v<state>) {
        if (is_few()) return start_few(workspace.mail());
      }
    }
    if constexpr (kernels == kernel_choice::few) {
      return {status::invalid_argument, "the kernel for few tiles takes no more of them"};
    } else {
      return start_many(on, workspace, sink);
    }
  }

 private:
  static constexpr bool is_large = is_large_fold_v<F, View>;
  static constexpr bool has_few_kernel = kernels != kernel_choice::one && !is_large;

  template <class Sink>
  failure start_many(const device_stream& on, const gpu_workspace& workspace,
                     const Sink& sink) const {
    const grid_storage<state> storage{static_cast<state*>(workspace.states()), workspace.ticket()};
    const auto start_kernel = [&](auto* kernel, const auto&... mail_storage) {
      return launch_early(kernel, plan_.blocks, plan_.threads, shared_bytes_of<F, View>(plan_), on,
                          this->f(), this->view(), this->count(), plan_,
                          handed_layout_of<F, View>(), storage, mail_storage..., sink);
    };
    if constexpr (is_large) {
      return start_kernel(fold_large_kernel<F, View, Sink>);
    } else {
      return start_kernel(fold_tiles_kernel<F, View, Sink>, workspace.mail());
    }
  }

  tile_launch plan_;
};

/// Whether a fold names a short fold: one with a smaller state that folds fewer items to the same result.
template <class F>
inline constexpr bool has_short_fold_v = false;
template <class F>
requires(F::short_items > 0) inline constexpr bool has_short_fold_v<F> = true;

/// Turns a state of the short fold into one of the fold, and gives it to the sink.
template <class F, class Sink>
struct widening_sink {
  static_assert(std::is_empty_v<F>);
  Sink sink;

  template <class Short>
  MONOFOLD_GPU void operator()(const Short&, const typename Short::state& total) const {
    sink(F{}, static_cast<typename F::state>(total));
  }
};

/// Path of a fold by the plan's tree that folds fewer than `short_items` items by its short fold.
template <class F, class View>
class short_path : public state_path<F, View> {
 public:
  short_path(const F& f, const View& view)
      : state_path<F, View>(f, view), few_(few_fold_, view), many_(f, view) {}

  std::int64_t workspace_bytes() const {
    return is_short() ? few_.workspace_bytes() : many_.workspace_bytes();
  }

  template <class Sink>
  failure start(const device_stream& on, const gpu_workspace& workspace, const Sink& sink) const {
    if (is_short()) return few_.start(on, workspace, widening_sink<F, Sink>{sink});
    return many_.start(on, workspace, sink);
  }

 private:
  using few_fold = typename F::short_fold;

  bool is_short() const { return this->count() < F::short_items; }

  few_fold few_fold_;
  tree_path<few_fold, View, kernel_choice::by_count> few_;
  // Few tiles are the short fold's.
  tree_path<F, View, kernel_choice::one> many_;
};

}  // namespace monofold::detail
