#include "emulation/builtins.hpp"

#include <utility>

#include "emulation/access.hpp"
#include "emulation/block.hpp"
#include "emulation/step_notes.hpp"

uint3 threadIdx;
uint3 blockIdx;
dim3 blockDim;
dim3 gridDim;

namespace monofold::emulation {

using detail::outside_kernel;
using detail::running_block;

int sync_threads(int kind, bool vote) {
  const outside_kernel here;

  return running_block->sync(static_cast<block_barrier>(kind), vote);
}

namespace {

/// Word by word, as on a GPU, for who records it.
std::uint64_t meet_by_words(warp_call call) {
  auto* const words = reinterpret_cast<std::uint32_t*>(static_cast<std::uintptr_t>(call.value));
  const int count = std::exchange(call.num_words, 0);
  for (int i = 0; i < count; ++i) {
    call.value = words[i];
    words[i] = static_cast<std::uint32_t>(running_block->meet(call));
  }
  return 0;
}

}  // namespace

std::uint64_t meet_lanes(const warp_call& call) {
  const outside_kernel here;
  if (detail::notes != nullptr && call.num_words > 0) [[unlikely]]
    return meet_by_words(call);
  return running_block->meet(call);
}

void give_way() {
  const outside_kernel here;
  running_block->yield();
}

void stop_kernel() {
  const outside_kernel here;
  running_block->fail(finding::trap, "the kernel called __trap");
}

void* dynamic_shared_memory() { return running_block->shared().dynamic(); }

unsigned rank_in_cluster() { return static_cast<unsigned>(running_block->rank_in_cluster()); }

unsigned cluster_blocks() { return static_cast<unsigned>(running_block->home().blocks.size()); }

void arrive_at_cluster_barrier() {
  const outside_kernel here;
  running_block->sync_cluster();
}

void* in_block_of_cluster(const void* own, unsigned rank) {
  const outside_kernel here;

  const auto& blocks = running_block->home().blocks;
  if (rank >= blocks.size()) {
    running_block->fail(finding::shared_out_of_range,
                        "asks for shared memory of block " + std::to_string(rank) +
                            " of a cluster of " + std::to_string(blocks.size()));
  }
  detail::block& other = *blocks[rank];
  if (&other == running_block) return const_cast<void*>(own);
  if (other.has_ended()) {
    running_block->fail(finding::shared_out_of_range, "asks for shared memory of block " +
                                                          std::to_string(rank) +
                                                          " of its cluster, which has ended");
  }
  void* const there = other.shared().image_of(running_block->shared(), own);
  if (there == nullptr) {
    running_block->fail(finding::shared_out_of_range,
                        "asks where another block has what is not in its own shared memory");
  }
  return there;
}

void note_atomic(const void* address, std::size_t bytes) {
  detail::touch(address, bytes, detail::access_kind::atomic, true);
}

void note_change() {
  if (detail::is_in_kernel && detail::is_on_fiber()) ++detail::running_launch->progress;
}

}  // namespace monofold::emulation
