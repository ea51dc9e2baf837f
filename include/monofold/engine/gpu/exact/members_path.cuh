#pragma once
/// engine/gpu/exact/members_path: folds an `all` of which some members have kernels of their own, in as few passes as
/// possible.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/exact/adapted_paths.cuh"
#include "monofold/engine/gpu/exact/few_extrema.cuh"
#include "monofold/engine/gpu/exact/member_places.cuh"
#include "monofold/engine/gpu/exact/members.cuh"
#include "monofold/engine/gpu/exact/path.cuh"
#include "monofold/engine/gpu/launch.cuh"
#include "monofold/engine/gpu/workspace.cuh"
#include "monofold/fold/all.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/shape/view.hpp"

namespace monofold::detail {

/// Whether a fold is an `all` with an exact sum among its members, or among members of its members.
template <class F, class View>
inline constexpr bool folds_members_v = false;
template <class... Folds, class View>
inline constexpr bool folds_members_v<all_fold<Folds...>, View> =
    ((sums_exactly_v<Folds, View> || folds_members_v<Folds, View>) || ...);

/// The paths of the members of an `all`, which run one after the other.
///
/// cost       a launch and a pass over the items each, or what its path says
template <class View, kernel_choice kernels, class First, class... Rest>
class member_paths {
 public:
  using part = typename First::state;
  using states = state_list<part, typename Rest::state...>;

  member_paths(const fold_list<First, Rest...>& folds, const View& view)
      : first_(folds.first, view), rest_(folds.rest, view) {}

  /// What the member that needs most takes.
  std::int64_t workspace_bytes() const {
    const std::int64_t own = first_.workspace_bytes();
    const std::int64_t other = rest_.workspace_bytes();
    return own > other ? own : other;
  }
  /// Starts all paths in order; a failure ends that.
  template <class Sink>
  failure start(const device_stream& on, const gpu_workspace& workspace, const Sink& sink,
                std::int64_t offset = 0) const {
    if (auto failed = first_.start(on, workspace, part_sink<part>(sink, offset))) return failed;
    return rest_.start(on, workspace, sink, offset + rest_offset());
  }
  /// Starts the paths of the members that the pass of an exact sum does not serve. It does not raise the flag for
  /// which a host waits: the pass that follows does.
  template <class Sink>
  failure start_others(const device_stream& on, const gpu_workspace& workspace, const Sink& sink,
                       std::int64_t offset = 0) const {
    if constexpr (role_of<First, typename View::item_type>() == member_role::other) {
      if (auto failed = first_.start(on, workspace, part_sink<part>(sink, offset))) return failed;
    }
    return rest_.start_others(on, workspace, sink, offset + rest_offset());
  }

 private:
  static constexpr std::int64_t rest_offset() {
    return static_cast<std::int64_t>(offsetof(states, rest));
  }

  gpu_path<First, View, kernels> first_;
  member_paths<View, kernels, Rest...> rest_;
};
template <class View, kernel_choice kernels, class Last>
class member_paths<View, kernels, Last> {
 public:
  using part = typename Last::state;

  member_paths(const fold_list<Last>& folds, const View& view) : last_(folds.first, view) {}

  std::int64_t workspace_bytes() const { return last_.workspace_bytes(); }
  template <class Sink>
  failure start(const device_stream& on, const gpu_workspace& workspace, const Sink& sink,
                std::int64_t offset = 0) const {
    return last_.start(on, workspace, last_part_sink<part>(sink, offset));
  }
  template <class Sink>
  failure start_others(const device_stream& on, const gpu_workspace& workspace, const Sink& sink,
                       std::int64_t offset = 0) const {
    if constexpr (role_of<Last, typename View::item_type>() == member_role::other) {
      return last_.start(on, workspace, part_sink<part>(sink, offset));
    } else {
      return {};
    }
  }

 private:
  gpu_path<Last, View, kernels> last_;
};

/// The `exact_members` of a fold of a view, if one pass may serve several of its members.
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

/// The fold that the shared pass is given: a `members_sink` takes its state apart and does not look at the fold.
struct shared_fold {};

/// Path of an `all` with an exact sum among its members.
template <class F, class View, kernel_choice kernels>
class members_path;
template <class... Folds, class View, kernel_choice kernels>
class members_path<all_fold<Folds...>, View, kernels>
    : public state_path<all_fold<Folds...>, View> {
 public:
  using fold = all_fold<Folds...>;
  using members = members_of<fold, View>;

  members_path(const fold& f, const View& view)
      : state_path<fold, View>(f, view), paths_(f.members, view) {}

  std::int64_t workspace_bytes() const {
    const std::int64_t each = paths_.workspace_bytes();
    if constexpr (members::is_shared) {
      const std::int64_t shared = gpu_workspace::fixed_bytes + members::companion::workspace_bytes;
      if (shared > each) return shared;
    }
    return each;
  }

  template <class Sink>
  failure start(const device_stream& on, const gpu_workspace& workspace, const Sink& sink) const {
    if constexpr (members::is_shared) {
      std::int64_t blocks = 0;
      using term = typename members::term;
      using sink_type = typename members::template sink<Sink>;
      if (auto failed = paths_.start_others(on, workspace, sink)) return failed;
      using found_extrema = typename few_extrema_of<typename members::extrema>::type;
      if constexpr (kernels == kernel_choice::by_count && may_be_few<term, View>) {
        if (are_few<term>(this->view())) {
          return start_few_kernel<term, found_extrema>(on, shared_fold{}, this->view(), workspace,
                                                       sink_type{sink});
        }
      }
      if (auto failed = exact_blocks_of<term>(on, this->view(), blocks)) {
        return failed;
      }
      return start_blocks(blocks, on, workspace, sink);
    } else {
      return paths_.start(on, workspace, sink);
    }
  }

  /// Starts the pass that serves several members, on so many blocks, up to max_exact_blocks. It raises the flag for
  /// which a host waits.
  template <class Sink>
  failure start_blocks(std::int64_t blocks, const device_stream& on, const gpu_workspace& workspace,
                       const Sink& sink) const {
    return start_exact_kernel<typename members::term, typename members::companion>(
        blocks, on, shared_fold{}, this->view(), workspace,
        typename members::template sink<Sink>{sink});
  }

 private:
  member_paths<View, kernels, Folds...> paths_;
};

}  // namespace monofold::detail
