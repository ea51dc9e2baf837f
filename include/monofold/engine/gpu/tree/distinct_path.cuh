#pragma once
/// engine/gpu/tree/distinct_path: does not fold members of an `all` whose states follow from the states of other
/// members.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/tree/few_fold.cuh"
#include "monofold/fold/all.hpp"
#include "monofold/fold/extrema.hpp"
#include "monofold/fold/moments.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::detail {

/// The root of a fold: the fold with the same states, from which folds differ only in the answer that they make of a
/// state.
template <class F>
struct root_fold {
  using type = F;
};
template <class Item, bool smallest, extremum_part part>
struct root_fold<extremum_answer_fold<Item, smallest, part>> {
  using type = extremum_fold<Item, smallest>;
};
template <class Item, bool root>
struct root_fold<variance_fold<Item, root>> {
  using type = moments_fold_t<Item, nan_rule::propagate>;
};
template <class F>
using root_fold_t = typename root_fold<F>::type;

/// Whether any two objects of this type are the same fold, or have the same root.
template <class F>
inline constexpr bool is_one_of_a_kind_v = (std::is_empty_v<F> &&
                                            std::is_default_constructible_v<F>) ||
                                           !std::is_same_v<root_fold_t<F>, F>;

/// Whether the state of another fold of the same items follows from the state of `Root`.
template <class Root, class F>
inline constexpr bool tells_v = std::is_same_v<Root, F>;
template <class Item>
inline constexpr bool tells_v<mean_fold<Item>, count_fold> = true;
template <class Item>
inline constexpr bool tells_v<mean_fold<Item>, integer_sum_fold<Item>> = !is_floating_v<Item>;
template <class Item>
inline constexpr bool tells_v<mean_fold<Item>, float_sum_fold<Item, double>> = is_floating_v<Item>;
template <class Item>
inline constexpr bool tells_v<moments_fold<Item>, count_fold> = true;
template <class Item>
inline constexpr bool tells_v<integer_moments_fold<Item>, count_fold> = true;
template <class Item>
inline constexpr bool tells_v<integer_moments_fold<Item>, integer_sum_fold<Item>> = true;
template <class Item>
inline constexpr bool tells_v<integer_moments_fold<Item>, mean_fold<Item>> = true;

/// The state of `F` that follows from that of a root.
template <class F, class State>
MONOFOLD_GPU typename F::state told_state(const State& root) {
  if constexpr (std::is_same_v<typename F::state, State>) {
    return root;
  } else if constexpr (std::is_same_v<F, count_fold>) {
    return root.count;
  } else if constexpr (requires { root.total; }) {
    return root.total;
  } else if constexpr (std::is_same_v<typename F::state, decltype(root.sum)>) {
    return root.sum;
  } else {
    return {root.sum, root.count};
  }
}

/// The roots of members, each of them once.
template <class Kept, class... Folds>
struct distinct_roots {
  using type = Kept;
};
template <class... Kept, class First, class... Rest>
struct distinct_roots<all_fold<Kept...>, First, Rest...> {
  using root = root_fold_t<First>;
  static constexpr bool is_known = (std::is_same_v<root, Kept> || ...);
  using type = typename distinct_roots<
      std::conditional_t<is_known, all_fold<Kept...>, all_fold<Kept..., root>>, Rest...>::type;
};

/// Those of the distinct roots `All` whose states do not follow from that of another one. `Kept` are those that have
/// been found so far.
template <class All, class Kept, class... Roots>
struct untold_roots {
  using type = Kept;
};
template <class... All, class... Kept, class First, class... Rest>
struct untold_roots<all_fold<All...>, all_fold<Kept...>, First, Rest...> {
  static constexpr bool is_told = ((tells_v<All, First> && !std::is_same_v<All, First>) || ...);
  using type = typename untold_roots<
      all_fold<All...>, std::conditional_t<is_told, all_fold<Kept...>, all_fold<Kept..., First>>,
      Rest...>::type;
};
template <class Distinct>
struct needed_roots;
template <class... Roots>
struct needed_roots<all_fold<Roots...>> : untold_roots<all_fold<Roots...>, all_fold<>, Roots...> {};

/// Which roots have to be folded for the members of an `all`, and whether they are fewer than the members.
template <class F>
struct distinct_members {
  static constexpr bool are_fewer = false;
};
template <class First, class... Rest>
struct distinct_members<all_fold<First, Rest...>> {
  using type = typename needed_roots<
      typename distinct_roots<all_fold<root_fold_t<First>>, Rest...>::type>::type;
  static constexpr bool are_fewer =
      (is_one_of_a_kind_v<First> && ... && is_one_of_a_kind_v<Rest>)&&!std::is_same_v<
          type, all_fold<root_fold_t<First>, root_fold_t<Rest>...>>;
};

/// A list of folds of these types, which are made by their default constructors.
template <class... Folds>
constexpr auto list_of_roots(std::type_identity<all_fold<Folds...>>) {
  return make_list(Folds{}...);
}

/// The state of `Root`, from the first of `states` from which it follows.
template <class Root, class First, class... Rest>
MONOFOLD_GPU typename Root::state state_of_root(
    std::type_identity<all_fold<First, Rest...>>,
    const typename fold_list<First, Rest...>::states& states) {
  if constexpr (tells_v<First, Root>) {
    return told_state<Root>(states.first);
  } else {
    return state_of_root<Root>(std::type_identity<all_fold<Rest...>>{}, states.rest);
  }
}

/// Makes the state of the `all` of the states of roots, and gives it to the sink.
template <class F, class Roots, class Sink>
struct member_sink {
  Sink sink;
  F f;

  MONOFOLD_GPU void operator()(const Roots&, const typename Roots::state& roots) const {
    typename F::state whole;
    fill(f.members, whole, roots);
    sink(f, whole);
  }

 private:
  template <class First, class... Rest>
  MONOFOLD_GPU static void fill(const fold_list<First, Rest...>& folds,
                                typename fold_list<First, Rest...>::states& out,
                                const typename Roots::state& roots) {
    out.first = state_of_root<root_fold_t<First>>(std::type_identity<Roots>{}, roots);
    if constexpr (sizeof...(Rest) > 0) fill(folds.rest, out.rest, roots);
  }
};

/// Path of an `all` by the plan's tree that folds fewer roots than it has members.
template <class F, class View, kernel_choice kernels>
class distinct_path : public state_path<F, View> {
 public:
  using roots = typename distinct_members<F>::type;

  distinct_path(const F& f, const View& view) : state_path<F, View>(f, view), path_(roots_, view) {}

  std::int64_t workspace_bytes() const { return path_.workspace_bytes(); }

  template <class Sink>
  failure start(const device_stream& on, const gpu_workspace& workspace, const Sink& sink) const {
    return path_.start(on, workspace, member_sink<F, roots, Sink>{sink, this->f()});
  }

 private:
  roots roots_{list_of_roots(std::type_identity<roots>{})};
  tree_path_of<roots, View, kernels> path_;
};

}  // namespace monofold::detail
