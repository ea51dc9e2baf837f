#pragma once
/// engine/gpu/top/search_tiles: how a block searches its tiles for candidates for the k best.

#include <cstdint>

#include "monofold/engine/gpu/top/join_blocks.cuh"
#include "monofold/engine/gpu/top/warp_candidates.cuh"
#include "monofold/engine/gpu/top/warp_top_tile.cuh"
#include "monofold/engine/gpu/top/warp_top_work.cuh"
#include "monofold/fold/nan.hpp"
#include "monofold/fold/top_rank.hpp"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/top_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// After so many tiles with candidates a block stops to find a better bound.
inline constexpr std::uint32_t most_fresh_tiles = 32;

/// A tile with candidates in so many lanes waits until the block has searched for a better bound. The best items of
/// its lanes often show that most of its candidates are not among the k best. That takes more lanes than k.
inline constexpr int many_lanes = 16;
inline constexpr int most_items_to_wait = 256;

/// Tells other blocks, and the warps of this one, that a warp has found candidates.
MONOFOLD_GPU void report_best(shared_bounds* shared, std::uint64_t score, candidate_pool& pool) {
  const std::uint64_t most = largest_of_lanes(score);
  if (lane_rank() != 0) return;
  if (shared != nullptr && most > 0) {
    raise_to(&shared->best[blockIdx.x % shared_bounds::num_places], most);
  }
  if (atomicAdd(&pool.fresh_tiles, 1u) + 1 >= most_fresh_tiles) post(&pool.asked, 1u);
}

/// Whether items of one score may have several positions.
template <class Item, bool smallest>
MONOFOLD_GPU bool may_have_ties(const top_range<Item>& range) {
  return sizeof(typename top_rank<Item, smallest>::type) == 8 || range.index_shift != 0;
}

/// Searches the first tile of each warp of the block. For each of 32 lanes, the best item that this lane of any warp
/// has seen is known; the k-th best of these is a bound, which hardly more than k items pass if the best items lie in
/// different lanes. False where so many pass that no candidates were added, only the bound was found.
///
/// shape      k up to 32
/// sync       all threads of the block, and with a barrier behind it
template <class Item, bool smallest, nan_rule rule>
MONOFOLD_GPU bool search_first_tiles(const top_range<Item>& range, const top_launch& plan, int k,
                                     candidate_pool& pool) {
  using tile_type = top_tile<Item, smallest, rule>;
  const std::int64_t tile_rank = top_tile_at(plan, blockIdx.x, rank_in_block() / warp_lanes);
  const std::int64_t at = tile_rank * tile_type::tile_items;
  const bool is_there = tile_rank < plan.tiles;
  tile_type tile;
  if (is_there) tile.load(range, at);
  pool.start(may_have_ties<Item, smallest>(range));
  sync_block();  // what was written above is read and added to below
  std::uint32_t word = 0;
  if (is_there) {
    word = tile_type::word_of(tile.best(), tile_rank);
    if (word != 0) atomicMax(pool.of_lane_word(0, lane_rank()), word);
  }
  sync_block();  // what lanes have seen is read below
  bool is_full = false;
  if (is_there) {
    const std::uint32_t least = kth_of_lanes(pool.of_lane[0], k);
    const top_bound bound = tile_type::bound_of(least, range.index_shift);
    // Fewer than k lanes are better than the bound: these are equal, and there is no end of them.
    constexpr int few = 24;
    if (k < few && count_lanes(word >= least) == warp_lanes) {
      is_full = true;
    } else if (any_lane(word >= least)) {
      using rank_type = typename tile_type::ranks::type;
      std::uint32_t rows = 0;
      if (word >= least) rows = tile.rows_with(rank_of_score<rank_type>(bound.score));
      is_full = tile.collect(range, at, rows, bound, pool) != 0;
    }
    if (rank_in_block() == 0) pool.bound = bound;
  }
  // `bound` and candidates, written above, are read below.
  if (!sync_block_any(is_full)) return true;
  if (rank_in_block() == 0) pool.count = 0;
  sync_block();  // `count` is added to below
  return false;
}

