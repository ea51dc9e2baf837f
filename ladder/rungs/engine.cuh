#pragma once
/// ladder/rungs/engine: the library's own path, `mf::fold_into` on `mf::gpu`.
///
/// idea     One launch, in which a warp takes tiles of 4 KiB by eight 16-byte loads a lane; the
///          tree over tiles depends on n alone. Operators that are not commutative get runs of
///          neighbours.
///              items -> slots of a lane -> lanes -> tiles -> blocks -> one state
///                       neighbours first, everywhere
/// bytes    reads n items; one state a block
/// limit    memory
/// mistake  Timing it with host memory: it takes pointers that the device can read.
/// next     asks for the two largest items instead. (docs/gpu.md says how this rung works.)

#include <span>

#include "ladder/rung_call.cuh"

namespace monofold::ladder {

template <class F>
void engine(rung_call<F>& call) {
  const std::span<const typename F::item> items(call.items, static_cast<std::size_t>(call.n));
  try {
    fold_into(gpu(call.stream), items, call.f, call.results, *call.workspace);
    ++call.launches;
  } catch (const error& why) {
    call.failed = why.what();
  }
}

}  // namespace monofold::ladder
