#pragma once
/// engine/gpu/top/join_blocks: what blocks do after their tiles: they sort their candidates, and the last block joins
/// those of all blocks.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/mailbox.cuh"
#include "monofold/engine/gpu/top/block_candidates.cuh"
#include "monofold/engine/gpu/top/warp_candidates.cuh"
#include "monofold/fold/top_rank.hpp"
#include "monofold/level/grid.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/top_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Memory by which the blocks of a launch learn of each other's candidates. `shared` and `ticket` are 0 before the
/// launch and after it; they are null where blocks have no second chunk and meet by mail. `list` has room for
/// top_survivors(k) entries of each block.
struct top_scratch {
  shared_bounds* shared;
  std::uint32_t* ticket;
  top_entry* list;
  mailbox_storage mail;
};

/// How a block raises the bound that candidates have to pass.
struct top_bounds {
  /// Raises the bound that candidates have to pass, by all that is known: the block's candidates, what its threads are
  /// about to add (`own`, where `extra_per_thread` is 1) and what other blocks have seen. Other blocks learn it.
  ///
  /// sync       all threads of the block, behind a barrier, and with one behind it
  MONOFOLD_GPU_CALL static void tighten_bound(candidate_pool& pool, int extra_per_thread,
                                              top_entry own, shared_bounds* shared, int k) {
    // Blocks b and b + 256 share a place, so what is elsewhere is all the others' places.
    const auto place = static_cast<int>(blockIdx.x) % shared_bounds::num_places;
    std::uint64_t best_elsewhere = 0;
    if (shared != nullptr && rank_in_block() < shared_bounds::num_places &&
        rank_in_block() != place) {
      best_elsewhere = peek(&shared->best[rank_in_block()]);
    }
    candidate_search search(pool, shared != nullptr ? extra_per_thread + 1 : extra_per_thread, own,
                            best_elsewhere);
    const top_bound bound = search.tighten(pool.bound_now(), k);
    if (shared != nullptr && rank_in_block() == 0) raise_to(&shared->bound, bound.score);
    search.keep(bound);
  }

  /// Raises the bound to the k-th best of the best items of groups of blocks, of which there are up to 32, and tells
  /// the other blocks.
  ///
  /// sync       all lanes of a warp
  MONOFOLD_GPU_CALL static void learn_from_blocks(candidate_pool& pool, shared_bounds* shared,
                                                  int k) {
    std::uint32_t own = 0;
    MONOFOLD_UNROLL
    for (int i = 0; i < shared_bounds::num_places; i += warp_lanes) {
      const auto high = static_cast<std::uint32_t>(peek(&shared->best[i + lane_rank()]) >> 32);
      own = high > own ? high : own;
    }
    const std::uint64_t found = std::uint64_t{kth_of_lanes(own, k)} << 32;
    if (lane_rank() != 0 || found <= pool.bound_now().score) return;
    raise_to(&pool.common, found);
    raise_to(&shared->bound, found);
  }

  /// Raises the bound by the block's candidates alone.
  MONOFOLD_GPU static void tighten_alone(candidate_pool& pool, int k) {
    tighten_bound(pool, 0, {}, nullptr, k);
  }
};

/// Sorts the pool's candidates.
struct top_order {
  static constexpr int most_counted = 256;  // a count takes as long as a sort there

  /// How many of the candidates are better than `own`, which is one of them.
  MONOFOLD_GPU static int count_better(const candidate_pool& pool, int count,
                                       const top_entry& own) {
    constexpr int at_once = 4;
    int better = 0;
    int equal = 0;
    MONOFOLD_ROLL
    for (int i = 0; i < count; i += at_once) {
      MONOFOLD_UNROLL
      for (int j = 0; j < at_once; ++j) {
        if (i + j >= count) continue;
        const std::uint64_t score = pool.score[i + j];
        better += score > own.score ? 1 : 0;
        equal += score == own.score ? 1 : 0;
      }
    }
    MONOFOLD_ROLL
    for (int i = 0; equal > 1 && i < count; ++i) {
      better += pool.score[i] == own.score && pool.position[i] < own.position ? 1 : 0;
    }
    return better;
  }

