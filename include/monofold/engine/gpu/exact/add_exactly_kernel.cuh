#pragma once
/// engine/gpu/exact/add_exactly_kernel: the kernel that adds a range exactly, whatever the order of its blocks.

#include <cstdint>

#include "monofold/engine/gpu/exact/finish.cuh"
#include "monofold/engine/gpu/exact/mailed_sums.cuh"
#include "monofold/engine/gpu/exact/short_rests.cuh"
#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/exact/warp_digits.cuh"
#include "monofold/engine/gpu/exact/warp_exact.cuh"
#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/mailbox.cuh"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/grid.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/exact_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Global memory by which the blocks of a launch join their sums. Words and ticket are 0 before the launch and after
/// it.
struct exact_scratch {
  std::int64_t* words;
  std::uint32_t* ticket;
  mailbox_storage mail;
  void* states;         // of the companion
  bool has_wide_words;  // in shared memory
};

/// The shared memory of a block, in this order: of each warp the tile that is copied ahead, the units in its lanes'
/// bins, its short sums and its words of digits; then the words of the block, the state, how many terms `wide_room`
/// has added, and the memory of the companion.
template <class Term>
struct exact_shared {
  using digits = warp_digits<typename term_format<Term>::layout>;
  using state = typename term_format<Term>::state;
  using sums = sums_and_rests<Term>;
  using adder = warp_exact<Term, true>;
  static constexpr int ahead_bytes = adder::ahead_bytes;
  static constexpr int units_bytes = adder::units_bytes;
  static constexpr int units_at = exact_warps * ahead_bytes;
  static constexpr int sums_at = units_at + exact_warps * units_bytes;
  static constexpr int words_at = sums_at + exact_warps * static_cast<int>(sizeof(sums));
  static constexpr int total_at = words_at + (exact_warps * digits::num_words * 4 + 7) / 8 * 8;
  static constexpr int state_at = total_at + digits::num_wide_words * 8;
  static constexpr int terms_added_at = in_chunks_of_16(state_at + static_cast<int>(sizeof(state)));
  static constexpr int companion_at = in_chunks_of_16(terms_added_at + exact_warps * 4);
  static constexpr int most_companion_bytes = 1024;
  /// Words of `wide_room`, which a launch has where warps have many tiles.
  static constexpr int wide_words_at = companion_at + most_companion_bytes;
  static constexpr int bytes_with_words = wide_words_at + exact_warps * wide_room<Term>::warp_bytes;
};

template <class Term, class Companion>
inline constexpr int exact_shared_bytes =
    exact_shared<Term>::companion_at + Companion::shared_bytes;

/// Adds `total` of this block to words of global memory. True in the block that comes last: its `total` has then the
/// sum of all blocks.
///
/// sync       all threads of the block, behind a barrier; no barrier behind the last write of `total`
template <class Digits>
MONOFOLD_GPU bool combine_by_ticket(std::int64_t* total, const exact_scratch& scratch) {
  const int rank = static_cast<int>(threadIdx.x);
  if (rank < Digits::num_wide_words && total[rank] != 0) {
    add_to_word(scratch.words + rank, total[rank]);
  }
  sync_block();  // additions above are seen by whoever sees the ticket
  bool last = false;
  if (rank == 0) last = take_ticket(scratch.ticket) == gridDim.x - 1;
  // What thread 0 of the last block acquired is behind this barrier seen by all its threads.
  if (!sync_block_any(last)) return false;
  if (rank < Digits::num_wide_words) total[rank] = take_word(scratch.words + rank);
  if (rank == 0) *scratch.ticket = 0;
  return true;
}

/// Adds up the sums of a block's warps, and in the last block those of all blocks.
///
/// Where warps have few tiles each, short sums are tried first: warps join theirs in shared memory, and blocks mail
/// theirs to the last block. Hardware starts blocks in order, so whoever that block waits for is running or done. What
/// short sums do not hold, and all sums of many tiles, are joined as digits.
///
/// sync       all threads of the block call each member, in the order in which they stand
template <class Term, class Companion>
class block_sum {
 public:
  using shared = exact_shared<Term>;
  using digits = typename shared::digits;
  using sums = typename shared::sums;
  using adder = typename shared::adder;
  static constexpr bool may_be_short = sums::is_mailable;
  static_assert(digits::num_wide_words <= exact_threads, "a word a thread");
  static_assert(few_exact_tiles * adder::most_additions_a_tile <= digits::most_additions);
  static_assert(few_exact_tiles <= sums::most_tiles);
  static_assert(Companion::shared_bytes <= shared::most_companion_bytes);

  MONOFOLD_GPU block_sum(char* bytes, std::int64_t tiles, const exact_scratch& scratch)
      : bytes_(bytes),
        tiles_(tiles),
        scratch_(scratch),
        is_few_(takes_few_tiles(tiles, blocks())),
        is_mailed_(may_be_short && is_few_ && blocks() <= mailbox_storage::most_senders),
        is_by_warp_(is_mailed_ && blocks() > 1 && tiles <= mailbox_storage::most_senders &&
                    tiles <= blocks() * exact_warps) {}

