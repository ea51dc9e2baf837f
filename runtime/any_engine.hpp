#pragma once
/// runtime/any_engine: folds items where a reducer wants it: on the processor, or on a GPU.

#include <cstdint>
#include <memory>
#include <vector>

#include "monofold/engine/tree_joiner.hpp"
#include "runtime/gpu/device_pass.hpp"
#include "runtime/member_states.hpp"
#include "runtime/raw_items.hpp"
#include "runtime/reducer.hpp"

namespace monofold::runtime {

/// Appends the states of the nodes of the plan's tree that items consist of.
///
/// shape      item i has global index first_index + i; the first is the first of tile `first_tile`
/// order      the plan's tree, wherever and by however many threads items are folded
class any_engine {
 public:
  using joiner = tree_joiner<member_states>;

  /// `work`: what a GPU does for the members; nothing where no GPU was asked for. `gpus` are those for host memory.
  any_engine(const member_list& members, const device_work& work, int num_threads, bool on_gpu,
             const gpu_span& gpus)
      : members_(members), work_(work), num_threads_(num_threads), on_gpu_(on_gpu), gpus_(gpus) {}

  /// Items in host memory.
  void fold_tiles(const raw_items& items, std::int64_t first_tile, std::int64_t first_index,
                  joiner& out) const;
  /// Items [at, at + count) of a source, each fetched by the thread that folds it.
  void fold_fetched(const item_source& from, std::int64_t at, std::int64_t count, int item_bytes,
                    std::int64_t first_tile, std::int64_t first_index, joiner& out) const;
  /// Items in memory of a GPU.
  void fold_on_device(const raw_items& items, std::int64_t first_tile, std::int64_t first_index,
                      joiner& out) const;
  /// The state of items in memory of a GPU that are the whole input, by one launch a pass.
  member_states fold_whole(const raw_items& items, std::int64_t first_index) const;
  /// The state of the items of a node, by this thread.
  member_states fold_node(const raw_items& items, std::int64_t first_index) const;

 private:
  /// By all of `gpus` at once.
  std::vector<member_states> fold_pieces_of(const raw_items& items,
                                            const std::vector<device_piece>& pieces,
                                            std::int64_t first_index, const gpu_span& gpus) const;
  void fold_by_pieces(const raw_items& items, std::int64_t first_tile, std::int64_t first_index,
                      int level, const gpu_span& gpus, joiner& out) const;
  /// Items in host memory: up to a tile by this thread, others as pieces of a size that buffers have.
  void fold_on_gpus(const raw_items& items, std::int64_t first_tile, std::int64_t first_index,
                    const gpu_span& gpus, joiner& out) const;
  int num_feeders() const;

  const member_list& members_;
  const device_work& work_;
  int num_threads_;
  bool on_gpu_;
  const gpu_span& gpus_;
};

}  // namespace monofold::runtime