  /// Puts the candidates in order, best first.
  ///
  /// sync       all threads of the block, behind a barrier, and with one behind it
  MONOFOLD_GPU_CALL static void sort(candidate_pool& pool) {
    int size = 2;
    while (size < static_cast<int>(pool.count)) size *= 2;
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
};

/// Calls see(place, entry) for each of the k best candidates of the pool, by some thread; and for places behind the
/// last candidate with an entry that is none.
///
/// sync       all threads of the block, behind a barrier
template <class See>
MONOFOLD_GPU void for_best(candidate_pool& pool, int k, const See& see) {
  const auto count = static_cast<int>(pool.count);
  const bool is_counted = count <= top_order::most_counted;
  if (!is_counted) top_order::sort(pool);
  MONOFOLD_ROLL
  for (int i = rank_in_block(); i < count || i < k; i += top_threads) {
    top_entry entry;
    if (i < count) entry = top_entry{pool.score[i], pool.position[i]};
    const int place = is_counted && i < count ? top_order::count_better(pool, count, entry) : i;
    if (place < k) see(place, entry);
  }
}

/// What a block does once, after its tiles.
struct top_blocks {
  /// Drops candidates of which the block knows that they are not among the k best of all.
  ///
  /// sync       all threads of the block, behind a barrier, and with one behind it
  MONOFOLD_GPU static void end_search(candidate_pool& pool, shared_bounds* shared, int k,
                                      bool may_be_many) {
    if (shared != nullptr) {
      __threadfence();  // what this block told the others is there before the mail that says it is done
      if (rank_in_block() == 0) raise_to(&pool.common, peek(&shared->bound));
      sync_block();  // `common`, raised above, is read below
      candidate_search(pool, 0, {}, 0).keep(pool.bound_now());
    }
    constexpr int many = 128;
    const int most = may_be_many && top_survivors(k) < many ? many : top_survivors(k);
    if (static_cast<int>(pool.count) > most) top_bounds::tighten_alone(pool, k);
  }

  /// Adds `count` entries to the pool, and drops what cannot be one of the k best. entry_of(i, is_there) gives entry i
  /// to a thread.
  ///
  /// sync       all threads of the block, behind a barrier, and with one behind it
  template <class Get>
  MONOFOLD_GPU static void add_entries(candidate_pool& pool, int count, int k,
                                       const Get& entry_of) {
    MONOFOLD_ROLL
    for (int at = 0; at < count; at += top_threads) {
      const int i = at + rank_in_block();
      const top_entry entry = entry_of(i, i < count);
      sync_block();  // `count` is complete
      if (pool.count + top_threads > candidate_pool::capacity) {
        top_bounds::tighten_alone(pool, k);
      }
      const bool passes = i < count && pool.bound_now().passes(entry.score, entry.position);
      sync_block();  // `count` was read above and grows below
      const std::uint32_t place = place_among_lanes(&pool.count, passes);
      if (passes) pool.put(place, entry);
    }
    sync_block();  // candidates added above are read below
    if (static_cast<int>(pool.count) > top_survivors(k)) top_bounds::tighten_alone(pool, k);
  }

  /// Sets shared bounds back to 0, when no other block of the launch reads them any more.
  MONOFOLD_GPU static void put_back(shared_bounds* shared) {
    for (int i = rank_in_block(); i < shared_bounds::num_places; i += top_threads) {
      shared->best[i] = 0;
    }
    if (rank_in_block() == 0) {
      shared->bound = 0;
      shared->survivors = 0;
    }
  }

