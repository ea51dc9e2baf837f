#pragma once
/// engine/gpu/exact/short_sums: exact sums of few tiles as integers of 128 bits, which lanes and blocks add up.
///
/// What one way of bins has taken of some tiles is a whole number of units of the last bin, far below
/// 2^128. Where the largest exponents of the bins that meet are near to each other, so is their sum: no digits, no
/// carries.

#include <cstdint>

#include "monofold/engine/gpu/exact/term_bins.cuh"
#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/exact/warp_digits.cuh"
#include "monofold/engine/gpu/mailbox.cuh"
#include "monofold/fold/exact/anchors.hpp"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::detail {

/// Sums of the parts of terms as numbers of units that follow from `max_exponent`, that of the bins they were in.
template <class Term>
struct short_sums {
  using format = term_format<Term>;
  using bin_plan = term_bins<Term>;
  static constexpr int parts = format::parts;
  static constexpr int bins = bin_plan::short_bins;
  static constexpr int gap = 53 - bin_plan::headroom;  // binades between bins
  /// Whether blocks may mail them: each sum is one part, with the bins of one largest exponent.
  static constexpr bool is_mailable = parts == format::layout::num_sums;

  static constexpr int most_tiles = 4;  // of a warp
  static constexpr int most_tile_items = bin_plan::rows * warp_lanes * format::chunk_items;
  // Units of a lane and bin are below 2^51 a tile, so those of a warp and its four tiles below
  // 2^(51 + 2 + 47 + 5). Eight warps make 2^108; largest exponents may then be 2^4 apart. Of 32 blocks and again of
  // 8 warps' worth of them largest exponents may be 2^3 apart: 2^(112 + 5 + 3 + 3 + 3) and a little, below 2^127.
  // Eight warps that do not post, of up to 127 tiles, make 2^113, or 2^117 where largest exponents are 2^4 apart; a
  // binade more where bins are 48 apart.
  static constexpr int most_shift_of_warps = 4;
  static constexpr int most_shift_of_blocks = 3;
  static_assert(bins <= 2 && gap <= (is_mailable ? 47 : 48));

  int128 value[parts];
  static constexpr int no_exponent = 1 << 20;  // above all others
  std::int32_t max_exponent;
  std::uint32_t is_there : 1;      // else it is nothing, whatever the exponent
  std::uint32_t has_rests : 1;     // and words in global memory have some numbers more
  std::uint32_t minus_zeros : 30;  // terms that are -0
  static constexpr std::uint32_t most_minus_zeros = (1u << 30) - 1;

  /// The exponent of the unit of a part: that of its last bin.
  MONOFOLD_GPU static int exponent(int max_exponent, int part) {
    return unit_of_bin(bin_exponent(format::part_max_exponent(max_exponent, part),
                                    bin_plan::headroom, bins - 1)) +
           format::part_scale(part);
  }
  /// Whether the last bin has not met the smallest subnormal number: all gaps are alike.
  MONOFOLD_GPU static bool is_regular(int max_exponent) {
    bool all = true;
    MONOFOLD_UNROLL
    for (int p = 0; p < format::parts; ++p) {
      all = all && bin_exponent(format::part_max_exponent(max_exponent, p), bin_plan::headroom,
                                bins - 1) > -1022;
    }
    return all;
  }

