#pragma once
/// engine/gpu/exact/mailed_sums: how blocks or warps mail short sums to the last block of their launch.

#include <cstdint>

#include "monofold/engine/gpu/exact/short_rests.cuh"
#include "monofold/engine/gpu/exact/short_sums.cuh"
#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/exact/warp_digits.cuh"
#include "monofold/engine/gpu/mailbox.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::detail {

/// In which form the last block has the sum of all in the end.
enum class gathered { digits, sums, sums_and_rests };

/// Sums by mail. Each sender, a block or a warp, posts its short sums and rests; or it adds its digits to words in
/// global memory and posts that.
///
/// shape      blocks of 8 warps; no more senders than mailbox_storage::most_senders. The same word of all senders lies
///            side by side: first a word that says what the sender has, then quarters of its sums, then quarters of
///            rests if it has any
/// order      exact: any
/// tested by  tests/gpu/exact_short_test.cu, tests/gpu/exact_sum_test.cu
template <class Term>
class mailed_sums {
 public:
  using sums = sums_and_rests<Term>;
  using digits = warp_digits<typename term_format<Term>::layout>;
  using layout = typename digits::layout;
  static constexpr int num_sums = layout::num_sums;
  static constexpr int warps = 8;
  static constexpr bool may_have_rests = has_short_rests_v<Term>;
  static constexpr int num_boxes =
      (1 + 4 * (num_sums + (may_have_rests ? 1 : 0))) * mailbox_storage::most_senders;
  static_assert(num_boxes <= mailbox_storage::words);

  MONOFOLD_GPU mailed_sums(const mailbox_storage& mail_storage, std::uint32_t call)
      : mail_storage_(mail_storage), call_(call) {}

  /// sync       all lanes of one warp, each with the same sums
  MONOFOLD_GPU void post(int sender, const sums& own) const {
    const int i = lane_rank();
    std::uint32_t say = static_cast<std::uint32_t>(own.max_exponent + max_exponent_bias) |
                        (own.is_there != 0 ? has_sums : 0) | own.minus_zeros << minus_zeros_shift;
    if constexpr (may_have_rests) {
      if (own.more != 0) {
        say |= std::uint32_t{own.more} << more_shift;
        if (own.has_words()) {
          sync_warp();      // additions of all lanes are before what follows,
          __threadfence();  // and seen by whoever sees the mail
        }
        if (own.has_rest()) {
          const auto half = static_cast<std::uint64_t>(own.rest >> (64 * (i & 1)));
          if (i < 2) post_pair(pairs_of(2 * num_sums + i) + 2 * sender, half);
        }
      }
    }
    MONOFOLD_UNROLL
    for (int q = 0; q < 2 * num_sums; ++q) {
      const auto half = static_cast<std::uint64_t>(own.value[q / 2] >> (q % 2 == 0 ? 0 : 64));
      if (i == q) post_pair(pairs_of(q) + 2 * sender, half);
    }
    if (i == 2 * num_sums) post_word(mail_storage_.boxes() + sender, say);
  }

  /// Adds digits and counts to words in global memory, and posts that. word_of(i) is word i of them.
  ///
  /// sync       all lanes of one warp
  template <class Word>
  MONOFOLD_GPU void post_elsewhere(int sender, const Word& word_of, std::int64_t* words) const {
    MONOFOLD_ROLL
    for (int i = lane_rank(); i < digits::num_wide_words; i += warp_lanes) {
      const std::int64_t word = word_of(i);
      if (word != 0) add_to_word(words + i, word);
    }
    sync_warp();      // additions of all lanes are before what follows,
    __threadfence();  // and seen by whoever sees the mail
    const int i = lane_rank();
    if (i < 2 * num_sums) post_pair(pairs_of(i) + 2 * sender, 0);
    if (i == 2 * num_sums) post_word(mail_storage_.boxes() + sender, is_elsewhere);
  }

