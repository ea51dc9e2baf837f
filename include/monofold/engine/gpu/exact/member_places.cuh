#pragma once
/// engine/gpu/exact/member_places: where the states of the members of an `all` go, and who is told.

#include <cstdint>

#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/engine/gpu/workspace.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

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
  return state_at<Part>(whole.line, whole.offset + offset);
}

// The same of the last part, which raises the flag: the parts before it were left by kernels that have ended.

template <class Part, class State>
state_sink<Part> last_part_sink(const state_sink<State>& whole, std::int64_t offset) {
  return state_at<Part>(whole.out, offset);
}
template <class Part, class State>
awaited_sink<Part> last_part_sink(const awaited_sink<State>& whole, std::int64_t offset) {
  return {whole.line, whole.raised, whole.offset + offset};
}

// Where the whole state goes.

template <class State>
MONOFOLD_GPU void* place_of(const state_sink<State>& whole) {
  return whole.out;
}
template <class State>
MONOFOLD_GPU void* place_of(const awaited_sink<State>& whole) {
  return static_cast<char*>(whole.line) + whole.offset;
}

/// Tells a host that waits that all of a state is there: what this block has written, and kernels that have
/// ended.
///
/// sync       all threads of the block
template <class Sink>
MONOFOLD_GPU void raise_flag(const Sink& whole) {
#if defined(__CUDA_ARCH__)
  __threadfence_system();  // as in awaited_sink
#endif
  sync_block();  // all of the state is written
  if (threadIdx.x == 0) *static_cast<volatile std::uint32_t*>(whole.line) = whole.raised;
}
template <class State>
MONOFOLD_GPU void raise_flag(const state_sink<State>&) {}

}  // namespace monofold::detail