  /// The `warp_exact` that adds up the tiles of this warp.
  MONOFOLD_GPU adder warp_sum() const {
    if constexpr (wide_room<Term>::is_possible) wide_room<Term>::start(scratch_.has_wide_words);
    char* const units = bytes_ + shared::units_at + warp() * shared::units_bytes;
    return adder(warp_words(), reinterpret_cast<bytes16*>(bytes_ + warp() * shared::ahead_bytes),
                 scratch_.words, reinterpret_cast<std::uint64_t*>(units));
  }

  /// Reads the number of the call, as early as can be, since that takes as long as to read items. The last block
  /// counts it up when all blocks have read it.
  MONOFOLD_GPU void read_call() {
    if (is_mailed_ && blocks() > 1) call_ = scratch_.mail.read_call();
  }

  /// The first tile of this warp. Few tiles are dealt out to the blocks in turn; of many, a block takes neighbours.
  MONOFOLD_GPU int first_tile() const {
    const auto block = static_cast<int>(blockIdx.x);
    return is_few_ ? block + warp() * blocks() : block * exact_warps + warp();
  }
  MONOFOLD_GPU int tile_step() const { return blocks() * exact_warps; }

  /// Joins the sums of the block's warps.
  MONOFOLD_GPU void combine_warps(adder& own, const Companion& companion) {
    if constexpr (Companion::is_any) {
      if (!is_by_warp_) companion.store_warp();  // a barrier follows
    }
    if constexpr (may_be_short) {
      if (is_mailed_) is_short_ = own.finish_short(all_, blocks() > 1);
      if (is_mailed_ && !is_by_warp_) {
        if (lane_rank() == 0) slots()[warp()] = all_;
        is_short_ = !sync_block_any(!is_short_);  // and slots written above are read below
        // The same in all warps.
        is_short_ = is_short_ && all_.join_warps(slots(), exact_warps);
      }
    }
    if (is_short_) return;
    own.finish();
    if (is_by_warp_) return;
    sync_block();  // words of warps written above are read below
    if (rank() < digits::num_wide_words) {
      std::int64_t sum = 0;
      MONOFOLD_UNROLL
      for (int w = 0; w < exact_warps; ++w) {
        sum += digits::wide_word(words() + w * digits::num_words, rank());
      }
      total()[rank()] = sum;
    }
    sync_block();  // the total written above is read below
  }

  /// Joins the sums of the blocks; true in the block that then has the sum of all.
  MONOFOLD_GPU bool combine_blocks(const Companion& companion) {
    if constexpr (may_be_short) {
      if (is_mailed_ && blocks() > 1 && !combine_by_mail(companion)) return false;
    }
    if (!is_mailed_ && (blocks() > 1 || !is_few_)) {
      if constexpr (Companion::is_any) {
        if (blocks() > 1) companion.store(scratch_.states);
      }
      if (!combine_by_ticket<digits>(total(), scratch_)) return false;
      if constexpr (Companion::is_any) {
        if (blocks() > 1) companion.collect(scratch_.states);
      }
    }
    if (Companion::is_any || !is_mailed_)
      sync_block();  // the total and what was left above are read below
    return true;
  }

  /// Gives the sink the state, or what follows from it, of so many items; in the block that has the sum of all.
  template <class F, class Sink>
  MONOFOLD_GPU void finish(const F& f, std::int64_t items, const Sink& sink) const {
    auto* const state = reinterpret_cast<typename shared::state*>(bytes_ + shared::state_at);
    if constexpr (may_be_short) {
      // Two copies: one that asks for rests would make those wait that have none.
      if constexpr (has_short_rests_v<Term>) {
        if (has_rests_) {
          sums all = all_;
          all.take_rests(slots(), exact_warps);
          return finish_short<Term>(f, all, items, state, sink);
        }
      }
      if (is_short_) {
        return finish_short<Term>(f, static_cast<const short_sums<Term>&>(all_), items, state,
                                  sink);
      }
    }
    finish_words<Term>(f, total(), items, state, sink);
  }

 private:
  MONOFOLD_GPU static int rank() { return static_cast<int>(threadIdx.x); }
  MONOFOLD_GPU static int warp() { return rank() / warp_lanes; }
  MONOFOLD_GPU static int blocks() { return static_cast<int>(gridDim.x); }
  MONOFOLD_GPU sums* slots() const { return reinterpret_cast<sums*>(bytes_ + shared::sums_at); }
  MONOFOLD_GPU std::int32_t* words() const {
    return reinterpret_cast<std::int32_t*>(bytes_ + shared::words_at);
  }
  MONOFOLD_GPU std::int32_t* warp_words() const { return words() + warp() * digits::num_words; }
  MONOFOLD_GPU std::int64_t* total() const {
    return reinterpret_cast<std::int64_t*>(bytes_ + shared::total_at);
  }

