#pragma once
/// engine/gpu/kernel: what kernels have in common: a check of the layout of arguments, and sinks for results.

#include "monofold/engine/gpu/integer_answers.cuh"
#include "monofold/fold/fold.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// The sizes, by the host's compiler, of what it passes to a kernel, which compares them with its own. Compilers
/// differ over empty members marked [[no_unique_address]], and over types derived from one with padding at its end.
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

/// A sink that stores the state in memory, where the host or a kernel reads it.
template <class State>
struct state_sink {
  State* out;

  template <class F>
  MONOFOLD_GPU void operator()(const F&, const State& total) const {
    *out = total;
  }
};

/// A sink that stores the answer: a value, or a `result` where the fold's `finish` gives one.
template <class Answer>
struct answer_sink {
  Answer* out;

  template <class F>
  MONOFOLD_GPU void operator()(const F& f, const typename F::state& total) const {
    if constexpr (has_quick_answer<F>) {
      double found;
      if (quick_answer(f, total, found)) {
        *out = found;
      } else {
        *out = finish_by_integers(f, total);
      }
    } else {
      *out = finish_raw(f, total);
    }
  }
};

/// Whether a sink needs the answer alone, not the state.
template <class Sink>
inline constexpr bool is_answer_sink_v = false;
template <class Answer>
inline constexpr bool is_answer_sink_v<answer_sink<Answer>> = true;

}  // namespace monofold::detail
