#pragma once
/// engine/gpus/host_items: items in host memory, brought to several devices at once and folded there.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "monofold/engine/cpu.hpp"
#include "monofold/engine/detail/own_threads.hpp"
#include "monofold/engine/fetched.hpp"
#include "monofold/engine/gpu/dispatch.cuh"
#include "monofold/engine/gpu/pieces.cuh"
#include "monofold/engine/gpus/devices.cuh"
#include "monofold/engine/tree_joiner.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/plan/tiles.hpp"
#include "monofold/plan/tree.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/shape/view.hpp"

namespace monofold::detail {

/// What one thread brings at once: 160 us of a bus of 50 GB/s, 10 times what a launch and a wait take.
#if defined(MONOFOLD_EMULATED)
inline constexpr std::int64_t host_piece_bytes = std::int64_t{1}
                                                 << 15;  // 8 tiles: a tile takes 50 us
#else
inline constexpr std::int64_t host_piece_bytes = std::int64_t{8} << 20;
#endif

/// Threads that feed one device: while one waits for the bus others copy, each at a fifth of its speed. Memory that
/// the bus reads itself needs no copies.
inline constexpr int copying_feeders = 4;
inline constexpr int waiting_feeders = 2;

/// Whether the bus reads this host memory itself.
inline failure look_at_host_memory(const void* pointer, bool& is_pinned) {
  cudaPointerAttributes facts{};
  if (auto failed =
          failure_of(cudaPointerGetAttributes(&facts, pointer), "cudaPointerGetAttributes")) {
    return failed;
  }
  if (facts.type == cudaMemoryTypeDevice) {
    return {status::invalid_argument, "the range is memory of device " +
                                          std::to_string(facts.device) +
                                          ": give a shard for each device, or host memory"};
  }
  is_pinned = facts.type != cudaMemoryTypeUnregistered;
  return {};
}

/// The ports of one call, to be had in turn: devices get pieces as they are done with others.
class port_queue {
 public:
  port_queue(const std::vector<int>& devices, int feeders) {
    for (int i = 0; i < feeders; ++i) {
      for (const int device : devices) ports_.emplace_back(device);
    }
  }
  std::int64_t size() const { return static_cast<std::int64_t>(ports_.size()); }
  std::deque<port_lease>& ports() { return ports_; }

  class turn {
   public:
    explicit turn(port_queue& from) : from_(from), own_(from.take()) {}
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    ~turn() {
      const std::lock_guard lock(from_.mutex_);
      from_.ports_.push_back(std::move(own_));
    }
    device_port* operator->() const { return own_.operator->(); }

   private:
    port_queue& from_;
    port_lease own_;
  };

 private:
  /// There are as many as threads, so one is left.
  port_lease take() {
    const std::lock_guard lock(mutex_);
    port_lease first = std::move(ports_.front());
    ports_.pop_front();
    return first;
  }

  std::mutex mutex_;
  std::deque<port_lease> ports_;
};

/// What a piece of work failed of, of several threads' the first to say so; it is not lost in an exception's text.
class first_failure {
 public:
  struct noted {};

  /// Throws `noted` where there is a failure: no piece begins after that.
  void note(failure own) {
    if (!own) return;
    const std::lock_guard lock(mutex_);
    if (!first_) first_ = std::move(own);
    throw noted{};
  }
  failure get() const { return first_; }

 private:
  std::mutex mutex_;
  failure first_;
};

/// Brings a piece to a port's device, folds it there, and waits.
template <class F, class Item>
failure fold_there(const port_queue::turn& port, const F& f, const contiguous_view<Item>& here,
                   std::int64_t first, bool is_pinned, typename F::state& out) {
  using part = contiguous_view<Item>;
  if (auto failed = current_device::be(port->device())) return failed;
  const auto bytes = static_cast<std::size_t>(here.size()) * sizeof(Item);
  const void* from = here.data();
  if (!is_pinned) from = std::memcpy(port->pinned(), from, bytes);
  const device_stream on = port->stream();
  if (auto failed =
          failure_of(cudaMemcpyAsync(port->there(), from, bytes, cudaMemcpyDefault, on.stream),
                     "cudaMemcpyAsync")) {
    return failed;
  }
  const part there(static_cast<const Item*>(static_cast<const void*>(port->there())), here.size());
  auto failed = fold_in_place(on, port->place(), counted_from<part>(f, first), there, out);
  if (failed) {
    static_cast<void>(cudaStreamSynchronize(on.stream));  // the next call has the buffers
    return failed;
  }
  count_on(f, out, first);
  return {};
}

/// The state of items in host memory, which are not none.
///
/// order      the plan's tree: pieces are its nodes, whichever device folds them
/// sync       threads of this call, some for each device
/// cost       one pass over the bus; 8 MiB of each device's memory a thread, and as much pinned memory where items
///            lie in other; both stay
template <class F, class Item>
failure fold_host_items(const std::vector<int>& devices, const F& f,
                        const contiguous_view<Item>& view, typename F::state& out) {
  using part = contiguous_view<Item>;
  constexpr std::int64_t tile = tile_items_v<Item>;
  bool is_pinned = false;
  if (auto failed = look_at_host_memory(view.data(), is_pinned)) return failed;
  port_queue ports(devices, is_pinned ? waiting_feeders : copying_feeders);
  const int level = level_of<Item>(host_piece_bytes / static_cast<std::int64_t>(sizeof(Item)));
  const auto piece_bytes = (tile << level) * static_cast<std::int64_t>(sizeof(Item));
  for (port_lease& port : ports.ports()) {
    if (auto failed = current_device::be(port->device())) return failed;
    if (auto failed = port->make_buffers(piece_bytes, !is_pinned)) return failed;
  }
  first_failure failed;
  const auto fold_one = [&](const tree_node& node) {
    const std::int64_t at = node.first_tile() * tile;
    const std::int64_t n = std::min(node.end_tile() * tile, view.size()) - at;
    const port_queue::turn port(ports);
    typename F::state own{};
    failed.note(fold_there(port, f, part(view.data() + at, n), at, is_pinned, own));
    return own;
  };
  const auto parallel = [&](std::int64_t count, const auto& body) {
    const std::int64_t most = std::max<std::int64_t>(
        num_cores(), static_cast<std::int64_t>(devices.size()));  // one each at least
    on_own_threads(std::min({ports.size(), most, count}), count, any_body(body));
  };
  tree_joiner<typename F::state> nodes;
  try {
    fold_nodes(f, 0, tile_count<Item>(view.size()), level, fold_one, parallel, nodes);
  } catch (const first_failure::noted&) {
    return failed.get();
  }
  out = nodes.total(f);
  return {};
}

}  // namespace monofold::detail
