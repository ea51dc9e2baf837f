#pragma once
/// ladder/rungs/grid_ordered_two_launch: contiguous parts, each streamed in order.
///
/// idea     The array is cut into G contiguous parts of whole tiles of B items; each block folds
///          its part by `block_ordered_stream`, and a second launch folds the partials in order.
///              tiles    0 1 2 | 3 4 5 | 6 7 | 8 9        10 tiles, G = 4: parts of 3, 3, 2, 2
///              block    0     | 1     | 2   | 3          launch 2: ((p0 p1) (p2 p3))
/// bytes    reads n items; writes and reads G partials
/// limit    two block barriers for one item a thread, now on all multiprocessors
/// mistake  G - 1 equal parts and one block with the whole remainder: n = 1023 tiles for 512 blocks
///          are 511 blocks with 1 tile and one with 512, which all wait for. Parts differ by one
///          tile at most.
/// next     does the second part in the same launch.

#include "ladder/rung_call.cuh"
#include "ladder/rungs/block_ordered_stream.cuh"

namespace monofold::ladder {

/// The first tile of part `part`: parts are equal, but for the first ones, which have one more.
MONOFOLD_HD_CALL std::int64_t first_tile(std::int64_t tiles, std::int64_t parts,
                                         std::int64_t part) {
  const std::int64_t longer = tiles % parts;
  return tiles / parts * part + (part < longer ? part : longer);
}

/// The fold of this block's part of the items in order, in thread 0.
template <class F>
MONOFOLD_GPU typename F::state fold_part(const F& f, const typename F::item* items, std::int64_t n,
                                         typename F::state* cells) {
  const std::int64_t tiles = (n + stream_threads - 1) / stream_threads;
  const std::int64_t begin = first_tile(tiles, gridDim.x, blockIdx.x) * stream_threads;
  const std::int64_t end = first_tile(tiles, gridDim.x, blockIdx.x + 1) * stream_threads;
  return fold_stream(f, items, begin, end < n ? end : n, cells);
}

template <class F>
__global__ void grid_ordered_kernel(F f, const typename F::item* items, std::int64_t n,
                                    typename F::state* results) {
  __shared__ typename F::state cells[2 * stream_threads];
  const auto total = fold_part(f, items, n, cells);
  if (threadIdx.x == 0) results[blockIdx.x] = total;
}

template <class F>
void grid_ordered_two_launch(rung_call<F>& call) {
  const std::int64_t blocks = call.resident_blocks(stream_threads);
  call.launch(grid_ordered_kernel<F>, blocks, stream_threads, 0, call.f, call.items, call.n,
              call.partials);
  call.launch(grid_ordered_kernel<joined<F>>, 1, stream_threads, 0, joined<F>{call.f},
              call.partials, blocks, call.results);
}

}  // namespace monofold::ladder
