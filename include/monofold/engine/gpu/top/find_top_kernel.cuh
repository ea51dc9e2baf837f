#pragma once
/// engine/gpu/top/find_top_kernel: the kernel that finds the k best items of a range.

#include <cstdint>

#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/engine/gpu/top/block_candidates.cuh"
#include "monofold/engine/gpu/top/warp_candidates.cuh"
#include "monofold/engine/gpu/top/warp_top_tile.cuh"
#include "monofold/engine/gpu/top/warp_top_work.cuh"
#include "monofold/fold/nan.hpp"
#include "monofold/fold/top_rank.hpp"
#include "monofold/level/grid.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/launch.hpp"
#include "monofold/plan/tiles.hpp"
#include "monofold/plan/top_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Where the blocks of a launch meet: `shared` and `ticket` are 0 before it and after it, `list` has room
/// for top_survivors(k) entries of each block. Unused by one block.
struct top_scratch {
  shared_bounds* shared;
  std::uint32_t* ticket;
  top_entry* list;
};

/// Where the answer goes; `count` and `line` (of a host that waits, see `awaited_sink`) may be null.
template <class Item>
struct top_places {
  Item* values;
  std::int64_t* indices;
  std::int64_t* count;
  void* line;
  std::uint32_t raised;
};

/// A block with so many tiles with candidates meets, to learn a better bound.
inline constexpr std::uint32_t most_fresh_tiles = 32;

/// A tile in so many lanes of which there are candidates waits until the block has met: the bests of its lanes
/// often show that most of them are none of the k best. That needs more lanes than k.
inline constexpr int many_lanes = 16;
inline constexpr int most_items_to_wait = 256;

/// The block meets: its candidates, what its warps are about to add and what other blocks have seen give
/// a bound, which candidates have to pass and the other blocks learn.
///
/// sync       all threads of the block, behind a barrier, and with one behind it
MONOFOLD_GPU void tighten_bound(candidate_pool& pool, const top_entry& own, shared_bounds* shared,
                                int k) {
  // Blocks b and b + 256 share a place, so what is elsewhere is all the others' places.
  const auto place = static_cast<int>(blockIdx.x) % shared_bounds::num_places;
  std::uint64_t best_elsewhere = 0;
  if (shared != nullptr && rank_in_block() < shared_bounds::num_places &&
      rank_in_block() != place) {
    best_elsewhere = peek(&shared->best[rank_in_block()]);
  }
  candidate_search search(pool, own, best_elsewhere);
  const top_bound bound = search.tighten(pool.bound_now(), k);
  if (shared != nullptr && rank_in_block() == 0) raise_to(&shared->bound, bound.score);
  search.keep(bound);
}

/// A warp has found candidates: other blocks, and its own, hear of it.
MONOFOLD_GPU void report_best(shared_bounds* shared, std::uint64_t score, candidate_pool& pool) {
  const std::uint64_t most = largest_of_lanes(score);
  if (lane_rank() != 0) return;
  if (shared != nullptr && most > 0)
    raise_to(&shared->best[blockIdx.x % shared_bounds::num_places], most);
  if (atomicAdd(&pool.fresh_tiles, 1u) + 1 >= most_fresh_tiles) post(&pool.asked, 1u);
}

