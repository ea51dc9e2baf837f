#pragma once
/// engine/gpu/sinks: where a kernel leaves its result.

#include <cstdint>

#include "monofold/fold/fold.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Leaves the state where the host or a kernel reads it.
template <class State>
struct state_sink {
  State* out;

  template <class F>
  MONOFOLD_GPU void operator()(const F&, const State& total) const {
    *out = total;
  }
};

/// Leaves the state for a host that waits: a line of a flag, then the state.
template <class State>
struct awaited_sink {
  static constexpr int flag_bytes = 64;

  void* line;
  std::uint32_t raised;  // what the flag becomes

  template <class F>
  MONOFOLD_GPU void operator()(const F&, const State& total) const {
    *reinterpret_cast<State*>(static_cast<char*>(line) + flag_bytes) = total;
#if defined(__CUDA_ARCH__)
    __threadfence_system();  // a reader of the flag, on the host too, sees the state written above
#endif
    *static_cast<volatile std::uint32_t*>(line) = raised;
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

}  // namespace monofold::detail
