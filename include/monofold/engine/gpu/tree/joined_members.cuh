#pragma once
/// engine/gpu/tree/joined_members: how a block joins states of an `all` that lie in shared memory.

#include <cstdint>
#include <type_traits>

#include "monofold/fold/all.hpp"
#include "monofold/level/thread.cuh"
#include "monofold/level/warp.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Sets a state in shared memory to zeros before its members are written, since the padding between them is copied,
/// too.
///
/// sync       all threads of the block, 32 at least; a barrier must follow
template <class State>
MONOFOLD_GPU void clear_state(State* out) {
  using word = std::conditional_t<sizeof(State) % 4 == 0, std::uint32_t, std::uint8_t>;
  auto* const words = reinterpret_cast<word*>(out);
  MONOFOLD_ROLL
  for (auto w = threadIdx.x; w < sizeof(State) / sizeof(word); w += blockDim.x) words[w] = 0;
}

/// Joins states of an `all` in shared memory: every 32 neighbours make one state of `out`. A warp joins 32 states of
/// one member, and warps work side by side, so that it takes as long as the slowest member, not as all of them.
///
/// shape      the number of warps of a block is a power of two, and there is a warp for every 32 states. `then(fold,
///            state)` is called for each state that is made, by all lanes of one warp, with the state in lane 0; what
///            it returns is stored
/// order      the plan's tree
/// sync       all threads of the block, behind a barrier; no barrier behind the last write
template <class F, class Then>
class joined_members {
 public:
  using state = typename F::state;

  MONOFOLD_GPU joined_members(state* states, int count, const Then& then)
      : states_(states), count_(count), then_(then) {}

  MONOFOLD_GPU void store(const F& f, state* out) const { join(f.members, *states_, *out, 0); }

 private:
  /// Joins the members of `folds`, the first of which is member `number` of the `all`. `states` and `out` are these
  /// members' parts of the first state that is read, and of the first one that is written.
  template <class First, class... Rest>
  MONOFOLD_GPU void join(const fold_list<First, Rest...>& folds,
                         typename fold_list<First, Rest...>::states& states,
                         typename fold_list<First, Rest...>::states& out, int number) const {
    const int groups = (count_ + warp_lanes - 1) / warp_lanes;
    const auto warps = static_cast<int>(blockDim.x) / warp_lanes;
    const auto warp = static_cast<int>(threadIdx.x) / warp_lanes;
    // Members begin at different warps.
    const int group = (warp - groups * number) & (warps - 1);
    if (group < groups) {
      const int lane = lane_rank();
      const int left = count_ - group * warp_lanes;
      const int here = left < warp_lanes ? left : warp_lanes;
      const auto own = in_state(states.first, group * warp_lanes + (lane < here ? lane : 0));
      const auto total = then_(folds.first, warp::combine(folds.first, own, here));
      if (lane == 0) in_state(out.first, group) = total;
    }
    if constexpr (sizeof...(Rest) > 0) join(folds.rest, states.rest, out.rest, number + 1);
  }

  /// The part of state `i` that lies where `first` lies in state 0.
  template <class Part>
  MONOFOLD_GPU static Part& in_state(Part& first, int i) {
    return *reinterpret_cast<Part*>(reinterpret_cast<char*>(&first) +
                                    i * static_cast<int>(sizeof(state)));
  }

  state* states_;
  int count_;
  const Then& then_;
};

}  // namespace monofold::detail
