#pragma once
/// engine/gpu/top/block_candidates: how a block thins out its candidates for the k best, and sorts the last.

#include <cstdint>

#include "monofold/engine/gpu/top/warp_candidates.cuh"
#include "monofold/fold/top_rank.hpp"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/top_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// All threads of a block, which search among its candidates and what else its threads know of.
///
/// sync       all threads of the block make each call together, behind a barrier
class candidate_search {
 public:
  /// `own` and `best_elsewhere`: items that are in the data and not among the candidates, all of them different,
  /// known to be at least so good; of score 0 where there is none. What is elsewhere may have any position.
  MONOFOLD_GPU candidate_search(candidate_pool& pool, const top_entry& own,
                                std::uint64_t best_elsewhere)
      : pool_(pool), own_(own), best_elsewhere_(best_elsewhere) {
    held_ = pool.count < candidate_pool::capacity ? static_cast<int>(pool.count)
                                                  : candidate_pool::capacity;
  }

  /// A bound that at least k of these items pass, and at most top_survivors(k) where so few can be
  /// told apart; `bound`, which they have to pass, where they are less than k.
  MONOFOLD_GPU top_bound tighten(const top_bound& bound, int k) {
    std::uint64_t least = ~std::uint64_t{0};
    std::uint64_t most = 0;
    const int all = count_if([&](std::uint64_t score, std::int64_t position) {
      if (!bound.passes(score, position)) return false;
      least = score < least ? score : least;
      most = score > most ? score : most;
      return true;
    });
    if (all < k) return bound;
    spread(least, most);
    // k items or more reach `low`; fewer reach any score above `high`.
    std::uint64_t low = least;
    std::uint64_t high = most;
    int reach = all;
    MONOFOLD_ROLL
    while (low < high && reach > top_survivors(k)) {
      const std::uint64_t middle = low + (high - low) / 2 + 1;
      const int found =
          count_if([&](std::uint64_t score, std::int64_t) { return score >= middle; });
      if (found >= k) {
        low = middle;
        reach = found;
      } else {
        high = middle - 1;
      }
    }
    const std::int64_t last = low == bound.score ? bound.last : no_position - 1;
    if (reach <= top_survivors(k)) return top_bound{low, last};
    return top_bound{low, tighten_position(low, last, k)};
  }

  /// Drops the candidates that do not pass, and makes `bound` the pool's; the block has met.
  MONOFOLD_GPU void keep(const top_bound& bound) {
    if (rank_in_block() == 0) pool_.kept = 0;
    sync_block();  // the searches' last counts were read above; `kept` is added to below
    MONOFOLD_ROLL
    for (int at = 0; at < held_; at += top_threads) {
      const int i = at + rank_in_block();
      top_entry entry;
      if (i < held_) entry = top_entry{pool_.score[i], pool_.position[i]};
      const bool stays = bound.passes(entry.score, entry.position);
      const std::uint32_t place = place_of(stays);
      // What is written below lies in front of `at` + 512, and was read above this barrier.
      sync_block();
      if (stays) pool_.put(place, entry);
    }
    sync_block();  // candidates written above are read below, and `kept` is complete
    if (rank_in_block() == 0) {
      pool_.bound = bound;
      if (bound.score > pool_.common) pool_.common = bound.score;
      pool_.count = pool_.kept;
      pool_.fresh_tiles = pool_.asked = 0;
    }
    sync_block();  // what thread 0 wrote above is read by all
  }

 private:
  /// In how many of the items `holds` is true: each item is seen by one thread.
  template <class Predicate>
  MONOFOLD_GPU int count_if(const Predicate& holds) {
    int count = 0;
    MONOFOLD_ROLL
    for (int i = rank_in_block(); i < held_; i += top_threads) {
      count += holds(pool_.score[i], pool_.position[i]) ? 1 : 0;
    }
    if (own_.score != 0) count += holds(own_.score, own_.position) ? 1 : 0;
    if (best_elsewhere_ != 0) count += holds(best_elsewhere_, no_position - 1) ? 1 : 0;
    turn_ ^= 1;
    count = sum_of_lanes(count);
    if (lane_rank() == 0) pool_.counts[turn_][(rank_in_block() / warp_lanes)] = count;
    // Counts written above are read below. They are written again behind the next barrier but one.
    sync_block();
    return sum_of_lanes(lane_rank() < top_warps ? pool_.counts[turn_][lane_rank()] : 0);
  }

  /// The least and the most of what threads have.
  MONOFOLD_GPU void spread(std::uint64_t& least, std::uint64_t& most) {
    most = largest_of_lanes(most);
    least = ~largest_of_lanes(~least);
    if (lane_rank() == 0) {
      pool_.most[(rank_in_block() / warp_lanes)] = most;
      pool_.least[(rank_in_block() / warp_lanes)] = least;
    }
    sync_block();  // written above, read below; written again only after more barriers
    most = largest_of_lanes(lane_rank() < top_warps ? pool_.most[lane_rank()] : 0);
    least = ~largest_of_lanes(lane_rank() < top_warps ? ~pool_.least[lane_rank()] : 0);
  }

  /// The same search among the positions of items of score `score`, too many of which pass `last`.
  MONOFOLD_GPU std::int64_t tighten_position(std::uint64_t score, std::int64_t last, int k) {
    const auto reach = [&](std::int64_t position) {
      return count_if([&](std::uint64_t m, std::int64_t p) {
        return m > score || (m == score && p <= position);
      });
    };
    // Rivals, whose positions nobody knows, may be needed: then no position tells k items apart.
    std::int64_t low = -1;
    std::int64_t high = std::int64_t{1} << 56;  // more than any memory has
    if (last < high) high = last;
    int found = reach(high);
    if (found < k) return last;
    MONOFOLD_ROLL
    while (high - low > 1 && found > top_survivors(k)) {
      const std::int64_t middle = low + (high - low) / 2;
      const int reached = reach(middle);
      if (reached >= k) {
        high = middle;
        found = reached;
      } else {
        low = middle;
      }
    }
    return high;
  }

  /// A place for a thread that has something to keep.
  MONOFOLD_GPU std::uint32_t place_of(bool stays) {
    const int behind = sum_up_to_lane(stays ? 1 : 0);
    const auto total = static_cast<std::uint32_t>(shuffle_from(behind, warp_lanes - 1));
    std::uint32_t first = 0;
    if (lane_rank() == 0) first = atomicAdd(&pool_.kept, total);
    return shuffle_from(first, 0) + static_cast<std::uint32_t>(behind - (stays ? 1 : 0));
  }

  candidate_pool& pool_;
  top_entry own_;
  std::uint64_t best_elsewhere_;
  int held_;
  int turn_ = 0;
};

}  // namespace monofold::detail