/// Tells other blocks the best of those candidates, and the bound.
///
/// sync       all threads of the block, behind a barrier, and with one behind it
MONOFOLD_GPU void report_first(shared_bounds* shared, int k, candidate_pool& pool) {
  constexpr int many = 64;  // most of which are equal
  const auto count = static_cast<int>(pool.count);
  if (rank_in_block() < warp_lanes) {
    std::uint64_t most = 0;
    for (int i = lane_rank(); i < count; i += warp_lanes) {
      most = pool.score[i] > most ? pool.score[i] : most;
    }
    most = largest_of_lanes(most);
    if (lane_rank() == 0 && most > 0) {
      raise_to(&shared->best[blockIdx.x % shared_bounds::num_places], most);
    }
    if (lane_rank() == 0) raise_to(&shared->bound, pool.bound.score);
  }
  sync_block();  // candidates read above are joined by others below
  if (count > many) top_bounds::tighten_bound(pool, 0, {}, shared, k);
}

/// What a warp still has to do at its tile: which rows of each lane it has to look at, and whether the block has
/// searched for a better bound since. In one register: a load from local memory would wait behind the items of all
/// warps.
class rows_left {
 public:
  MONOFOLD_GPU std::uint32_t rows() const { return word_ & all; }
  MONOFOLD_GPU bool has_waited() const { return word_ > all; }
  MONOFOLD_GPU void wait_with(std::uint32_t rows) { word_ = rows | (all + 1); }

 private:
  static constexpr std::uint32_t all = (1u << tile_rows) - 1;
  std::uint32_t word_ = all;
};

/// Which candidates a tile may have.
template <class Rank>
struct tile_look {
  Rank best;        // of the lane's items
  top_bound bound;  // that it was compared with
  bool passes;      // so the lane has candidates
};

/// Whether this warp is the one that has to read, now, what other blocks know. Warps take turns: each reading takes as
/// long as some tiles, and one warp that made them all would end long after the others.
MONOFOLD_GPU bool is_turn_to_learn(const top_work& work, int k, const shared_bounds* shared) {
  return worked_out_again(shared) != nullptr && worked_out_again(k) <= max_few_top_items &&
         work.round() % 4 == blockIdx.x % 4 &&
         rank_in_block() / warp_lanes == static_cast<int>(work.round() / 4 % top_warps);
}

/// Passes over tiles without candidates, beginning with the tile of `work`, which lies in the range. True at a tile
/// with some. Most tiles have none, so this is the loop that reads the array. Nothing in it is called: a load of what
/// a call keeps in local memory would wait behind the items of all warps.
///
/// sync       all lanes of the warp
template <class Item, bool smallest, nan_rule rule>
MONOFOLD_GPU bool pass_tiles(const top_range<Item>& range, top_work& work, rows_left& left,
                             bool& is_asked, int k, shared_bounds* shared, candidate_pool& pool,
                             tile_look<typename top_rank<Item, smallest>::type>& look) {
  using tile_type = top_tile<Item, smallest, rule>;
  std::int64_t at = work.tile() * tile_type::tile_items;
  do {
    tile_type tile;
    tile.load_inside(range, at);
    const std::uint32_t asked = peek(&pool.asked);
    if (rank_in_block() < warp_lanes && worked_out_again(shared) != nullptr) {
      const std::uint64_t known = peek(&shared->bound);
      if (known > pool.bound.score && lane_rank() == 0) raise_to(&pool.common, known);
    }
    look.best = tile.best();
    is_asked = any_lane(asked != 0);  // by a vote: what lanes read at different times may differ
    look.bound = pool.bound_now();
    look.passes = tile_type::may_pass(look.bound, look.best, at, range.index_shift);
    if (any_lane(look.passes)) return true;
    work.advance();
    left = rows_left();
    if (is_asked || !work.is_left() || is_turn_to_learn(work, k, shared)) return false;
    at = work.tile() * tile_type::tile_items;
  } while (tile_type::is_inside(range, at));
  return false;
}

