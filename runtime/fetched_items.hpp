#pragma once
/// runtime/fetched_items: items that come when they are asked for, as a view that engines fold.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "monofold/engine/cpu.hpp"
#include "runtime/any_engine.hpp"
#include "runtime/gpu/devices.hpp"
#include "runtime/reducer.hpp"

namespace monofold::runtime {

/// Items of a source from a position on.
template <class Raw>
class fetched_items {
 public:
  using item_type = Raw;

  fetched_items(const item_source& from, std::int64_t first, std::int64_t count)
      : from_(&from), first_(first), count_(count) {}
  std::int64_t size() const { return count_; }
  Raw operator[](std::int64_t i) const {
    Raw own;
    return *fetch(i, 1, &own);
  }
  std::int64_t fetch_items() const { return from_->fetch_items(); }
  const Raw* fetch(std::int64_t at, std::int64_t count, Raw* buffer) const {
    return static_cast<const Raw*>(from_->fetch(first_ + at, count, buffer));
  }
  fetched_items part(std::int64_t at, std::int64_t count) const {
    return {*from_, first_ + at, count};
  }

 private:
  const item_source* from_;
  std::int64_t first_;
  std::int64_t count_;
};

/// Buffers of pinned memory for the threads of one call, each made once and used again.
class pinned_buffers {
 public:
  explicit pinned_buffers(std::int64_t bytes) : bytes_(bytes) {}

  std::shared_ptr<void> take() {
    std::unique_lock lock(mutex_);
    if (free_.empty()) {
      lock.unlock();
      return make_pinned(bytes_);
    }
    std::shared_ptr<void> one = std::move(free_.back());
    free_.pop_back();
    return one;
  }
  void give_back(std::shared_ptr<void> one) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(one));
  }

 private:
  std::int64_t bytes_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<void>> free_;
};

/// As fold_tiles of any_engine. For a GPU each thread fetches pieces into memory that the bus reads at
/// full speed: while one waits for the bus, others fill their buffers.
template <class Raw>
void fold_tiles(const any_engine& engine, const erased_fold<Raw>& f, const fetched_items<Raw>& view,
                std::int64_t first_tile, std::int64_t first_index, tree_joiner<erased_state>& out) {
  if (!engine.on_gpu) {
    monofold::fold_tiles(engine.cpu, f, view, first_tile, first_index, out);
    return;
  }
  constexpr std::int64_t tile = tile_items_v<Raw>;
  constexpr std::int64_t tile_bytes = tile * std::int64_t{sizeof(Raw)};
  constexpr int piece_level = std::countr_zero(std::uint64_t{max_piece_bytes / tile_bytes});
  const int level = std::max(piece_level, monofold::detail::fetch_level(view));
  pinned_buffers buffers(tile_bytes << level);
  const auto fold_one = [&](const tree_node& node) {
    const std::int64_t at = (node.first_tile() - first_tile) * tile;
    const std::int64_t end = std::min((node.end_tile() - first_tile) * tile, view.size());
    std::shared_ptr<void> buffer = buffers.take();
    const Raw* const items = view.fetch(at, end - at, static_cast<Raw*>(buffer.get()));
    tree_joiner<erased_state> own;
    fold_tiles(engine, f, contiguous_view<Raw>(items, end - at), 0, first_index + at, own);
    buffers.give_back(std::move(buffer));
    return own.total(f);
  };
  monofold::detail::fold_nodes<fetched_items<Raw>>(engine.cpu.num_threads, f, first_tile,
                                                   first_tile + tile_count<Raw>(view.size()), level,
                                                   fold_one, out);
}

}  // namespace monofold::runtime