  /// The block that comes last collects the best candidates of all blocks in its pool, and gets true. The others get
  /// false.
  ///
  /// sync       all threads of the block, behind a barrier, and with one behind it
  MONOFOLD_GPU_CALL static bool join_by_ticket(candidate_pool& pool, shared_bounds* shared,
                                               std::uint32_t* ticket, top_entry* list, int blocks,
                                               int k) {
    const auto own = static_cast<int>(pool.count);
    if (rank_in_block() == 0) pool.kept = own == 0 ? 0 : atomicAdd(&shared->survivors, pool.count);
    sync_block();  // `kept` is read below
    for (int i = rank_in_block(); i < own; i += top_threads) {
      list[pool.kept + static_cast<std::uint32_t>(i)] = {pool.score[i], pool.position[i]};
    }
    sync_block();  // entries written above are seen by whoever sees the ticket
    bool last = false;
    if (rank_in_block() == 0) {
      last = take_ticket(ticket) == static_cast<std::uint32_t>(blocks - 1);
    }
    // What thread 0 of the last block acquired is behind this barrier seen by all its threads.
    if (!sync_block_any(last)) return false;
    const auto all = static_cast<int>(peek(&shared->survivors));
    if (rank_in_block() == 0) pool.count = 0;
    sync_block();  // `survivors` was read above; `count` is added to below
    put_back(shared);
    if (rank_in_block() == 0) *ticket = 0;
    add_entries(pool, all, k,
                [&](int i, bool is_there) { return is_there ? list[i] : top_entry{}; });
    return true;
  }
};

/// Candidates by mail. Each block mails its k best, in order. The last block reads the best one of each block, and
/// then those lists that may have some of the k best of all. A box has a pair of words for a score; a position that is
/// not part of the score has a word behind all pairs.
///
/// shape      up to max_top_blocks blocks; positions of 32 bits
template <class Item>
struct top_mail {
  static constexpr bool has_position = sizeof(Item) == 8;
  static constexpr int word_shift =
      sizeof(Item) > 2 ? 32 : 16;  // short ranks, and part of positions
  static_assert(max_top_blocks <= top_threads && max_few_top_items <= warp_lanes);

  mailbox_storage mail_storage;
  std::uint32_t call;
  int boxes;  // the blocks times k

  /// The last block collects the best candidates of all blocks in its pool, and gets true. The others get false.
  ///
  /// shape      reads_all: every box is read before this ends, since somebody may use them again while other
  ///            blocks of this launch still run
  /// sync       all threads of the block, behind a barrier, and with one behind it
  MONOFOLD_GPU bool join(candidate_pool& pool, shared_bounds* shared, int blocks, int k,
                         bool reads_all) const {
    const int first = static_cast<int>(blockIdx.x) * k;
    for_best(pool, k, [&](int place, const top_entry& entry) { post(first + place, entry); });
    if (static_cast<int>(blockIdx.x) != blocks - 1) return false;
    const int own = rank_in_block();
    top_entry head;
    if (own - lane_rank() < blocks) head = wait(own * k, own < blocks);
    // Bounds that blocks raised before they posted are put back below.
    if (shared != nullptr) __threadfence();
    if (!join_few(pool, head, k)) join_many(*this, pool, head, k);
    MONOFOLD_ROLL
    for (int i = own; reads_all && i - lane_rank() < boxes; i += top_threads) {
      wait(i, i < boxes);
    }
    if (shared != nullptr) top_blocks::put_back(shared);
    if (reads_all) sync_block();  // boxes were read above
    mail_storage.end_call(call);
    return true;
  }

 private:
  /// Waits for entry `i` of those lists that may have some of the k best.
  MONOFOLD_GPU top_entry wait_in_lists(const candidate_pool& pool, int k, int i,
                                       bool is_there) const {
    return wait(is_there ? pool.lists[i / k] * k + i % k : 0, is_there);
  }