  /// Adds up what lanes have: all get it. False where largest exponents are too far apart: then it is no sum.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU bool join_lanes(int most_shift) {
    constexpr std::uint32_t above = 1u << 20;
    const std::uint32_t key = is_there != 0 ? above - static_cast<std::uint32_t>(max_exponent) : 0;
    const auto lowest = static_cast<int>(above - largest_of_lanes(key));
    minus_zeros = sum_of_lanes(std::uint32_t{minus_zeros}) & most_minus_zeros;
    const bool is_near = !any_lane(shift_over(lowest) > most_shift);
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) {
      value[p] = sum_of_lanes(is_near ? shifted(lowest, p) : 0);
    }
    is_there = any_lane(is_there != 0) ? 1 : 0;
    max_exponent = is_there != 0 ? lowest : 0;
    return is_near;
  }

  /// Adds up some places in shared memory, so many apart, by a lane alone. False where largest exponents are so far
  /// apart that bits lie below the units of the largest: then it is no sum.
  MONOFOLD_GPU bool join_alone(const short_sums* slot, int apart, int num) {
    *this = short_sums{};
    int largest = -no_exponent;
    MONOFOLD_ROLL
    for (int i = 0; i < num; ++i) {
      const short_sums& other = slot[i * apart];
      if (other.is_there != 0 && other.max_exponent > largest) largest = other.max_exponent;
    }
    bool loses_bits = false;
    MONOFOLD_ROLL
    for (int i = 0; i < num; ++i) {
      const short_sums& other = slot[i * apart];
      minus_zeros = (minus_zeros + other.minus_zeros) & most_minus_zeros;
      if (other.is_there == 0) continue;
      is_there = 1;
      max_exponent = largest;
      MONOFOLD_UNROLL
      for (int p = 0; p < parts; ++p) {
        int shift = format::part_max_exponent(largest, p) -
                    format::part_max_exponent(other.max_exponent, p);
        if (shift > 127) shift = 127;
        const int128 units = other.value[p] >> shift;
        loses_bits |= units << shift != other.value[p];
        value[p] += units;
      }
    }
    return !loses_bits;
  }

  /// What join_lanes does of some places in shared memory, up to one a lane.
  MONOFOLD_GPU bool join_slots(const short_sums* slot, int num, int most_shift) {
    take(slot, num);
    return join_lanes(most_shift);
  }
  /// What join_lanes does, wherever largest exponents are: in units of the largest, which are fine enough for most data.
  /// A call, rare and long. `no_exponent`: some have bits below them.
  MONOFOLD_GPU_CALL static short_sums far_slots_joined(const short_sums* slot, int num) {
    short_sums own;
    own.take(slot, num);
    own.join_far_lanes();
    return own;
  }
  /// Adds up what warps of a block put there, up to one a lane, wherever their largest exponents are. False where some
  /// have bits below the units of the largest: then it is no sum.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU bool join_warps(const short_sums* slot, int num) {
    const bool is_near = join_slots(slot, num, most_shift_of_warps);
    if (!is_near) *this = far_slots_joined(slot, num);
    if constexpr (bin_plan::may_have_rests) has_rests = any_lane(has_rests != 0) ? 1 : 0;
    return is_near || max_exponent != no_exponent;
  }
  /// The sum of what lanes have, in units of the largest; `no_exponent`: some have bits below them.
  ///
  /// sync       all lanes of the warp, which all get it
  MONOFOLD_GPU void join_far_lanes() {
    constexpr int above = 1 << 21;
    const bool any = is_there != 0;
    const auto key = static_cast<std::uint32_t>(any ? above + max_exponent : 0);
    const int largest = static_cast<int>(largest_of_lanes(key)) - above;
    bool loses_bits = false;
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) {
      int128 units = 0;
      if (any) {
        int shift =
            format::part_max_exponent(largest, p) - format::part_max_exponent(max_exponent, p);
        if (shift > 127) shift = 127;
        units = value[p] >> shift;
        loses_bits |= units << shift != value[p];
      }
      value[p] = sum_of_lanes(units);
    }
    minus_zeros = sum_of_lanes(std::uint32_t{minus_zeros}) & most_minus_zeros;
    is_there = any_lane(any) ? 1 : 0;
    max_exponent = any_lane(loses_bits) ? no_exponent : is_there != 0 ? largest : 0;
  }

 private:
  MONOFOLD_GPU void take(const short_sums* slot, int num) {
    *this = short_sums{};
    if (lane_rank() < num) *this = slot[lane_rank()];
  }
  /// By how much the units of a sum are above those of another largest exponent.
  MONOFOLD_GPU int shift_over(int lowest) const {
    int most = 0;
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) {
      const int shift =
          format::part_max_exponent(max_exponent, p) - format::part_max_exponent(lowest, p);
      if (is_there != 0 && shift > most) most = shift;
    }
    return most;
  }
  MONOFOLD_GPU int128 shifted(int lowest, int p) const {
    if (is_there == 0) return 0;
    const int shift =
        format::part_max_exponent(max_exponent, p) - format::part_max_exponent(lowest, p);
    return static_cast<int128>(static_cast<uint128>(value[p]) << shift);
  }
};

