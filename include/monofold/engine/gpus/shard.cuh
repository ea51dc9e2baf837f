#pragma once
/// engine/gpus/shard: what a device makes of its shard: kernels that are all started before one is waited for.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "monofold/engine/gpu/dispatch.cuh"
#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/pieces.cuh"
#include "monofold/engine/gpus/devices.cuh"
#include "monofold/engine/shard.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/plan/tiles.hpp"
#include "monofold/plan/tree.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/shape/part.hpp"

namespace monofold::detail {

/// The shard of one device: of an exact fold one state; else the states of the largest nodes of the plan's tree, and
/// items at the ends that fill no tile.
///
/// sync       prepare, start and wait are called in turn, each with the device current; after `start` comes `wait`,
///            whatever went wrong. The device's default stream
template <class F, class View>
class device_shard {
 public:
  using item = typename View::item_type;
  using state = typename F::state;

  /// `first`: the index of its first item among those of all shards.
  device_shard(int device, const F& f, const View& view, std::int64_t first)
      : device_(device), fold_(f), view_(view), first_(first) {}
  device_shard(const device_shard&) = delete;
  device_shard& operator=(const device_shard&) = delete;

  int device() const { return device_; }
  std::int64_t count() const { return static_cast<std::int64_t>(view_.size()); }

  /// Checks what the caller gave, cuts it, and makes memory.
  failure prepare() {
    if (auto failed = check_view(view_, device_)) return failed;
    if (count() == 0) return {};
    if (auto failed = check_waitable(on())) return failed;
    cut();
    for (items_piece& piece : items_) {
      if (auto failed = piece.port->place().reserve(piece.bytes(), 0)) return failed;
    }
    std::int64_t workspace_bytes = 0;
    for (const node_piece& piece : nodes_) {
      workspace_bytes = std::max(workspace_bytes, piece.path.workspace_bytes());
    }
    // Kernels of one stream take turns: one workspace is enough.
    for (node_piece& piece : nodes_) {
      const bool is_first = &piece == &nodes_.front();
      if (auto failed = piece.port->place().reserve(piece.path.awaited_bytes(),
                                                    is_first ? workspace_bytes : 0)) {
        return failed;
      }
    }
    return {};
  }

  failure start() {
    for (node_piece& piece : nodes_) {
      awaited_state& place = piece.port->place();
      if (auto failed = start_path(piece.path, on(), workspace(), piece.path.sink_in(place))) {
        return failed;
      }
      piece.is_started = true;
    }
    for (items_piece& piece : items_) {
      if (auto failed = launch_early(copy_items_kernel<part, item>, 1, 256, 0, on(), piece.view,
                                     static_cast<std::int64_t>(piece.view.size()),
                                     static_cast<int>(sizeof(part)),
                                     piece.port->place().template sink<item>())) {
        return failed;
      }
      piece.is_started = true;
    }
    return {};
  }

  /// Waits for all that was started; the first failure.
  failure wait() {
    failure first_failed;
    const auto wait_for = [&](auto& piece) {
      if (!piece.is_started) return;
      auto failed = piece.port->place().wait(on().stream);
      if (failed && !first_failed) first_failed = std::move(failed);
    };
    for (node_piece& piece : nodes_) wait_for(piece);
    for (items_piece& piece : items_) wait_for(piece);
    if (first_failed) discard_workspace();
    return first_failed;
  }

  /// A kernel that failed may have left tickets and mail behind.
  void discard_workspace() {
    if (!nodes_.empty()) nodes_.front().port->place().discard_workspace();
  }

  /// Hands everything to a joiner, once `wait` was ok.
  void give(shard_joiner<F, item>& joiner) {
    auto next_node = nodes_.begin();
    auto next_items = items_.begin();
    std::int64_t next = 0;
    joiner.take(
        count(),
        [&] {
          state own{};
          next_node->path.get(next_node->port->place(), own);
          count_on(fold_, own, next_node->first);
          ++next_node;
          return own;
        },
        [&] {
          if (next == next_items->view.size()) {
            ++next_items;
            next = 0;
          }
          const void* const items = next_items->port->place().state_place();
          return static_cast<const item*>(items)[next++];
        });
  }

