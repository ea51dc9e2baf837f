#pragma once
/// runtime/fetched_items: items that come when they are asked for, as a view that engines fold.

#include <algorithm>
#include <cstdint>

#include "monofold/engine/fetched.hpp"
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

/// As fold_tiles of any_engine. For a GPU each thread fetches pieces into memory that the bus reads at
/// full speed: while one waits for the bus, others fill their buffers.
template <class Raw>
void fold_tiles(const any_engine& engine, const erased_fold<Raw>& f, const fetched_items<Raw>& view,
                std::int64_t first_tile, std::int64_t first_index, tree_joiner<erased_state>& out) {
  if (!engine.on_gpu) {
    monofold::fold_tiles(engine.cpu, f, view, first_tile, first_index, out);
    return;
  }
  const int level = std::max(monofold::detail::level_of<Raw>(view.fetch_items()),
                             monofold::detail::level_of<Raw>(max_piece_bytes / sizeof(Raw)));
  monofold::detail::fold_fetched(engine, engine.cpu.num_threads, f, view, first_tile, first_index,
                                 level, make_pinned, out);
}

}  // namespace monofold::runtime