/// Each block, or each warp, posts its short sums, or that it has added its digits to words in global
/// memory.
///
/// shape      blocks of 8 warps; no more senders than mail_room::most_senders. Mail of a kind lies side by
///            side for all of them: first what one says, then quarters of its sums
/// order      exact: any
/// tested by  tests/gpu/exact_short_test.cu, tests/gpu/exact_sum_test.cu
template <class Term>
class mailed_sums {
 public:
  using sums = short_sums<Term>;
  using digits = warp_digits<typename term_format<Term>::layout>;
  using layout = typename digits::layout;
  static constexpr int num_sums = layout::num_sums;
  static constexpr int warps = 8;
  static constexpr int num_boxes = (1 + 4 * num_sums) * mail_room::most_senders;
  static_assert(num_boxes <= mail_room::words);

  MONOFOLD_GPU mailed_sums(const mail_room& room, std::uint32_t call) : room_(room), call_(call) {}

  /// shape      rests of theirs are in words already
  /// sync       all lanes of one warp, each with the same sums
  MONOFOLD_GPU void post(int sender, const sums& own) const {
    const int i = lane_rank();
    if (sums::bin_plan::may_have_rests && own.has_rests != 0) {
      sync_warp();      // additions of all lanes are before what follows,
      __threadfence();  // and seen by whoever sees the mail
    }
    MONOFOLD_UNROLL
    for (int q = 0; q < 2 * num_sums; ++q) {
      const auto half = static_cast<std::uint64_t>(own.value[q / 2] >> (q % 2 == 0 ? 0 : 64));
      if (i == q) post_pair(pairs_of(q) + 2 * sender, half);
    }
    const std::uint32_t say = static_cast<std::uint32_t>(own.max_exponent + max_exponent_bias) |
                              (own.is_there != 0 ? has_sums : 0) |
                              (own.has_rests != 0 ? is_elsewhere : 0) |
                              own.minus_zeros << minus_zeros_shift;
    if (i == 2 * num_sums) post_word(room_.boxes() + sender, say);
  }

