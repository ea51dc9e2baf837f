#pragma once
/// ladder/rungs/top_k: the library's top-k, any k up to 1024; here k = 2.
///
/// idea     Most tiles hold nothing that enters the k best: a bound, which k items are known to
///          reach, settles them by one comparison a lane. What passes is collected and sorted at
///          the end.
///              tile max   3   5   2   9   4   ...      bound 6: only the tile with 9 is looked at
///              collected                9  ...      -> bound rises
/// bytes    reads n items; some KiB of candidates
/// limit    memory
/// mistake  Asking for more than there are: k must not be above n. With fewer than two items the
///          other places keep the lowest value.
/// next     nothing: this is the top. docs/gpu.md says how it works.

#include <span>

#include "ladder/rung_call.cuh"
#include "ladder/rungs/grid_atomic.cuh"

namespace monofold::ladder {

template <class F>
void top_k(rung_call<F>& call) {
  using item = typename F::item;
  static_assert(sizeof(typename F::state) == 2 * sizeof(item), "two items, the larger first");
  const std::span<const item> items(call.items, static_cast<std::size_t>(call.n));
  const std::int64_t k = call.n < 2 ? call.n : 2;
  if (k < 2) call.launch(write_identity_kernel<F>, 1, 1, 0, call.f, call.results);
  try {
    auto* const values = reinterpret_cast<item*>(call.results);
    auto* const indices = reinterpret_cast<std::int64_t*>(call.partials);
    reduce_into(gpu(call.stream), items, top(k), top_out<item>{values, indices}, *call.workspace);
    if (k > 0) ++call.launches;
  } catch (const error& why) {
    call.failed = why.what();
  }
}

}  // namespace monofold::ladder
