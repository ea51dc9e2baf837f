#pragma once
/// engine/gpu/kernel: what a kernel has of its launch: arguments as they are laid out, and a sink for its result.

#include "monofold/fold/fold.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// How the host's compiler lays out what it hands to a kernel. Compilers differ over empty members
/// marked [[no_unique_address]] and over what derives from a type with padding at its end.
struct handed_layout {
  int fold_bytes;
  int view_bytes;
  int state_bytes;
  friend constexpr bool operator==(const handed_layout&, const handed_layout&) = default;
};
template <class F, class View>
MONOFOLD_HD_CALL constexpr handed_layout handed_layout_of() {
  return {static_cast<int>(sizeof(F)), static_cast<int>(sizeof(View)),
          static_cast<int>(sizeof(typename F::state))};
}

/// Leaves the state where the host or a kernel reads it.
template <class State>
struct state_sink {
  State* out;

  template <class F>
  MONOFOLD_GPU void operator()(const F&, const State& total) const {
    *out = total;
  }
};

/// Leaves the finished answer: a value, or a `result` where the fold's `finish` gives one.
template <class Answer>
struct answer_sink {
  Answer* out;

  template <class F>
  MONOFOLD_GPU void operator()(const F& f, const typename F::state& total) const {
    *out = finish_raw(f, total);
  }
};

/// Whether nobody asks a sink for the state.
template <class Sink>
inline constexpr bool is_answer_sink_v = false;
template <class Answer>
inline constexpr bool is_answer_sink_v<answer_sink<Answer>> = true;

}  // namespace monofold::detail