/// Looks at the tiles of this warp, and adds candidates to the pool.
template <class Item, bool smallest, nan_rule rule>
MONOFOLD_GPU void search_tiles(const top_range<Item>& range, const top_launch& plan, int k,
                               shared_bounds* shared, candidate_pool& pool) {
  using tile_type = top_tile<Item, smallest, rule>;
  const int warp = rank_in_block() / warp_lanes;
  const std::uint32_t rank_in_grid = blockIdx.x * top_warps + static_cast<unsigned>(warp);
  top_work work(plan, rank_in_grid, &shared->tickets);
  constexpr std::uint32_t all_rows = (1u << tile_rows) - 1;
  std::uint32_t rows = all_rows;  // of the tile at hand: those that are to be looked at
  bool is_fresh = true;           // none of its items is a candidate yet
  bool has_waited = false;        // the block has met for it
  for (;;) {
    top_entry own;  // what this lane is about to add at least
    // By a vote: what lanes read at different times may differ.
    while (work.is_left() && !any_lane(peek(&pool.asked) != 0)) {
      const std::int64_t at = work.tile() * tile_type::tile_items;
      tile_type tile;
      tile.load(range, at);
      if (warp == 0 && plan.blocks > 1) {
        const std::uint64_t known = peek(&shared->bound);
        if (known > pool.bound.score && lane_rank() == 0) raise_to(&pool.common, known);
      }
      const auto best = tile.best();
      const top_bound bound = pool.bound_now();
      const bool has_candidates = tile_type::may_pass(bound, best, at, range.index_shift);
      if (any_lane(has_candidates)) {
        own = tile_type::best_entry(range, at, best, has_candidates && is_fresh);
        const bool is_crowded =
            count_lanes(has_candidates) >= many_lanes && k <= most_items_to_wait;
        report_best(plan.blocks > 1 ? shared : nullptr, own.score, pool);
        rows &= tile.rows_with_candidates(bound, at, range.index_shift);
        std::uint32_t left = rows;
        if (has_waited || !is_crowded) left = tile_type::collect(range, at, rows, bound, pool);
        if (left != 0) {
          is_fresh = is_fresh && left == rows;
          if (!is_fresh) own = top_entry{};
          rows = left;
          has_waited = true;
          if (lane_rank() == 0) post(&pool.asked, 1u);
          break;
        }
        own = top_entry{};
      }
      rows = all_rows;
      is_fresh = true;
      has_waited = false;
      work.advance();
    }
    // Candidates added above are read below. A warp leaves its tiles early only where it was asked to.
    if (!sync_block_any(work.is_left())) return;
    tighten_bound(pool, own, plan.blocks > 1 ? shared : nullptr, k);
  }
}

/// Puts the pool's candidates, of which there are up to `size` (a power of 2), in order: best first.
///
/// sync       all threads of the block, behind a barrier, and with one behind it
MONOFOLD_GPU void sort_candidates(candidate_pool& pool, int size) {
  for (int i = static_cast<int>(pool.count) + rank_in_block(); i < size; i += top_threads) {
    pool.put(static_cast<std::uint32_t>(i), top_entry{});
  }
  MONOFOLD_ROLL
  for (int run = 2; run <= size; run *= 2) {
    MONOFOLD_ROLL
    for (int distance = run / 2; distance > 0; distance /= 2) {
      sync_block();  // what was written above is read below, by one thread each
      for (int pair = rank_in_block(); pair < size / 2; pair += top_threads) {
        const int low = pair / distance * distance * 2 + pair % distance;
        const int high = low + distance;
        const top_bound lower{pool.score[low], pool.position[low]};
        const top_bound upper{pool.score[high], pool.position[high]};
        const bool best_first = (low & run) == 0;
        // A bound lets equals pass; entries are equal only where there is none.
        if (lower.passes(upper.score, upper.last) == best_first) {
          pool.put(static_cast<std::uint32_t>(low), {upper.score, upper.last});
          pool.put(static_cast<std::uint32_t>(high), {lower.score, lower.last});
        }
      }
    }
  }
  sync_block();  // the order made above is read by all
}

