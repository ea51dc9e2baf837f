#pragma once
/// engine/gpu/tree/few_fold: folds few items by a fold whose state is smaller, where there is one.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/tree/path.cuh"
#include "monofold/engine/gpu/tree/short_means.cuh"
#include "monofold/engine/gpu/tree/short_moments.cuh"
#include "monofold/fold/all.hpp"
#include "monofold/fold/moments.hpp"
#include "monofold/fold/nan.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/plan/launch.hpp"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::detail {

/// The fold that takes few items instead of F.
template <class F>
struct few_fold {
  using type = F;
};
template <class Item>
struct few_fold<integer_moments_fold<Item>> {
  using type = short_moments_fold<Item>;
};
template <class Item, bool root>
requires(!is_floating_v<Item>) struct few_fold<variance_fold<Item, root>> {
  using type = short_moments_fold<Item>;
};
template <class Item>
requires(!is_floating_v<Item>) struct few_fold<mean_fold<Item, nan_rule::propagate>> {
  using type = short_mean_fold<Item>;
};
template <class... Folds>
requires(std::is_default_constructible_v<Folds>&&... &&
         (std::is_empty_v<Folds> && ...)) struct few_fold<all_fold<Folds...>> {
  using type = all_fold<typename few_fold<Folds>::type...>;
};
template <class F>
using few_fold_t = typename few_fold<F>::type;

template <class F>
inline constexpr bool has_few_fold_v = !std::is_same_v<few_fold_t<F>, F>;

/// The state of F for that of its few_fold.
template <class F, class State>
MONOFOLD_GPU typename F::state whole_state(const State& few) {
  if constexpr (std::is_same_v<typename F::state, State>) {
    return few;
  } else {
    return few.whole();
  }
}
template <class First, class... Rest, class States>
MONOFOLD_GPU typename fold_list<First, Rest...>::states whole_states(
    std::type_identity<all_fold<First, Rest...>>, const States& few) {
  if constexpr (sizeof...(Rest) == 0) {
    return {whole_state<First>(few.first)};
  } else {
    return {whole_state<First>(few.first),
            whole_states(std::type_identity<all_fold<Rest...>>{}, few.rest)};
  }
}

/// Turns a state of the few_fold into one of the fold, and gives it to the sink.
template <class F, class Sink>
struct few_sink {
  Sink sink;
  F f;

  template <class Few>
  MONOFOLD_GPU void operator()(const Few&, const typename Few::state& total) const {
    if constexpr (is_all_fold<F>::value) {
      sink(f, whole_states(std::type_identity<F>{}, total));
    } else {
      sink(f, whole_state<F>(total));
    }
  }
};

/// Path of a fold by the plan's tree that folds so few items as its few_fold takes by that one.
template <class F, class View>
class few_path : public state_path<F, View> {
 public:
  few_path(const F& f, const View& view)
      : state_path<F, View>(f, view), few_(few_fold_, view), many_(f, view) {}

  std::int64_t workspace_bytes() const {
    return few_.is_few() ? few_.workspace_bytes() : many_.workspace_bytes();
  }

  template <class Sink>
  failure start(const device_stream& on, const gpu_workspace& workspace, const Sink& sink) const {
    if (few_.is_few()) return few_.start(on, workspace, few_sink<F, Sink>{sink, this->f()});
    return many_.start(on, workspace, sink);
  }

 private:
  static_assert(max_thin_tiles * (tile_rows * tile_lanes * 16) < short_moments_bytes);

  few_fold_t<F> few_fold_{};
  tree_path<few_fold_t<F>, View, kernel_choice::few> few_;
  tree_path<F, View, kernel_choice::one> many_;
};

/// Path of a fold by the plan's tree.
template <class F, class View, kernel_choice kernels>
using tree_path_of = std::conditional_t<has_few_fold_v<F> && kernels == kernel_choice::by_count,
                                        few_path<F, View>, tree_path<F, View, kernels>>;

}  // namespace monofold::detail
