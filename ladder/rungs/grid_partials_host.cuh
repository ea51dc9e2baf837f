#pragma once
/// ladder/rungs/grid_partials_host: many blocks; the host adds their partials.
///
/// idea     Blocks cannot wait for each other in an ordinary launch, so each leaves one partial in
///          global memory. The host copies them and folds them one after another.
///              block    0      1      2    ...  n/B-1
///              device   p0     p1     p2   ...            copied over the bus
///              host     ((p0 + p1) + p2) + ...
/// bytes    reads n items; n / B partials are written, copied and read by the host
/// limit    the copy, the wait for it, and n / B additions of one thread (all timed)
/// mistake  Adding before the copy has arrived: the stream is waited for.
/// next     lets the device finish in a second launch.

#include <vector>

#include "ladder/rung_call.cuh"
#include "ladder/rungs/block_shared.cuh"

namespace monofold::ladder {

template <class F>
void grid_partials_host(rung_call<F>& call) {
  using state = typename F::state;
  const std::int64_t blocks = call.blocks_for(block_threads);
  call.launch(block_shared_kernel<F>, blocks, block_threads, 0, call.f, call.items, call.n,
              call.partials);
  std::vector<state> partials(static_cast<std::size_t>(blocks));
  call.check(cudaMemcpyAsync(partials.data(), call.partials, partials.size() * sizeof(state),
                             cudaMemcpyDeviceToHost, call.stream),
             "copying partials");
  call.check(cudaStreamSynchronize(call.stream), "waiting for partials");
  state total = call.f.identity();
  for (const state& partial : partials) total = call.f.combine(total, partial);
  call.check(
      cudaMemcpyAsync(call.results, &total, sizeof(state), cudaMemcpyHostToDevice, call.stream),
      "copying the result");
  call.check(cudaStreamSynchronize(call.stream), "waiting for the result");  // `total` goes
}

}  // namespace monofold::ladder
