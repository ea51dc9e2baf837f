#pragma once
/// ranks: the same where a rank's items lie in memory of a GPU: `reduce(ranks(comm, gpu), items, fold)`.
///
/// States travel through host memory: MPI gets no pointer to a device.
///
/// sync       waits for the engine's stream
/// tested by  tests/mpi/device_check.cu

#include "monofold/engine/gpu/pieces.cuh"
#include "monofold/ranks.hpp"
#include "monofold/reduce.cuh"

namespace monofold {

/// The same as fold_view of engine/cpu, of items that a device reads.
template <class F, class View>
typename F::state fold_view(const gpu_engine& engine, const F& f, const View& view) {
  typename F::state own{};
  detail::throw_if(detail::fold_and_wait<detail::kernel_choice::by_count>(engine, f, view, own));
  return own;
}

}  // namespace monofold