  /// Waits for all senders, of which each has posted or is sure to, adds up what they sent, and ends the call. The sum
  /// goes to `own` of all threads, with rests in the slots of warps if there are any; or as digits to `total`.
  ///
  /// shape      slots: one for each warp; total: digits::num_wide_words; both in shared memory
  /// sync       all threads of the block; a barrier behind it where `own` is not used
  MONOFOLD_GPU gathered gather(int senders, sums& own, sums* slots, std::int64_t* total,
                               std::int64_t* words) const {
    const auto rank = static_cast<int>(threadIdx.x);
    const int warp = rank / warp_lanes;
    bool is_here = true;
    sums heard{};
    if (rank - lane_rank() < senders) is_here = hear(rank, rank < senders, heard);
    if (!is_here) __threadfence();  // what was added elsewhere is seen behind the barrier below
    sums joined = heard;
    const bool is_near = joined.join_lanes(sums::most_shift_of_blocks);
    if (lane_rank() == 0) static_cast<short_sums<Term>&>(slots[warp]) = joined;
    const bool all_here = !sync_block_any(!is_here);
    // What warps put there above is read below.
    bool all_near = !sync_block_any(!is_near);
    mail_storage_.end_call(call_);
    // The same in all warps.
    all_near = all_near && own.join_slots(slots, warps, sums::most_shift_of_blocks);
    if (all_near && all_here) return gathered::sums;
    if (all_here) {
      static_cast<short_sums<Term>&>(own) = far_blocks_joined(heard, slots);
      if (own.max_exponent != sums::no_exponent) return gathered::sums;
    }
    if constexpr (may_have_rests) {
      if (all_near && store_rests(heard, own.max_exponent, slots)) return gathered::sums_and_rests;
    }

    if (rank < digits::num_wide_words) {
      total[rank] = take_word(words + rank);  // what senders added before they said so
    }
    sync_block();  // words written above are added to below
    if (heard.minus_zeros != 0) {
      constexpr int place = digits::num_wide_digits + static_cast<int>(digit_count::minus_zero);
      add_to_word(total + place, heard.minus_zeros);
    }
    // As few additions as can be: they wait for each other.
    if constexpr (may_have_rests) {
      if (is_near) {
        const int128 rest = sums::rest_of_lanes(heard, joined.max_exponent);
        if (lane_rank() == 0 && rest != 0) add_rest(rest, joined.max_exponent, total);
      } else if (heard.has_rest()) {
        add_rest(heard.rest, heard.max_exponent, total);
      }
    }
    sums added = all_near ? own : is_near ? joined : heard;
    if (all_near ? rank != 0 : is_near && lane_rank() != 0) added.is_there = 0;
    if (added.is_there != 0) add_to_digits(added, total);
    return gathered::digits;
  }

  /// Adds up the rests that each warp has received and stores them in its slot, in units that follow from
  /// `max_exponent`. False where some sender has digits in global memory.
  ///
  /// sync       all threads of the block
  MONOFOLD_GPU static bool store_rests(const sums& heard, int max_exponent, sums* slots) {
    const int128 rest = sums::rest_of_lanes(heard, max_exponent);
    if (lane_rank() == 0) slots[threadIdx.x / warp_lanes].rest = rest;
    return !sync_block_any(heard.has_words());  // and rests written above are read behind it
  }

  /// The sum of the short sums of all threads of the block, whose largest exponents may be far apart.
  ///
  /// sync       all threads of the block
  MONOFOLD_GPU_CALL static short_sums<Term> far_blocks_joined(short_sums<Term> own, sums* slots) {
    own.join_far_lanes();
    sync_block();  // slots read before are written below
    if (lane_rank() == 0) {
      static_cast<short_sums<Term>&>(slots[threadIdx.x / warp_lanes]) = own;
    }
    sync_block();  // and read
    return sums::far_slots_joined(slots, warps);
  }

  /// Adds rests to the digits in `total`, by one thread.
  MONOFOLD_GPU static void add_rest(int128 rest, int max_exponent, std::int64_t* total) {
    add_number<layout>(rest, sums::rest_exponent(max_exponent), sums::last, total);
  }
  /// Adds short sums to the digits in `total`, by one thread.
  MONOFOLD_GPU_CALL static void add_to_digits(const sums& own, std::int64_t* total) {
    MONOFOLD_ROLL
    for (int s = 0; s < num_sums; ++s) {
      add_number<layout>(own.value[s], sums::exponent(own.max_exponent, s), s, total);
    }
  }