  /// The companion's mailbox, whose boxes lie behind those of the sums.
  MONOFOLD_GPU auto companion_mail() const {
    using mail = typename Companion::mail_type;
    constexpr int first = mailed_sums<Term>::num_boxes;
    static_assert(first + mail::words * mailbox_storage::most_senders <= mailbox_storage::words);
    return mail{scratch_.mail.boxes() + first, call_};
  }

  /// Sends the sums to the last block by mail; true in that block, which then has the sum of all.
  MONOFOLD_GPU bool combine_by_mail(const Companion& companion) {
    const auto block = static_cast<int>(blockIdx.x);
    const int first = first_tile();
    const mailed_sums<Term> mail(scratch_.mail, call_);
    if (is_by_warp_ ? first < tiles_ : warp() == 0) {
      const int sender = is_by_warp_ ? first : block;
      if (is_short_) {
        mail.post(sender, all_);
      } else {
        sync_warp();  // words of lanes written above are read below
        const auto word_at = [&](int i) {
          return is_by_warp_ ? digits::wide_word(warp_words(), i) : total()[i];
        };
        mail.post_elsewhere(sender, word_at, scratch_.words);
      }
      if constexpr (Companion::is_any) {
        if (is_by_warp_) {
          companion.post_warp(companion_mail(), sender);
        } else {
          companion.post(companion_mail(), sender);
        }
      }
    }
    if (block + 1 != blocks()) return false;
    sync_block();  // slots and the total read above are overwritten below
    const int senders = is_by_warp_ ? static_cast<int>(tiles_) : blocks();
    // Before the sums, which end the call; a barrier follows.
    if constexpr (Companion::is_any) companion.hear(companion_mail(), senders);
    const gathered what = mail.gather(senders, all_, slots(), total(), scratch_.words);
    is_short_ = what == gathered::sums;
    has_rests_ = what == gathered::sums_and_rests;
    if (what == gathered::digits) sync_block();  // the total written above is read below
    return true;
  }

  char* bytes_;
  std::int64_t tiles_;
  const exact_scratch& scratch_;
  bool is_few_;      // warps put nothing into global words on their way
  bool is_mailed_;   // short sums are tried
  bool is_by_warp_;  // a tile a warp, each by itself: then warps of a block need not meet
  std::uint32_t call_ = 0;
  bool is_short_ = false;   // `all_` is the sum: before blocks meet, with what its `more` says
  bool has_rests_ = false;  // it is one part of it, rests in slots are the other
  sums all_{};
};

/// In place of `extrema_companion` where only the sum is asked for.
struct no_companion {
  static constexpr bool is_any = false;
  static constexpr int shared_bytes = 0;
  static constexpr std::int64_t workspace_bytes = 0;

  MONOFOLD_GPU explicit no_companion(char*) {}
  template <class Sink>
  MONOFOLD_GPU const Sink& sink_for(const Sink& sink) const {
    return sink;
  }
};

/// Whether a function of the user computes the items of a range.
template <class Term>
inline constexpr bool is_computed_v = false;

/// The sizes of the kernel's arguments in the host's compiler, see `handed_layout`.
struct exact_layout {
  int fold_bytes;
  int range_bytes;
  int sink_bytes;
  friend constexpr bool operator==(const exact_layout&, const exact_layout&) = default;
};
template <class F, class Range, class Sink>
MONOFOLD_HD_CALL constexpr exact_layout exact_layout_of() {
  return {static_cast<int>(sizeof(F)), static_cast<int>(sizeof(Range)),
          static_cast<int>(sizeof(Sink))};
}

/// Adds the terms of a range and gives `sink` the state, and what the companion folds.
///
/// shape      any number of blocks of `exact_threads` threads, which stay until the end
/// order      exact: the state's bytes do not depend on it
/// errors     traps where the host's compiler lays out a view of a user otherwise: results would be wrong
template <class Term, class Companion, class F, class Sink>
__global__ void __launch_bounds__(exact_threads, exact_resident_blocks)
    add_exactly_kernel(const exact_layout layout, const F f,
                       const typename term_format<Term>::range range, const exact_scratch scratch,
                       const Sink sink) {
  if constexpr (is_computed_v<Term>) {
    using range_type = typename term_format<Term>::range;
    if (layout != exact_layout_of<F, range_type, Sink>()) trap();
  }
  let_next_launch_begin();
  auto* const bytes = reinterpret_cast<char*>(dynamic_shared());
  block_sum<Term, Companion> block(bytes, warp_exact<Term>::tiles_in(range), scratch);
  auto own = block.warp_sum();
  wait_for_launches_before();
  block.read_call();
  Companion companion(bytes + exact_shared<Term>::companion_at);
  own.add(range, block.first_tile(), block.tile_step(), companion);
  block.combine_warps(own, companion);
  if (!block.combine_blocks(companion)) return;
  if constexpr (Companion::is_any) companion.find(range);
  block.finish(f, range.end - range.first, companion.sink_for(sink));
}

}  // namespace monofold::detail
