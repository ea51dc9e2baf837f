#pragma once
/// ladder/rungs/grid_vector: 16 bytes a load, and several loads on their way.
///
/// idea     A thread takes 16 bytes at once (four int32, two float64), and starts four such loads
///          before it uses the first. Items before the first 16-byte boundary, and behind the last,
///          are taken one by one.
///              items   . . x | x x x x | x x x x | ... | x x x x | x x
///                      head  | pack 0    pack 1             ...  | tail
///              thread t: packs t, t + T, t + 2 T, t + 3 T, then four more
/// bytes    reads n items; writes and reads G partials; 64 bytes on their way a thread
/// limit    memory: 2048 threads x 64 B cover latency x bandwidth of a multiprocessor several times
/// mistake  Loading a pack at an address that is no multiple of 16: the kernel ends with an error.
/// next     lets the copy engine bring the items, in order.

#include "ladder/rung_call.cuh"
#include "ladder/rungs/block_shared_shuffle.cuh"
#include "ladder/rungs/grid_last_block.cuh"

namespace monofold::ladder {

template <class Item>
struct alignas(16) pack {
  static constexpr int items = sizeof(Item) >= 16 ? 1 : static_cast<int>(16 / sizeof(Item));
  Item item[items];
};

/// How many of n items lie before the first address that is a multiple of 16.
template <class Item>
MONOFOLD_GPU std::int64_t items_to_boundary(const Item* items, std::int64_t n) {
  const auto past = reinterpret_cast<std::uintptr_t>(items) % 16;
  const auto ahead = past == 0 ? 0 : static_cast<std::int64_t>((16 - past) / sizeof(Item));
  return ahead < n ? ahead : n;
}

template <class F>
MONOFOLD_GPU typename F::state accumulate_by_packs(const F& f, const typename F::item* items,
                                                   std::int64_t n) {
  using item = typename F::item;
  using four_items = pack<item>;
  constexpr int loads = 4;
  const std::int64_t head = items_to_boundary(items, n);
  const std::int64_t packs = (n - head) / four_items::items;
  const auto* const body = reinterpret_cast<const four_items*>(items + head);
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  const std::int64_t rank = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  auto own = f.identity();
  std::int64_t i = rank;
  for (; i + (loads - 1) * threads < packs; i += loads * threads) {
    four_items taken[loads];
    MONOFOLD_UNROLL
    for (int j = 0; j < loads; ++j) taken[j] = body[i + j * threads];
    MONOFOLD_UNROLL
    for (int j = 0; j < loads; ++j) {
      MONOFOLD_UNROLL
      for (const item& x : taken[j].item) own = f.combine(own, f.lift(x));
    }
  }
  for (; i < packs; i += threads) {
    for (const item& x : body[i].item) own = f.combine(own, f.lift(x));
  }
  if (rank < head) own = f.combine(own, f.lift(items[rank]));
  const std::int64_t tail = head + packs * four_items::items;  // fewer items than a pack has
  if (tail + rank < n) own = f.combine(own, f.lift(items[tail + rank]));
  return own;
}

template <class F>
__global__ void grid_vector_kernel(F f, const typename F::item* items, std::int64_t n,
                                   typename F::state* partials, std::uint32_t* ticket,
                                   typename F::state* result) {
  __shared__ typename F::state cells[block_threads];
  const auto own = accumulate_by_packs(f, items, n);
  cells[threadIdx.x] = own;
  const auto total = fold_shared(f, cells, block_threads);
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
  if (draw_last_ticket(ticket)) fold_partials(f, partials, cells, result);
}

template <class F>
void grid_vector(rung_call<F>& call) {
  call.launch(grid_vector_kernel<F>, call.resident_blocks(block_threads), block_threads, 0, call.f,
              call.items, call.n, call.partials, call.ticket, call.results);
}

}  // namespace monofold::ladder
