#pragma once
/// traced/grid_mistakes: the mistakes that the pages of grid rungs warn of, to be played.

#include <span>
#include <vector>

#include "ladder/atomics.cuh"
#include "ladder/rung_call.cuh"
#include "ladder/rungs/block_shared_warp_sync.cuh"
#include "ladder/rungs/grid_atomic.cuh"
#include "ladder/rungs/grid_bulk.cuh"
#include "ladder/rungs/grid_last_block.cuh"
#include "ladder/rungs/grid_ordered_two_launch.cuh"
#include "ladder/rungs/grid_vector.cuh"
#include "ladder/rungs/top_k.cuh"

namespace monofold::ladder::mistakes {

template <class F>
void grid_partials_host(rung_call<F>& call) {
  using state = typename F::state;
  const std::int64_t blocks = call.blocks_for(block_threads);
  call.launch(block_shared_kernel<F>, blocks, block_threads, 0, call.f, call.items, call.n,
              call.partials);
  std::vector<state> partials(static_cast<std::size_t>(blocks), call.f.identity());
  // Nobody waits for the copy, so it may arrive behind the additions: here it does.
  state total = call.f.identity();
  for (const state& partial : partials) total = call.f.combine(total, partial);
  call.check(cudaMemcpyAsync(partials.data(), call.partials, partials.size() * sizeof(state),
                             cudaMemcpyDeviceToHost, call.stream),
             "copying partials");
  call.check(
      cudaMemcpyAsync(call.results, &total, sizeof(state), cudaMemcpyHostToDevice, call.stream),
      "copying the result");
  call.check(cudaStreamSynchronize(call.stream), "waiting for the result");
}

/// Blocks so small that a page shows more of them than one has threads.
inline constexpr int few_threads = 8;

template <class F>
__global__ void one_item_a_thread_kernel(F f, const typename F::item* items, std::int64_t n,
                                         typename F::state* results) {
  __shared__ typename F::state cells[few_threads];
  const int t = static_cast<int>(threadIdx.x);
  // In the second launch: nobody takes partials from number 8 on.
  cells[t] = lifted_or_identity(f, items, std::int64_t{blockIdx.x} * few_threads + t, n);
  halve_shared(f, cells, few_threads);
  if (t == 0) results[blockIdx.x] = cells[0];
}
template <class F>
void grid_two_launch(rung_call<F>& call) {
  const std::int64_t blocks = call.blocks_for(few_threads);
  call.launch(one_item_a_thread_kernel<F>, blocks, few_threads, 0, call.f, call.items, call.n,
              call.partials);
  call.launch(one_item_a_thread_kernel<joined<F>>, 1, few_threads, 0, joined<F>{call.f},
              call.partials, blocks, call.results);
}

/// A sum rounded as float32 rounds, of whole numbers; in words of 64 bits, as the other sums.
template <class F>
struct rounded_to_float : F {
  using state = typename F::state;
  MONOFOLD_HD state combine(state l, state r) const {
    return static_cast<state>(static_cast<float>(l) + static_cast<float>(r));
  }
};

enum class block_end { shared, warp_barriers, shuffles };
enum class turn_of_blocks { as_numbered, backwards };

template <block_end end, class F>
__global__ void add_floats_kernel(F f, const typename F::item* items, std::int64_t n,
                                  typename F::state* word, turn_of_blocks turn) {
  __shared__ typename F::state cells[block_threads];
  const int t = static_cast<int>(threadIdx.x);
  // Blocks may end in any order. Here it is that of their numbers, or they are numbered from behind.
  const unsigned block =
      turn == turn_of_blocks::as_numbered ? blockIdx.x : gridDim.x - 1 - blockIdx.x;
  cells[t] = lifted_or_identity(f, items, std::int64_t{block} * block_threads + t, n);
  if constexpr (end == block_end::shared) halve_shared(f, cells, block_threads);
  if constexpr (end == block_end::warp_barriers) halve_shared_by_warps(f, cells, block_threads);
  auto total = cells[t];
  if constexpr (end == block_end::shuffles) total = fold_shared(f, cells, block_threads);
  if (t == 0) combine_atomically(f, word, total);  // rounds, in the order of blocks
}
/// The call before has one order of blocks, and this one another.
template <block_end end, class F>
void add_floats(rung_call<F>& call) {
  const bool is_second = call.launches > 0;
  auto* const word = is_second ? call.results : call.results + 1;
  call.launch(write_identity_kernel<F>, 1, 1, 0, call.f, word);
  call.launch(add_floats_kernel<end, rounded_to_float<F>>, call.blocks_for(block_threads),
              block_threads, 0, rounded_to_float<F>{}, call.items, call.n, word,
              is_second ? turn_of_blocks::backwards : turn_of_blocks::as_numbered);
}
template <class F>
void grid_atomic(rung_call<F>& call) {
  add_floats<block_end::shared>(call);
}
template <class F>
void grid_atomic_warp_sync(rung_call<F>& call) {
  add_floats<block_end::warp_barriers>(call);
}
template <class F>
void grid_atomic_shuffle(rung_call<F>& call) {
  add_floats<block_end::shuffles>(call);
}

template <class F>
__global__ void partials_over_input_kernel(F f, typename F::state* values, std::int64_t n) {
  __shared__ typename F::state cells[few_threads];
  const int t = static_cast<int>(threadIdx.x);
  // Blocks may start in any order. Here the last part goes first.
  const std::int64_t part = gridDim.x - 1 - blockIdx.x;
  const std::int64_t i = part * few_threads + t;
  cells[t] = i < n ? values[i] : f.identity();
  halve_shared(f, cells, few_threads);
  if (t == 0) values[part] = cells[0];  // an item that part 2 or 3 may not have read
}
template <class F>
void grid_stride_two_launch(rung_call<F>& call) {
  const std::int64_t blocks = call.blocks_for(few_threads);
  call.launch(partials_over_input_kernel<F>, blocks, few_threads, 0, call.f, call.lifted, call.n);
  call.launch(grid_stride_kernel<joined<F>>, 1, block_threads, 0, joined<F>{call.f}, call.lifted,
              blocks, call.results);
}

template <class F>
__global__ void counter_for_one_call_kernel(F f, const typename F::item* items, std::int64_t n,
                                            typename F::state* partials, std::uint32_t* ticket,
                                            typename F::state* result) {
  __shared__ typename F::state cells[block_threads];
  __shared__ bool is_last;
  const int t = static_cast<int>(threadIdx.x);
  cells[t] = accumulate_by_stride(f, items, n);
  const auto total = fold_shared(f, cells, block_threads);
  if (t == 0) {
    partials[blockIdx.x] = total;
    // Nobody sets it back: the tickets of the second call begin at G.
    is_last = atomicAdd(ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last) fold_partials(f, partials, cells, result);
}
template <class F>
void grid_last_block(rung_call<F>& call) {
  const bool is_second = call.launches == 1;
  call.launch(counter_for_one_call_kernel<F>, call.resident_blocks(block_threads), block_threads, 0,
              call.f, call.items, call.n, call.partials, call.ticket,
              is_second ? call.results : call.results + 1);
}

template <class F>
__global__ void remainder_in_one_kernel(F f, const typename F::item* items, std::int64_t n,
                                        typename F::state* results) {
  __shared__ typename F::state cells[2 * stream_threads];
  const std::int64_t part = n / stream_threads / gridDim.x * stream_threads;
  const std::int64_t begin = blockIdx.x * part;
  // The last block has its part and the whole remainder: all others wait for it.
  const std::int64_t end = blockIdx.x + 1 < gridDim.x ? begin + part : n;
  const auto total = fold_stream(f, items, begin, end, cells);
  if (threadIdx.x == 0) results[blockIdx.x] = total;
}
template <class F>
void grid_ordered_two_launch(rung_call<F>& call) {
  const std::int64_t blocks = call.resident_blocks(stream_threads);
  call.launch(remainder_in_one_kernel<F>, blocks, stream_threads, 0, call.f, call.items, call.n,
              call.partials);
  call.launch(grid_ordered_kernel<joined<F>>, 1, stream_threads, 0, joined<F>{call.f},
              call.partials, blocks, call.results);
}

template <class F>
__global__ void slots_by_ticket_kernel(F f, const typename F::item* items, std::int64_t n,
                                       typename F::state* partials, std::uint32_t* ticket,
                                       typename F::state* result) {
  constexpr std::uint32_t is_there = 0x10000;  // the upper half counts partials that are there
  auto own = f.identity();
  const std::int64_t end = first_tile(n, gridDim.x, blockIdx.x + 1);
  for (std::int64_t i = first_tile(n, gridDim.x, blockIdx.x); i < end; ++i) {
    own = f.combine(own, f.lift(items[i]));
  }
  // The place of a partial is its block's, not its ticket's: the shortest part draws the first one.
  partials[atomicAdd(ticket, 1u) % is_there] = own;
  __threadfence();  // the partial written above is seen by whoever sees it counted
  if (atomicAdd(ticket, is_there) / is_there != gridDim.x - 1) return;
  auto all = f.identity();
  for (unsigned b = 0; b < gridDim.x; ++b) all = f.combine(all, partials[b]);
  *result = all;
}
template <class F>
void grid_ordered_last_block(rung_call<F>& call) {
  call.launch(slots_by_ticket_kernel<F>, 3, 1, 0, call.f, call.items, call.n, call.partials,
              call.ticket, call.results);
}

template <class F>
__global__ void packs_anywhere_kernel(F f, const typename F::item* items, std::int64_t n,
                                      typename F::state* result) {
  using four_items = pack<typename F::item>;
  const int lane = static_cast<int>(threadIdx.x);
  auto own = lifted_or_identity(f, items, lane == 0 ? 0 : n, n);
  // From item 1 on, which no address that is a multiple of 16 has.
  const auto* const body = reinterpret_cast<const four_items*>(items + 1);
  for (std::int64_t i = lane; i < (n - 1) / four_items::items; i += 32) {
    const four_items taken = body[i];
    for (const auto& x : taken.item) own = f.combine(own, f.lift(x));
  }
  own = fold_lanes(f, own);
  if (lane == 0) *result = own;
}
template <class F>
void grid_vector(rung_call<F>& call) {
  call.launch(packs_anywhere_kernel<F>, 1, 32, 0, call.f, call.items, call.n, call.results);
}

template <class F>
__global__ void refilled_too_early_kernel(F f, const typename F::item* items, std::int64_t n,
                                          typename F::state* result) {
  __shared__ stage<typename F::item> ring[bulk_stages];
  __shared__ std::uint64_t arrivals[bulk_stages];
  constexpr int each = stage_items<typename F::item>;
  const int lane = static_cast<int>(threadIdx.x);
  if (lane == 0) {
    for (auto& arrival : arrivals) open_arrival(&arrival);
  }
  __syncwarp();  // barrier objects made above are used below
  const std::int64_t stages = n / each;
  for (int s = 0; s < bulk_stages; ++s) start_copy(ring[s], items + s * each, arrivals + s, lane);
  auto own = f.identity();
  for (std::int64_t at = 0; at < stages; ++at) {
    const auto s = static_cast<int>(at % bulk_stages);
    await_copy(arrivals + s, at / bulk_stages);
    own = fold_stage(f, own, ring[s], lane);
    if (at + bulk_stages >= stages) continue;
    // No barrier: other lanes may still read the stage.
    start_copy(ring[s], items + (at + bulk_stages) * each, arrivals + s, lane);
  }
  if (lane == 0) *result = own;
}
template <class F>
void grid_bulk(rung_call<F>& call) {
  call.launch(refilled_too_early_kernel<F>, 1, 32, 0, call.f, call.items, call.n, call.results);
}

/// The lowest value is there already, as for fewer than two items: the library refuses, and it stays.
template <class F>
void top_k(rung_call<F>& call) {
  using item = typename F::item;
  call.launch(write_identity_kernel<F>, 1, 1, 0, call.f, call.results);
  const std::span<const item> items(call.items, static_cast<std::size_t>(call.n));
  const top_out<item> out{reinterpret_cast<item*>(call.results),
                          reinterpret_cast<std::int64_t*>(call.partials)};
  try {
    reduce_into(gpu(call.stream), items, top(2), out, *call.workspace);  // of one item
  } catch (const error& why) {
    call.failed = why.what();
  }
}

}  // namespace monofold::ladder::mistakes