/// Looks at a tile that reaches out of the range, of which there are few.
template <class Item, bool smallest, nan_rule rule>
MONOFOLD_GPU_CALL tile_look<typename top_rank<Item, smallest>::type> look_at_ragged(
    top_range<Item> range, std::int64_t at, const candidate_pool& pool) {
  using tile_type = top_tile<Item, smallest, rule>;
  tile_type tile;
  tile.load(range, at);
  const auto best = tile.best();
  const top_bound bound = pool.bound_now();
  return {best, bound, tile_type::may_pass(bound, best, at, range.index_shift)};
}

/// Goes on to the next tile with candidates, beginning with the tile of `work`. False behind the last tile, or when
/// the block is asked to search for a better bound.
///
/// sync       all lanes of the warp
template <class Item, bool smallest, nan_rule rule>
MONOFOLD_GPU bool find_candidates(const top_range<Item>& range, top_work& work, rows_left& left,
                                  int k, shared_bounds* shared, candidate_pool& pool,
                                  tile_look<typename top_rank<Item, smallest>::type>& look) {
  using tile_type = top_tile<Item, smallest, rule>;
  bool is_asked = false;
  while (work.is_left() && !is_asked) {
    if (is_turn_to_learn(work, k, shared)) top_bounds::learn_from_blocks(pool, shared, k);
    const std::int64_t at = work.tile() * tile_type::tile_items;
    if (tile_type::is_inside(range, at)) {
      if (pass_tiles<Item, smallest, rule>(range, work, left, is_asked, k, shared, pool, look)) {
        return true;
      }
      continue;
    }
    if (work.has_tile()) {
      look = look_at_ragged<Item, smallest, rule>(range, at, pool);
      if (any_lane(look.passes)) return true;
    }
    work.advance();
    left = rows_left();
  }
  return false;
}

/// Searches the tiles of this warp, without the first one if `is_begun`, and adds candidates to the pool.
///
/// sync       all threads of the block, behind a barrier, and with one behind it
template <class Item, bool smallest, nan_rule rule>
MONOFOLD_GPU void search_tiles(const top_range<Item>& range, const top_launch& plan, bool is_begun,
                               int k, shared_bounds* shared, candidate_pool& pool) {
  using tile_type = top_tile<Item, smallest, rule>;
  top_work work(plan);
  if (is_begun) work.advance();
  rows_left left;
  for (;;) {
    top_entry own;  // what this lane is about to add at least
    tile_look<typename tile_type::ranks::type> look;
    while (find_candidates<Item, smallest, rule>(range, work, left, k, shared, pool, look)) {
      const std::int64_t at = work.tile() * tile_type::tile_items;
      const bool waits =
          !left.has_waited() && k <= most_items_to_wait && count_lanes(look.passes) >= many_lanes;
      const top_entry entry =
          look.passes ? tile_type::best_entry(range, at, look.best) : top_entry{};
      report_best(shared, entry.score, pool);
      std::uint32_t rows = left.rows();
      if (waits) {
        own = entry;
      } else {
        rows = tile_type::collect_again(range, at, look.passes ? rows : 0, look.bound, pool);
      }
      if (any_lane(rows != 0)) {
        left.wait_with(rows);
        if (lane_rank() == 0) post(&pool.asked, 1u);
        break;
      }
      work.advance();
      left = rows_left();
    }
    // Candidates added above are read below. A warp leaves its tiles early only where it was asked to.
    if (!sync_block_any(work.is_left())) return;
    top_bounds::tighten_bound(pool, 1, own, shared, k);
  }
}

}  // namespace monofold::detail
