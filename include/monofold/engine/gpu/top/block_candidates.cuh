#pragma once
/// engine/gpu/top/block_candidates: how a block drops candidates for the k best that are not needed.

#include <cstdint>

#include "monofold/engine/gpu/top/warp_candidates.cuh"
#include "monofold/fold/top_rank.hpp"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/top_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// A search for a better bound, by all threads of a block, among the block's candidates and other items of which
/// threads know.
///
/// sync       all threads of the block make each call together, behind a barrier
class candidate_search {
 public:
  /// `own` and `best_elsewhere` stand for two more items of the data, each thread's its own, that are not among the
  /// candidates: one with the score and position of `own`, and one that is at least as good as `best_elsewhere` says,
  /// at any position. A score of 0 means that there is none. `extra_per_thread` is 0, 1 or 2: how many of the two a
  /// thread may have.
  MONOFOLD_GPU candidate_search(candidate_pool& pool, int extra_per_thread, const top_entry& own,
                                std::uint64_t best_elsewhere)
      : pool_(pool), own_(own), best_elsewhere_(best_elsewhere) {
    held_ = pool.count < candidate_pool::capacity ? static_cast<int>(pool.count)
                                                  : candidate_pool::capacity;
    most_of_thread_ = (held_ + top_threads - 1) / top_threads + extra_per_thread;
  }

  /// A bound that at least k of the items that pass `bound` pass, and at most top_survivors(k) where items can be told
  /// apart so finely. `bound` itself where fewer than k pass it.
  MONOFOLD_GPU top_bound tighten(const top_bound& bound, int k) {
    const int most_wanted = top_survivors(k);
    int reach = count_if(
        [&](std::uint64_t score, std::int64_t position) { return bound.passes(score, position); });
    if (reach < k) return bound;
    // Items of the high word in `low`, once that is found, are told apart by their low words.
    std::uint64_t low = 0;
    MONOFOLD_ROLL
    for (int shift = 32; shift >= 0 && reach > most_wanted; shift -= 32) {
      std::uint32_t least = ~std::uint32_t{0};
      std::uint32_t most = 0;
      for_each([&](std::uint64_t score, std::int64_t position) {
        if (!bound.passes(score, position)) return;
        if (shift == 0 && (score ^ low) >> 32 != 0) return;
        const auto word = static_cast<std::uint32_t>(score >> shift);
        least = word < least ? word : least;
        most = word > most ? word : most;
      });
      spread(shift == 0 ? 1 : 0, least, most);
      // k items or more reach `least`; fewer reach any word above `most`.
      MONOFOLD_ROLL
      while (least < most && reach > most_wanted) {
        const std::uint32_t middle = least + (most - least) / 2 + 1;
        const std::uint64_t pivot = low | std::uint64_t{middle} << shift;
        const int found =
            count_if([&](std::uint64_t score, std::int64_t) { return score >= pivot; });
        if (found >= k) {
          least = middle;
          reach = found;
        } else {
          most = middle - 1;
        }
      }
      low |= std::uint64_t{least} << shift;
    }
    if (low < bound.score) low = bound.score;  // words of those that pass, without their low bits
    const std::int64_t last = low == bound.score ? bound.last : no_position - 1;
    if (reach <= most_wanted || !pool_.has_ties) return top_bound{low, last};
    return top_bound{low, tighten_position(low, last, k)};
  }

  /// Drops candidates that do not pass `bound`, and makes it the pool's bound. The counters by which warps ask for a
  /// search are 0 afterwards.
  MONOFOLD_GPU void keep(const top_bound& bound) {
    if (rank_in_block() == 0) pool_.kept = 0;
    sync_block();  // the searches' last counts were read above; `kept` is added to below
    MONOFOLD_ROLL
    for (int at = 0; at < held_; at += top_threads) {
      const int i = at + rank_in_block();
      top_entry entry;
      if (i < held_) entry = top_entry{pool_.score[i], pool_.position[i]};
      const bool stays = bound.passes(entry.score, entry.position);
      const std::uint32_t place = place_among_lanes(&pool_.kept, stays);
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
  /// Calls see(score, position) for each item, by one thread.
  template <class See>
  MONOFOLD_GPU void for_each(const See& see) const {
    MONOFOLD_ROLL
    for (int i = rank_in_block(); i < held_; i += top_threads) {
      see(pool_.score[i], pool_.position[i]);
    }
    if (own_.score != 0) see(own_.score, own_.position);
    if (best_elsewhere_ != 0) see(best_elsewhere_, no_position - 1);
  }

  /// For how many of the items holds(score, position) is true.
  template <class Predicate>
  MONOFOLD_GPU int count_if(const Predicate& holds) {
    int own = 0;
    for_each(
        [&](std::uint64_t score, std::int64_t position) { own += holds(score, position) ? 1 : 0; });
    if (most_of_thread_ <= 1) return sync_block_count(own != 0);
    turn_ ^= 1;
    own = sum_of_lanes(own);
    if (lane_rank() == 0) pool_.counts[turn_][rank_in_block() / warp_lanes] = own;
    // Counts written above are read below. They are written again behind the next barrier but one.
    sync_block();
    return sum_of_lanes(lane_rank() < top_warps ? pool_.counts[turn_][lane_rank()] : 0);
  }

  /// The least and the most of the values of all threads; `turn` is 0 and 1 in turn.
  MONOFOLD_GPU void spread(int turn, std::uint32_t& least, std::uint32_t& most) const {
    const int warp = rank_in_block() / warp_lanes;
    most = largest_of_lanes(most);
    least = smallest_of_lanes(least);
    if (lane_rank() == 0) {
      pool_.most[turn][warp] = most;
      pool_.least[turn][warp] = least;
    }
    sync_block();  // written above, read below; written again behind more barriers
    const int other = lane_rank() % top_warps;
    most = largest_of_lanes(pool_.most[turn][other]);
    least = smallest_of_lanes(pool_.least[turn][other]);
  }

  /// The last position that passes a bound of score `score`: at least k items are better than the bound or equal to it,
  /// and at most top_survivors(k) where positions can tell so few apart. Called where too many items pass with `last`,
  /// which is returned where fewer than k have a known position.
  MONOFOLD_GPU std::int64_t tighten_position(std::uint64_t score, std::int64_t last, int k) {
    const auto reach = [&](std::int64_t position) {
      return count_if([&](std::uint64_t m, std::int64_t p) {
        return m > score || (m == score && p <= position);
      });
    };
    // Items of other blocks have no known position. Where k items are not reached without them, none tells k apart.
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

  candidate_pool& pool_;
  top_entry own_;
  std::uint64_t best_elsewhere_;
  int held_;
  int most_of_thread_;  // items
  int turn_ = 0;
};

}  // namespace monofold::detail
