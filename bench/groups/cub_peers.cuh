#pragma once
/// bench/groups/cub_peers: what is written with CUB to fold items by their keys, as subjects.

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "bench/gpu/cub_peer.cuh"
#include "bench/groups/cases.hpp"
#include "bench/groups/ours.cuh"

namespace bench {

/// CUB takes counts of 32 bits here, which are its fastest.
inline int cub_count(std::int64_t count) {
  if (count > std::numeric_limits<int>::max()) throw std::runtime_error("too many items for CUB");
  return static_cast<int>(count);
}

struct free_pinned {
  void operator()(int* number) const { static_cast<void>(cudaFreeHost(number)); }
};
using pinned_number = std::unique_ptr<int, free_pinned>;
inline pinned_number new_pinned() {
  void* memory = nullptr;
  check(cudaMallocHost(&memory, sizeof(int)), "cudaMallocHost");
  return pinned_number(static_cast<int*>(memory));
}

/// Device memory of a peer's answers, and what CUB asks for.
template <class Key, class Item>
struct cub_groups_memory {
  cub_memory keys;
  cub_memory answers;
  cub_memory number;
  cub_memory reducing;
  cub_memory sorted_keys;
  cub_memory sorted_items;
  cub_memory sorting;
  int key_bits = 0;                     // that are sorted
  pinned_number pinned = new_pinned();  // where the host finds how many runs there are

  template <class Op>
  void reduce(const Key* from, const Item* items, int count, Op op, cudaStream_t stream) {
    check(cub::DeviceReduce::ReduceByKey(
              reducing.data, reducing.bytes, from, static_cast<Key*>(keys.data), items,
              static_cast<Item*>(answers.data), static_cast<int*>(number.data), op, count, stream),
          "cub::DeviceReduce::ReduceByKey");
  }
  void sort(const Key* from, const Item* items, int count, cudaStream_t stream) {
    check(cub::DeviceRadixSort::SortPairs(
              sorting.data, sorting.bytes, from, static_cast<Key*>(sorted_keys.data), items,
              static_cast<Item*>(sorted_items.data), count, 0, key_bits, stream),
          "cub::DeviceRadixSort::SortPairs");
  }
  /// Asks for the memory of reduce() and for room for its results.
  template <class Op>
  void reserve(std::int64_t count, std::int64_t num_groups, Op op) {
    keys.reserve(static_cast<std::size_t>(num_groups) * sizeof(Key));
    answers.reserve(static_cast<std::size_t>(num_groups) * sizeof(Item));
    number.reserve(sizeof(int));
    reducing.reserve(asked_by(
        reducing, [&] { reduce(nullptr, nullptr, cub_count(count), op, cudaStream_t{}); }));
  }
  /// The same for sort().
  void reserve_sort(std::int64_t count, int bits) {
    key_bits = bits;
    sorted_keys.reserve(static_cast<std::size_t>(count) * sizeof(Key));
    sorted_items.reserve(static_cast<std::size_t>(count) * sizeof(Item));
    sorting.reserve(
        asked_by(sorting, [&] { sort(nullptr, nullptr, cub_count(count), cudaStream_t{}); }));
  }
  void wait_for_number(cudaStream_t stream) {
    check(cudaMemcpyAsync(pinned.get(), number.data, sizeof(int), cudaMemcpyDeviceToHost, stream),
          "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream), "CUB");
  }
  void bring(cudaStream_t stream, found_groups& out) const {
    check(cudaStreamSynchronize(stream), "CUB");
    out.count = brought(static_cast<const int*>(number.data), 1).front();
    const std::int64_t asked = std::min(out.most, out.count);
    out.keys = bytes_of(brought(static_cast<const Key*>(keys.data), asked));
    out.answers = bytes_of(brought(static_cast<const Item*>(answers.data), asked));
  }

 private:
  /// What a call without memory says that it needs.
  template <class Call>
  static std::size_t asked_by(cub_memory& memory, const Call& call) {
    static_cast<void>(cudaFree(std::exchange(memory.data, nullptr)));
    call();
    return memory.bytes;
  }
};

/// ReduceByKey; `waits`: for the number of runs, which the host has then.
template <class Key, class Item, class Op>
groups_subject cub_runs(Op op, bool waits) {
  const auto memory = std::make_shared<cub_groups_memory<Key, Item>>();
  groups_subject made{
      cub_name() + (waits ? " called" : ""), sizeof(Item), {}, {}, value_at<Item>, waits};
  made.prepare = [=](std::int64_t count, std::int64_t num_groups) {
    memory->reserve(count, num_groups, op);
  };
  made.call = [=](const keyed_range& range, void* stream, found_groups* found) {
    const auto on = static_cast<cudaStream_t>(stream);
    memory->reduce(static_cast<const Key*>(range.keys), static_cast<const Item*>(range.items),
                   cub_count(range.count), op, on);
    if (waits) memory->wait_for_number(on);
    if (found != nullptr) memory->bring(on, *found);
  };
  return made;
}

/// SortPairs, ReduceByKey; of all bits of the keys, or of those alone that groups of 0 to num_groups - 1 have.
template <class Key, class Item, class Op>
groups_subject cub_groups(Op op, bool knows_bits) {
  const auto memory = std::make_shared<cub_groups_memory<Key, Item>>();
  groups_subject made{cub_name() + (knows_bits ? " known bits" : " all bits"),
                      sizeof(Item),
                      {},
                      {},
                      value_at<Item>};
  made.prepare = [=](std::int64_t count, std::int64_t num_groups) {
    int bits = 1;
    while (num_groups > std::int64_t{1} << bits) ++bits;
    memory->reserve(count, num_groups, op);
    memory->reserve_sort(count, knows_bits ? bits : static_cast<int>(8 * sizeof(Key)));
  };
  made.call = [=](const keyed_range& range, void* stream, found_groups* found) {
    const auto on = static_cast<cudaStream_t>(stream);
    const int count = cub_count(range.count);
    memory->sort(static_cast<const Key*>(range.keys), static_cast<const Item*>(range.items), count,
                 on);
    memory->reduce(static_cast<const Key*>(memory->sorted_keys.data),
                   static_cast<const Item*>(memory->sorted_items.data), count, op, on);
    if (found != nullptr) memory->bring(on, *found);
  };
  return made;
}

}  // namespace bench
