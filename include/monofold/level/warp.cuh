#pragma once
/// level/warp: folds one item or state of each lane of a warp.

#include <cstdint>
#include <type_traits>

#include "monofold/fold/all.hpp"
#include "monofold/fold/extrema.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/fold/moments.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/level/thread_calls.cuh"
#include "monofold/level/warp_moments.cuh"

namespace monofold {

/// Who gets the result of a fold over the threads of a group.
enum class result_in { first_thread, every_thread };

namespace detail {

/// What has more bytes does not live in registers: loops over it stay loops, and what a user wrote for it
/// is compiled once and called, with references, since values would be copied word by word.
inline constexpr int max_register_bytes = 64;

/// States of more bytes are joined by references too. An `all` of eight statistics has 120 and stays in
/// registers where they are joined: by references it took 1.7 times as long up to 16 MiB.
inline constexpr int max_joined_bytes = 192;

template <class F>
MONOFOLD_GPU_CALL void combine_by_call(const F& f, const typename F::state& left,
                                       const typename F::state& right, typename F::state& out) {
  out = f.combine(left, right);
}
template <class F>
MONOFOLD_GPU typename F::state combine_states(const F& f, const typename F::state& left,
                                              const typename F::state& right) {
  if constexpr (sizeof(typename F::state) > max_joined_bytes) {
    typename F::state out;
    combine_by_call(f, left, right, out);
    return out;
  } else {
    return f.combine(left, right);
  }
}

template <class Join, class State>
MONOFOLD_GPU State join_lanes_inline(const Join& join, State own, int count, int lanes) {
  const std::uint32_t mask = first_lanes(lanes);
  const int lane = lane_rank();
  MONOFOLD_UNROLL
  for (int distance = 1; distance < warp_lanes; distance *= 2) {
    if (distance >= count) break;  // the same in all lanes
    const State above = shuffle_down(own, distance, mask);
    // At distance d lanes 0, 2d, 4d, .. hold the nodes of the tree; what others hold is not read.
    if (lane + distance < count) own = join(own, above);
  }
  return own;
}

template <class Join, class State>
MONOFOLD_GPU_CALL State join_lanes_call(Join join, State own, int count, int lanes) {
  const std::uint32_t mask = first_lanes(lanes);
  const int lane = lane_rank();
  MONOFOLD_ROLL
  for (int distance = 1; distance < count; distance *= 2) {
    const State above = shuffle_down(own, distance, mask);
    if (lane + distance < count) own = join(own, above);
  }
  return own;
}

template <class Join, class State>
MONOFOLD_GPU_CALL void join_large_lanes(const Join& join, State& own, int count, int lanes) {
  const std::uint32_t mask = first_lanes(lanes);
  const int lane = lane_rank();
  MONOFOLD_ROLL
  for (int distance = 1; distance < count; distance *= 2) {
    const State above = shuffle_down(own, distance, mask);
    if (lane + distance < count) own = join(own, above);
  }
}

/// Joins what lanes 0 .. count - 1 hold, neighbours first; all `lanes` lanes of the warp call it.
template <class Join, class State>
MONOFOLD_GPU State join_lanes(const Join& join, const State& own, int count, int lanes) {
  // Large states are joined rarely and cost code: one copy of it, called.
  if constexpr (sizeof(State) > max_joined_bytes) {
    State total = own;
    join_large_lanes(join, total, count, lanes);
    return total;
  } else if constexpr (sizeof(State) > 16) {
    return join_lanes_call<Join, State>(join, own, count, lanes);
  } else {
    return join_lanes_inline(join, own, count, lanes);
  }
}

/// Combines states, as a function.
template <class F>
struct state_joiner {
  F fold;
  MONOFOLD_GPU typename F::state operator()(const typename F::state& left,
                                            const typename F::state& right) const {
    return combine_states(fold, left, right);
  }
};

/// The best of the extrema that lanes 0 .. count - 1 of a whole warp hold, in all lanes: few instructions
/// instead of five steps.
template <class F>
MONOFOLD_GPU typename F::state extremum_of_lanes(typename F::state own, int count) {
  if (lane_rank() >= count) own = {F::worst, -1};
  const auto best = extreme_of_lanes<F::picks_smallest>(own.key);
  // As unsigned numbers -1 is the largest: an absent state loses.
  const bool is_best = own.key == best;
  const std::uint32_t lanes = lanes_with(is_best);
  if ((lanes & (lanes - 1)) == 0) return {best, shuffle_from(own.index, first_lane_with(is_best))};
  const auto index = static_cast<std::uint64_t>(is_best ? own.index : -1);
  return {best, static_cast<std::int64_t>(smallest_of_lanes(index))};
}

template <class F>
inline constexpr bool adds_integers_v = std::is_same_v<F, count_fold>;
template <class Item>
inline constexpr bool adds_integers_v<integer_sum_fold<Item>> = true;
template <class Item>
inline constexpr bool adds_integers_v<short_integer_sum_fold<Item>> = true;

template <class F>
inline constexpr bool adds_squares_v = false;
template <class Item>
inline constexpr bool adds_squares_v<integer_moments_fold<Item>> = true;
template <class Item, bool root>
inline constexpr bool adds_squares_v<variance_fold<Item, root>> = !is_floating_v<Item>;

/// Whether F::total_of_lanes adds the states of the lanes of a whole warp, of which those are added to nothing that are
/// made without arguments. Only of the library's own folds: a user's may have a member of that name.
template <class F>
inline constexpr bool adds_lanes_v = false;

template <class F>
inline constexpr bool joins_moments_v = false;
template <class Item, nan_rule rule>
inline constexpr bool joins_moments_v<moments_fold<Item, rule>> = true;
template <class Item, bool root>
inline constexpr bool joins_moments_v<variance_fold<Item, root>> = is_floating_v<Item>;
template <class... Folds>
inline constexpr bool joins_moments_v<all_fold<Folds...>> = (joins_moments_v<Folds> || ...);

/// The same state by less work: of whole warps, in every lane but where moments are joined.
template <class F>
inline constexpr bool has_quick_lanes_v =
    is_extremum_fold_v<F> || is_extrema_fold_v<F> || is_extreme_key_fold_v<F> ||
    adds_integers_v<F> || adds_squares_v<F> || adds_lanes_v<F> || joins_moments_v<F>;
template <class... Folds>
inline constexpr bool has_quick_lanes_v<all_fold<Folds...>> = (has_quick_lanes_v<Folds> && ...);

/// The moments of all lanes. Large and rare, so it is not inlined.
MONOFOLD_GPU_CALL integer_moments_state add_moments_of_lanes(integer_moments_state own) {
  return {static_cast<std::int64_t>(sum_of_lanes(static_cast<std::uint64_t>(own.count))),
          sum_of_lanes(own.sum), sum_of_lanes(own.squares)};
}

template <class F>
MONOFOLD_GPU typename F::state combine_quickly(const typename F::state& own, int count);
template <class States, class First, class... Rest>
MONOFOLD_GPU States combine_members_quickly(std::type_identity<all_fold<First, Rest...>>,
                                            const States& own, int count) {
  if constexpr (sizeof...(Rest) == 0) {
    return {combine_quickly<First>(own.first, count)};
  } else {
    return {combine_quickly<First>(own.first, count),
            combine_members_quickly(std::type_identity<all_fold<Rest...>>{}, own.rest, count)};
  }
}

template <class F>
MONOFOLD_GPU typename F::state combine_quickly(const typename F::state& own, int count) {
  if constexpr (is_all_fold<F>::value) {
    return combine_members_quickly(std::type_identity<F>{}, own, count);
  } else if constexpr (adds_integers_v<F>) {
    using word = std::conditional_t<sizeof(typename F::state) == 8, std::uint64_t, int128>;
    const word there = lane_rank() < count ? static_cast<word>(own) : word{0};
    return static_cast<typename F::state>(sum_of_lanes(there));
  } else if constexpr (adds_lanes_v<F>) {
    return F::total_of_lanes(lane_rank() < count ? own : typename F::state{});
  } else if constexpr (adds_squares_v<F>) {
    return add_moments_of_lanes(lane_rank() < count ? own : typename F::state{0, 0, {}});
  } else if constexpr (joins_moments_v<F>) {
    if (any_lane(lane_rank() < count && own.count >> 47 != 0)) {
      return join_lanes(state_joiner<moments_fold<double>>{}, own, count, warp_lanes);
    }
    return moments_of_lanes(own, count);
  } else if constexpr (is_extreme_key_fold_v<F>) {
    return extreme_of_lanes<F::extremum::picks_smallest>(lane_rank() < count ? own
                                                                             : F::extremum::worst);
  } else if constexpr (is_extrema_fold_v<F>) {
    return {extremum_of_lanes<typename F::low>(own.min, count),
            extremum_of_lanes<typename F::high>(own.max, count)};
  } else {
    return extremum_of_lanes<F>(own, count);
  }
}

}  // namespace detail

namespace warp {

/// Folds the states that lanes 0 .. count - 1 hold, in lane order.
///
/// shape      count: 1 to the number of lanes; the states of the lanes above are not used
/// order      the plan's tree: neighbours first, left operand in the lower lanes. Ordered folds keep
///            order
/// sync       all lanes of the warp call it together with the same count (of the last warp of a
///            block: those that exist); no shared memory, no block barrier. Result in lane 0, or in
///            every lane of the warp on request; what other lanes get is unspecified
/// cost       count - 1 useful combines, depth log2(count), while idle lanes combine what nobody reads; as
///            many shuffles for each 4 bytes of a state
/// tested by  tests/gpu/level_test.cu
template <result_in where = result_in::first_thread, class F>
MONOFOLD_GPU typename F::state combine(const F& f, const typename F::state& own, int count) {
  static_cast<void>(
      &detail::device_calls<F, typename F::state>::what_takes_states_needs_MONOFOLD_HD);
  const int lanes = lanes_in_warp();
  if constexpr (detail::has_quick_lanes_v<F>) {
    if (lanes == warp_lanes) {
      const auto total = detail::combine_quickly<F>(own, count);
      if constexpr (where == result_in::every_thread && detail::joins_moments_v<F>) {
        return shuffle_from(total, 0);
      }
      return total;
    }
  }
  const auto total = detail::join_lanes(detail::state_joiner<F>{f}, own, count, lanes);
  if constexpr (where == result_in::every_thread) return shuffle_from(total, 0, first_lanes(lanes));
  return total;
}

/// The same of all lanes of the warp.
template <result_in where = result_in::first_thread, class F>
MONOFOLD_GPU typename F::state combine(const F& f, const typename F::state& own) {
  return combine<where>(f, own, lanes_in_warp());
}

/// Folds one item of each lane to a state; `index` is that of the lane's item, its rank in the warp
/// where the kernel does not say.
template <result_in where = result_in::first_thread, class F, class Item>
requires fold_on<F, Item> MONOFOLD_GPU auto reduce(const F& f, const Item& item,
                                                   std::int64_t index) {
  const auto bound = detail::bind_on_device<Item>(f);
  return combine<where>(bound, detail::lift_on_device(bound, item, index));
}

template <result_in where = result_in::first_thread, class F, class Item>
requires fold_on<F, Item> MONOFOLD_GPU auto reduce(const F& f, const Item& item) {
  return reduce<where>(f, item, lane_rank());
}

/// The same, finished: the answer where the result is, in other threads none.
template <result_in where = result_in::first_thread, class F, class Item>
requires fold_on<F, Item> MONOFOLD_GPU auto answer(const F& f, const Item& item,
                                                   std::int64_t index = lane_rank()) {
  const auto bound = detail::bind_on_device<Item>(f);
  const auto total = combine<where>(bound, detail::lift_on_device(bound, item, index));
  return detail::answer_here(bound, total, where == result_in::every_thread || lane_rank() == 0);
}

}  // namespace warp

}  // namespace monofold