/// What a block does once, behind its tiles.
struct top_blocks {
  /// Leaves the k best of all blocks in the pool of the one that comes last, in order. False: this is
  /// another one.
  ///
  /// sync       all threads of the block, behind a barrier, and with one behind it
  MONOFOLD_GPU_CALL static bool join(candidate_pool& pool, const top_scratch& scratch, int blocks,
                                     int k) {
    shared_bounds* const shared = blocks > 1 ? scratch.shared : nullptr;
    if (shared != nullptr && rank_in_block() == 0) raise_to(&pool.common, peek(&shared->bound));
    sync_block();  // `common`, raised above, is read below
    tighten_alone(pool, k);
    if (shared != nullptr) {
      const auto own = static_cast<int>(pool.count);
      if (rank_in_block() == 0)
        pool.kept = own == 0 ? 0 : atomicAdd(&shared->survivors, pool.count);
      sync_block();  // `kept` is read below
      for (int i = rank_in_block(); i < own; i += top_threads) {
        scratch.list[pool.kept + static_cast<std::uint32_t>(i)] = {pool.score[i], pool.position[i]};
      }
      sync_block();  // entries written above are seen by whoever sees the ticket
      bool last = false;
      if (rank_in_block() == 0) {
        last = take_ticket(scratch.ticket) == static_cast<std::uint32_t>(blocks - 1);
      }
      // What thread 0 of the last block acquired is behind this barrier seen by all its threads.
      if (!sync_block_any(last)) return false;
      const auto all = static_cast<int>(peek(&shared->survivors));
      if (rank_in_block() == 0) pool.count = 0;
      MONOFOLD_ROLL
      for (int at = 0; at < all; at += top_threads) {
        const int i = at + rank_in_block();
        const top_entry entry = i < all ? scratch.list[i] : top_entry{};
        sync_block();  // `count` is complete
        if (pool.count + top_threads > candidate_pool::capacity) tighten_alone(pool, k);
        const bool passes = pool.bound_now().passes(entry.score, entry.position);
        sync_block();  // `count` was read above and grows below
        const std::uint32_t place = pool.take_places(passes ? 1 : 0);
        if (passes) pool.put(place, entry);
      }
      sync_block();  // candidates added above are read below
      // Every block has taken its ticket: nobody looks at these until the next launch.
      for (int i = rank_in_block(); i < shared_bounds::num_places; i += top_threads)
        shared->best[i] = 0;
      if (rank_in_block() == 0) {
        shared->bound = 0;
        shared->tickets = shared->survivors = 0;
        *scratch.ticket = 0;
      }
      if (all > top_survivors(k)) tighten_alone(pool, k);
    }
    int size = 2;
    while (size < static_cast<int>(pool.count)) size *= 2;
    sort_candidates(pool, size);
    return true;
  }

 private:
  /// The block meets without others.
  MONOFOLD_GPU_CALL static void tighten_alone(candidate_pool& pool, int k) {
    tighten_bound(pool, {}, nullptr, k);
  }
};

/// Writes the k best items of a range and their indices, best first, by the block that ends last.
///
/// shape      plan: of range; first_index: that of the range's first item; 0 < k <= max_top_items. Where
///            there are fewer items (NaN are none under `omit`), index -1 stands in the other places
/// order      any: the answer does not depend on it
template <class Item, bool smallest, nan_rule rule>
__global__ void __launch_bounds__(top_threads, min_resident_blocks)
    find_top_kernel(const top_range<Item> range, const top_launch plan, const int k,
                    const std::int64_t first_index, const top_scratch scratch,
                    const top_places<Item> out) {
  let_next_launch_begin();
  wait_for_launches_before();
  using ranks = top_rank<Item, smallest>;
  auto& pool = *reinterpret_cast<candidate_pool*>(dynamic_shared());
  pool.start();
  sync_block();  // what was written above is read and added to below
  search_tiles<Item, smallest, rule>(range, plan, k, scratch.shared, pool);
  if (!top_blocks::join(pool, scratch, plan.blocks, k)) return;
  const int count = static_cast<int>(pool.count) < k ? static_cast<int>(pool.count) : k;
  for (int i = rank_in_block(); i < k; i += top_threads) {
    const bool there = i < count;
    const auto rank = rank_of_score<typename ranks::type>(there ? pool.score[i] : 0);
    out.values[i] = ranks::item_of(rank);
    out.indices[i] = there ? pool.position[i] - range.first + first_index : -1;
  }
  if (out.count != nullptr && rank_in_block() == 0) *out.count = count;
  if (out.line == nullptr) return;
  sync_block();  // values and indices written above are behind the fence of thread 0
  if (rank_in_block() == 0) {
#if defined(__CUDA_ARCH__)
    __threadfence_system();  // a reader of the flag, on the host too, sees what was written above
#endif
    *static_cast<volatile std::uint32_t*>(out.line) = out.raised;
  }
}

}  // namespace monofold::detail
