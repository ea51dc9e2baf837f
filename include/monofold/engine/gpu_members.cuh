#pragma once
/// engine/gpu_members: the folds of an `all` one after the other, where some have kernels of their own.

#include <cstddef>
#include <cstdint>

#include "monofold/engine/detail/fold_tiles_kernel.cuh"
#include "monofold/engine/gpu_exact.cuh"
#include "monofold/fold/all.hpp"

namespace monofold::detail {

/// Whether a fold is an `all` that has an exact sum among its members, or theirs.
template <class F, class View>
inline constexpr bool folds_members_v = false;
template <class... Folds, class View>
inline constexpr bool folds_members_v<all_fold<Folds...>, View> =
    ((adds_exactly_v<Folds, View> || folds_members_v<Folds, View>) || ...);

/// Leaves the last part of a state for a host that waits, and raises the flag: the parts before it
/// were left by kernels that have ended.
template <class State>
struct awaited_part_sink {
  void* line;
  std::uint32_t raised;
  std::int64_t offset;

  template <class F>
  MONOFOLD_GPU void operator()(const F&, const State& part) const {
    *reinterpret_cast<State*>(static_cast<char*>(line) + offset) = part;
#if defined(__CUDA_ARCH__)
    __threadfence_system();  // as in awaited_sink
#endif
    *static_cast<volatile std::uint32_t*>(line) = raised;
  }
};

// Where a part of the state goes that lies `offset` bytes behind the state's begin.

template <class Part>
state_sink<Part> state_at(void* state, std::int64_t offset) {
  return {reinterpret_cast<Part*>(static_cast<char*>(state) + offset)};
}
template <class Part, class State>
state_sink<Part> part_sink(const state_sink<State>& whole, std::int64_t offset) {
  return state_at<Part>(whole.out, offset);
}
template <class Part, class State>
state_sink<Part> part_sink(const awaited_sink<State>& whole, std::int64_t offset) {
  return state_at<Part>(whole.line, awaited_sink<State>::flag_bytes + offset);
}
template <class Part, class State>
state_sink<Part> part_sink(const awaited_part_sink<State>& whole, std::int64_t offset) {
  return state_at<Part>(whole.line, whole.offset + offset);
}

template <class Part, class State>
state_sink<Part> last_part_sink(const state_sink<State>& whole, std::int64_t offset) {
  return state_at<Part>(whole.out, offset);
}
template <class Part, class State>
awaited_part_sink<Part> last_part_sink(const awaited_sink<State>& whole, std::int64_t offset) {
  return {whole.line, whole.raised, awaited_sink<State>::flag_bytes + offset};
}
template <class Part, class State>
awaited_part_sink<Part> last_part_sink(const awaited_part_sink<State>& whole, std::int64_t offset) {
  return {whole.line, whole.raised, whole.offset + offset};
}

/// Starts the fold of every member with `start(fold, sink)`, in order, until one fails.
///
/// cost       a launch and a pass over the items each
template <class First, class... Rest, class Sink, class Start>
auto for_each_member(const fold_list<First, Rest...>& folds, const Sink& sink, const Start& start,
                     std::int64_t offset = 0) {
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

}  // namespace monofold::detail