 private:
  using part = decltype(part_of(std::declval<const View&>(), std::int64_t{}, std::int64_t{}));
  using counted = decltype(counted_from<part>(std::declval<const F&>(), std::int64_t{}));

  struct node_piece {
    node_piece(int device, const counted& f, const part& items, std::int64_t first_index)
        : port(device), fold(f), view(items), first(first_index), path(fold, view) {}

    port_lease port;
    counted fold;
    part view;
    std::int64_t first;
    gpu_path<counted, part> path;
    bool is_started = false;
  };
  struct items_piece {
    port_lease port;
    part view;
    bool is_started = false;

    std::int64_t bytes() const {
      return static_cast<std::int64_t>(view.size()) * static_cast<std::int64_t>(sizeof(item));
    }
  };

  device_stream on() const { return {nullptr, device_}; }
  const gpu_workspace& workspace() const { return nodes_.front().port->place().workspace(); }

  void cut() {
    const auto add_node = [&](std::int64_t at, std::int64_t n) {
      nodes_.emplace_back(device_, counted_from<part>(fold_, first_ + at), part_of(view_, at, n),
                          first_ + at);
    };
    if constexpr (is_exact_v<F>) {
      add_node(0, count());
    } else {
      const auto add_items = [&](std::int64_t at, std::int64_t n) {
        if (n > 0) items_.push_back({port_lease(device_), part_of(view_, at, n)});
      };
      constexpr std::int64_t tile = tile_items_v<item>;
      const shard_cut here = shard_cut::of(first_, count(), tile);
      add_items(0, here.head);
      for (std::int64_t next = here.first_tile; next < here.end_tile;) {
        const tree_node node = next_node(next, here.end_tile, 62);
        add_node(here.head + (next - here.first_tile) * tile, (node.end_tile() - next) * tile);
        next = node.end_tile();
      }
      add_items(count() - here.tail, here.tail);
    }
  }

  int device_;
  const F& fold_;
  View view_;
  std::int64_t first_;
  std::deque<node_piece>
      nodes_;  // a path refers to its neighbours in the struct: they stay where they are
  std::deque<items_piece> items_;
};

/// The state of all shards, in their order; none where they have no item.
///
/// shape      shard i is memory of devices[i], which need not be another one than that of shard j
/// sync       one thread starts all devices, then waits for all
/// errors     that of the first shard with one, which it names; nothing of the call is then running
template <class F, class View>
failure fold_shards(const std::vector<int>& devices, const F& f, const std::vector<View>& views,
                    std::optional<typename F::state>& out) {
  if (devices.size() != views.size()) {
    return {status::invalid_argument, std::to_string(views.size()) + " shards for " +
                                          std::to_string(devices.size()) + " devices"};
  }
  if (devices.empty()) return {status::device_unavailable, "no device"};
  const current_device kept;
  std::deque<device_shard<F, View>> shards;
  std::int64_t first = 0;
  for (std::size_t i = 0; i < views.size(); ++i) {
    const auto count = static_cast<std::int64_t>(views[i].size());
    shards.emplace_back(devices[i], f, views[i], first);
    first += std::max<std::int64_t>(count, 0);
  }
  failure first_failed;
  const auto each = [&](const auto& call) {
    for (std::size_t i = 0; i < shards.size(); ++i) {
      auto failed = current_device::be(shards[i].device());
      if (!failed) failed = call(shards[i]);
      if (!failed || first_failed) continue;
      first_failed = std::move(failed);
      first_failed.detail = "shard " + std::to_string(i) + ": " + first_failed.detail;
    }
  };
  each([](auto& shard) { return shard.prepare(); });
  if (first_failed) return first_failed;
  each([](auto& shard) { return shard.start(); });
  each([](auto& shard) { return shard.wait(); });
  if (first_failed) {
    for (auto& shard : shards) shard.discard_workspace();
    return first_failed;
  }
  shard_joiner<F, typename View::item_type> joiner(f);
  for (auto& shard : shards) shard.give(joiner);
  out = joiner.total();
  return {};
}

}  // namespace monofold::detail
