#pragma once
/// engine/gpu/exact/start_members: the folds of an `all` where some have kernels of their own: as few passes as may be.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "monofold/engine/gpu/exact/adapted.cuh"
#include "monofold/engine/gpu/exact/member_places.cuh"
#include "monofold/engine/gpu/exact/members.cuh"
#include "monofold/engine/gpu/exact/start.cuh"
#include "monofold/engine/gpu/launch.cuh"
#include "monofold/engine/gpu/workspace.cuh"
#include "monofold/fold/all.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/shape/view.hpp"

namespace monofold::detail {

/// Whether a fold is an `all` that has an exact sum among its members, or theirs.
template <class F, class View>
inline constexpr bool folds_members_v = false;
template <class... Folds, class View>
inline constexpr bool folds_members_v<all_fold<Folds...>, View> =
    ((sums_exactly_v<Folds, View> || folds_members_v<Folds, View>) || ...);

/// Starts the fold of every member with `start(fold, sink)`, in order, until one fails.
///
/// cost       a launch and a pass over the items each
template <class First, class... Rest, class Sink, class Start>
failure for_each_member(const fold_list<First, Rest...>& folds, const Sink& sink,
                        const Start& start, std::int64_t offset = 0) {
  using part = typename First::state;
  if constexpr (sizeof...(Rest) == 0) {
    return start(folds.first, last_part_sink<part>(sink, offset));
  } else {
    using states = state_list<part, typename Rest::state...>;
    if (auto failed = start(folds.first, part_sink<part>(sink, offset))) return failed;
    return for_each_member(folds.rest, sink, start,
                           offset + static_cast<std::int64_t>(offsetof(states, rest)));
  }
}

/// The same for those that an exact sum does not serve; a host that waits is not told.
template <class Item, class First, class... Rest, class Sink, class Start>
failure for_each_other_member(const fold_list<First, Rest...>& folds, const Sink& sink,
                              const Start& start, std::int64_t offset = 0) {
  using part = typename First::state;
  if constexpr (role_of<First, Item>() == member_role::other) {
    if (auto failed = start(folds.first, part_sink<part>(sink, offset))) return failed;
  }
  if constexpr (sizeof...(Rest) > 0) {
    using states = state_list<part, typename Rest::state...>;
    return for_each_other_member<Item>(folds.rest, sink, start,
                                       offset + static_cast<std::int64_t>(offsetof(states, rest)));
  } else {
    return {};
  }
}

/// How one pass over a view serves members of an `all`.
template <class F, class View>
struct members_of {
  static constexpr bool is_shared = false;
};
template <class... Folds, contiguous_item_view View>
requires is_floating_v<typename View::item_type>
struct members_of<all_fold<Folds...>, View> : exact_members<View, Folds...> {
  template <class Sink>
  using sink = members_sink<typename View::item_type, Sink, Folds...>;
};

/// Stands for the fold whose state a `members_sink` takes apart.
struct shared_fold {};

/// Starts the pass that serves several members of an `all` on so many blocks, up to max_exact_blocks; lets a
/// host that waits know.
template <class F, class View, class Sink>
failure start_shared_members_on(std::int64_t blocks, cudaStream_t stream, const View& view,
                                const gpu_workspace& workspace, const Sink& whole) {
  using members = members_of<F, View>;
  return start_exact_kernel<typename members::term, typename members::beside>(
      blocks, stream, shared_fold{}, view, workspace, typename members::template sink<Sink>{whole});
}

/// The same on as many as suit the current device.
///
/// cost       one launch, one pass
template <class F, class View, class Sink>
failure start_shared_members(cudaStream_t stream, const View& view, const gpu_workspace& workspace,
                             const Sink& whole) {
  std::int64_t blocks = 0;
  if (auto failed = exact_blocks_of<typename members_of<F, View>::term>(view, blocks)) {
    return failed;
  }
  return start_shared_members_on<F>(blocks, stream, view, workspace, whole);
}

}  // namespace monofold::detail
