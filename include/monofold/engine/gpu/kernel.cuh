#pragma once
/// engine/gpu/kernel: what a kernel has of its launch: shared memory, arguments, and a sink for its result.

#include <cstdint>

#include "monofold/engine/gpu/load.cuh"
#include "monofold/fold/fold.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

MONOFOLD_HD_CALL constexpr int in_chunks_of_16(int bytes) { return (bytes + 15) / 16 * 16; }

MONOFOLD_GPU bytes16* dynamic_shared() {
#if defined(MONOFOLD_EMULATED)
  return static_cast<bytes16*>(emulation::dynamic_shared_memory());
#else
  extern __shared__ bytes16 monofold_dynamic_shared[];
  return monofold_dynamic_shared;
#endif
}

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

/// Leaves the state for a host that waits: a line of a flag, and behind it the state.
template <class State>
struct awaited_sink {
  static constexpr int flag_bytes = 64;

  void* line;
  std::uint32_t raised;              // what the flag becomes
  std::int64_t offset = flag_bytes;  // of the state, from the line on

  template <class F>
  MONOFOLD_GPU void operator()(const F&, const State& total) const {
    *reinterpret_cast<State*>(static_cast<char*>(line) + offset) = total;
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