 private:
  // What a sender says: the largest exponent of its sums, these, what it has besides, and how many terms are -0: of
  // eight warps, four tiles each, at most 2^16.
  static constexpr int max_exponent_bias = 1 << 12;
  static constexpr std::uint32_t has_sums = 1u << 13;
  static constexpr int more_shift = 14;
  static constexpr std::uint32_t is_elsewhere = 1u << more_shift;  // `in_words` of `more`
  static constexpr int minus_zeros_shift = may_have_rests ? 16 : 15;
  static_assert(warps * sums::most_tiles * sums::most_tile_items < 1 << (32 - minus_zeros_shift));

  MONOFOLD_GPU std::uint64_t* pairs_of(int quarter_pair) const {
    return mail_storage_.boxes() + (1 + 2 * quarter_pair) * mailbox_storage::most_senders;
  }

  /// Waits for the mail of a sender, in lanes that ask. False where it has rests as well, or digits in global memory
  /// instead. Lanes wait for each other, see mailbox::wait.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU bool hear(int sender, bool asks, sums& own) const {
    if (!asks) sender = 0;
    std::uint32_t say;
    std::uint64_t half[2 * num_sums];
    bool all_there;
    do {
      // All is on its way before any is looked at.
      all_there = read_word(mail_storage_.boxes() + sender, say);
      MONOFOLD_UNROLL
      for (int q = 0; q < 2 * num_sums; ++q) {
        all_there = read_pair(pairs_of(q) + 2 * sender, half[q]) && all_there;
      }
    } while (any_lane(asks && !all_there));
    if (!asks) say = 0;
    MONOFOLD_UNROLL
    for (int s = 0; s < num_sums; ++s) {
      own.value[s] = static_cast<int128>(static_cast<uint128>(half[2 * s + 1]) << 64 | half[2 * s]);
    }
    own.max_exponent = static_cast<std::int32_t>(say & (has_sums - 1)) - max_exponent_bias;
    own.is_there = (say & has_sums) != 0 ? 1 : 0;
    own.minus_zeros = say >> minus_zeros_shift;
    own.more = say >> more_shift & (may_have_rests ? 3 : 1);
    if constexpr (may_have_rests) {
      if (own.has_rest()) own.rest = hear_rest(sender);
    }
    return own.more == 0;
  }

  /// Waits for the rests of a sender that has some, in one lane, since few senders have any.
  MONOFOLD_GPU int128 hear_rest(int sender) const {
    std::uint64_t low;
    std::uint64_t high;
    bool is_there;
    do {
      is_there = read_pair(pairs_of(2 * num_sums) + 2 * sender, low);
      is_there = read_pair(pairs_of(2 * num_sums + 1) + 2 * sender, high) && is_there;
    } while (!is_there);
    return static_cast<int128>(static_cast<uint128>(high) << 64 | low);
  }

  MONOFOLD_GPU void post_word(std::uint64_t* box, std::uint32_t what) const {
    post_mail(box, mail_of(call_, what));
  }
  MONOFOLD_GPU void post_pair(std::uint64_t* box, std::uint64_t what) const {
    post_mail(box, mail_of(call_, static_cast<std::uint32_t>(what)),
              mail_of(call_, static_cast<std::uint32_t>(what >> 32)));
  }
  /// Reads a word; true where it is of this call.
  MONOFOLD_GPU bool read_word(const std::uint64_t* box, std::uint32_t& what) const {
    std::uint64_t word;
    read_mail(box, word);
    what = static_cast<std::uint32_t>(word);
    return is_mail_of(call_, word);
  }
  MONOFOLD_GPU bool read_pair(const std::uint64_t* box, std::uint64_t& what) const {
    std::uint64_t low;
    std::uint64_t high;
    read_mail(box, low, high);
    what = high << 32 | (low & 0xffffffffu);
    return is_mail_of(call_, low) && is_mail_of(call_, high);
  }

  mailbox_storage mail_storage_;
  std::uint32_t call_;
};

}  // namespace monofold::detail