  /// Adds to the pool the entries that pass a bound, which is the k-th best of the best entries of blocks. False where
  /// the lists of blocks whose best entry passes have more entries than the pool has room for.
  ///
  /// sync       all threads of the block; with a barrier behind it
  MONOFOLD_GPU bool join_few(candidate_pool& pool, const top_entry& head, int k) const {
    const int own = rank_in_block();
    const auto word = static_cast<std::uint32_t>(head.score >> word_shift);
    if (word != 0) atomicMax(pool.of_lane_word(1, lane_rank()), word);
    sync_block();  // bests written above are read below; what is in the pool was read by all
    if (own == 0) pool.count = 0;
    const std::uint32_t least = kth_of_lanes(pool.of_lane[1], k);
    const bool is_useful = head.position != no_position && word >= least;
    const std::uint32_t list = place_among_lanes(&pool.num_lists, is_useful);
    if (is_useful) pool.lists[list] = static_cast<std::uint16_t>(own);
    sync_block();  // lists written above are read below
    const int entries = static_cast<int>(pool.num_lists) * k;
    if (entries > candidate_pool::capacity) return false;
    MONOFOLD_ROLL
    for (int i = own; i - lane_rank() < entries; i += top_threads) {
      const top_entry entry = wait_in_lists(pool, k, i, i < entries);
      const bool passes = entry.position != no_position &&
                          static_cast<std::uint32_t>(entry.score >> word_shift) >= least;
      const std::uint32_t place = place_among_lanes(&pool.count, passes);
      if (passes) pool.put(place, entry);
    }
    sync_block();  // entries written above are read below
    if (static_cast<int>(pool.count) > top_order::most_counted) top_bounds::tighten_alone(pool, k);
    return true;
  }

  /// Adds the entries to the pool, however many pass.
  MONOFOLD_GPU_CALL static void join_many(top_mail mail, candidate_pool& pool, top_entry head,
                                          int k) {
    const int own = rank_in_block();
    sync_block();  // what was in the pool, and `num_lists`, is read above, and written below
    if (own == 0) pool.count = pool.num_lists = 0;
    sync_block();  // they are read below
    top_bounds::tighten_bound(pool, 1, head, nullptr, k);
    const bool is_useful =
        head.position != no_position && pool.bound.passes(head.score, head.position);
    const std::uint32_t list = place_among_lanes(&pool.num_lists, is_useful);
    if (is_useful) pool.lists[list] = static_cast<std::uint16_t>(own);
    sync_block();  // lists written above are read below
    const int entries = static_cast<int>(pool.num_lists) * k;
    top_blocks::add_entries(pool, entries, k, [&](int i, bool is_there) {
      return mail.wait_in_lists(pool, k, i, is_there);
    });
  }

  MONOFOLD_GPU void post(int box, const top_entry& entry) const {
    post_mail(mail_storage.boxes() + 2 * box,
              mail_of(call, static_cast<std::uint32_t>(entry.score >> 32)),
              mail_of(call, static_cast<std::uint32_t>(entry.score)));
    if constexpr (has_position) {
      post_mail(mail_storage.boxes() + 2 * boxes + box,
                mail_of(call, static_cast<std::uint32_t>(entry.position)));
    }
  }

  /// Waits for the entry in a box, in lanes that ask. Lanes wait for each other, see mailbox::wait.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU top_entry wait(int box, bool asks) const {
    if (!asks) box = 0;
    std::uint64_t high;
    std::uint64_t low;
    std::uint64_t place = 0;
    bool is_there;
    do {
      read_mail(mail_storage.boxes() + 2 * box, high, low);
      if constexpr (has_position) read_mail(mail_storage.boxes() + 2 * boxes + box, place);
      is_there = is_mail_of(call, high) && is_mail_of(call, low);
      if constexpr (has_position) is_there = is_there && is_mail_of(call, place);
    } while (any_lane(asks && !is_there));
    if (!asks) return {};
    top_entry entry;
    entry.score = high << 32 | (low & 0xffffffffu);
    const std::uint32_t position =
        has_position ? static_cast<std::uint32_t>(place) : ~static_cast<std::uint32_t>(low);
    // `no_position` has these low bits, and a position has not.
    if (position != 0xffffffffu) entry.position = position;
    return entry;
  }
};

}  // namespace monofold::detail