  /// Adds digits and counts to words in global memory, and says so; word_of(i): word i.
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
    if (i == 2 * num_sums) post_word(room_.boxes() + sender, is_elsewhere);
  }

  /// The sum of all senders, of which each has posted or is sure to: to `own` of all threads, or, where
  /// it is false, as digits to `total`. It ends the call.
  ///
  /// shape      slots: a place a warp, total: digits::num_wide_words, both in shared memory
  /// sync       all threads of the block; a barrier behind it where `own` is not used
  MONOFOLD_GPU bool gather(int senders, sums& own, sums* slots, std::int64_t* total,
                           std::int64_t* words) const {
    const auto rank = static_cast<int>(threadIdx.x);
    const int warp = rank / warp_lanes;
    bool is_here = true;
    sums heard{};
    if (rank - lane_rank() < senders) is_here = hear(rank, rank < senders, heard);
    if (!is_here) __threadfence();  // what was added elsewhere is seen behind the barrier below
    sums joined = heard;
    const bool is_near = joined.join_lanes(sums::most_shift_of_blocks);
    if (lane_rank() == 0) slots[warp] = joined;
    const bool all_here = !sync_block_any(!is_here);
    // What warps put there above is read below.
    bool all_near = !sync_block_any(!is_near);
    room_.end_call(call_);
    // The same in all warps.
    all_near = all_near && own.join_slots(slots, warps, sums::most_shift_of_blocks);
    if (all_near && all_here) return true;
    if (all_here) {
      own = far_blocks_joined(heard, slots);
      if (own.max_exponent != sums::no_exponent) return true;
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
    sums added = all_near ? own : is_near ? joined : heard;
    if (all_near ? rank != 0 : is_near && lane_rank() != 0) added.is_there = 0;
    if (added.is_there != 0) add_to_digits(added, total);
    return false;
  }

  /// The sum of what all threads of the block have, wherever their largest exponents are.
  ///
  /// sync       all threads of the block
  MONOFOLD_GPU_CALL static sums far_blocks_joined(sums own, sums* slots) {
    own.join_far_lanes();
    sync_block();  // slots read before are written below
    if (lane_rank() == 0) slots[threadIdx.x / warp_lanes] = own;
    sync_block();  // and read
    return sums::far_slots_joined(slots, warps);
  }

  /// Adds short sums to digits in shared memory, by a thread alone.
  MONOFOLD_GPU_CALL static void add_to_digits(const sums& own, std::int64_t* total) {
    MONOFOLD_ROLL
    for (int s = 0; s < num_sums; ++s) {
      int position = sums::exponent(own.max_exponent, s) - layout::low_exponent(s);
      int128 value = own.value[s];
      if (position < 0) {
        value = position > -127 ? value >> -position : 0;  // below the grid there are zeros
        position = 0;
      }
      const int shift = position % 32;
      const int first = layout::first_digit(s) / 2 + position / 32;
      const auto low = static_cast<uint128>(value) << shift;
      const auto high = static_cast<std::int64_t>((value >> (127 - shift)) >> 1);
      // What lies above the last word of the sum is its sign.
      MONOFOLD_ROLL
      for (int j = 0; j < 5 && first + j < layout::end_digit(s) / 2; ++j) {
        const std::int64_t piece =
            j == 4 ? high : static_cast<std::int64_t>(static_cast<std::uint32_t>(low >> (32 * j)));
        if (piece != 0) add_to_word(total + first + j, piece);
      }
    }
  }

 private:
  // What a sender says: the largest exponent of its sums, these, and how many terms are -0: of eight warps, four
  // tiles each, at most 2^16.
  static constexpr int max_exponent_bias = 1 << 12;
  static constexpr std::uint32_t has_sums = 1u << 13;
  static constexpr std::uint32_t is_elsewhere = 1u << 14;
  static constexpr int minus_zeros_shift = 15;
  static_assert(warps * sums::most_tiles * sums::most_tile_items < 1 << (32 - minus_zeros_shift));

  MONOFOLD_GPU std::uint64_t* pairs_of(int quarter_pair) const {
    return room_.boxes() + (1 + 2 * quarter_pair) * mail_room::most_senders;
  }

  /// Waits for what a sender has to say, in lanes that ask; false where its sums are elsewhere. Lanes wait for each
  /// other, see mailbox::wait.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU bool hear(int sender, bool asks, sums& own) const {
    if (!asks) sender = 0;
    std::uint32_t say;
    std::uint64_t half[2 * num_sums];
    bool all_there;
    do {
      // All is on its way before any is looked at.
      all_there = read_word(room_.boxes() + sender, say);
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
    return (say & is_elsewhere) == 0;
  }

  MONOFOLD_GPU void post_word(std::uint64_t* box, std::uint32_t what) const {
    post_mail(box, mail_of(call_, what));
  }
  MONOFOLD_GPU void post_pair(std::uint64_t* box, std::uint64_t what) const {
    post_mail(box, mail_of(call_, static_cast<std::uint32_t>(what)),
              mail_of(call_, static_cast<std::uint32_t>(what >> 32)));
  }
  /// Whether it is of this call.
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

  mail_room room_;
  std::uint32_t call_;
};

}  // namespace monofold::detail
