#pragma once
/// engine/gpu/exact/short_rests: short sums, with what bins did not hold as one more integer.
///
/// Among 16 MiB of numbers around 0, some are so small that bins do not hold their squares. What the bins leave of
/// such a square is a rest: a whole number of units that are 2^-depth of the unit of its sum, unless it is smaller
/// still.

#include <cstdint>

#include "monofold/engine/gpu/exact/short_sums.cuh"
#include "monofold/engine/gpu/exact/term_bins.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::detail {

/// Whether short sums of a term can have rests, which blocks mail with them.
template <class Term>
inline constexpr bool has_short_rests_v =
    term_bins<Term>::may_have_rests&& short_sums<Term>::is_mailable;

/// Short sums; of these terms without rests.
template <class Term, bool = has_short_rests_v<Term>>
struct sums_and_rests : short_sums<Term> {
  static constexpr std::uint32_t in_words = 1;
  MONOFOLD_GPU bool has_words() const { return (this->more & in_words) != 0; }
};

/// Short sums, and the rests of the last one.
template <class Term>
struct sums_and_rests<Term, true> : short_sums<Term> {
  using base = short_sums<Term>;
  using format = typename base::format;
  static constexpr int last = base::parts - 1;
  /// A lane leaves at most 32 rests of a tile, each at most half a unit of the sum in magnitude. In their own units
  /// those of a call by mail are below 2^(60 + 22) together, those of a row below 2^(60 + 27); where largest exponents
  /// differ, see `short_sums`, below 2^94.
  static constexpr int depth = 60;

  // What `more` says.
  static constexpr std::uint32_t in_words = 1;  // numbers and counts in words of global memory
  static constexpr std::uint32_t in_rest = 2;

  int128 rest;  // where `more` says so; 0 in value-initialized sums
  MONOFOLD_GPU bool has_rest() const { return (this->more & in_rest) != 0; }
  MONOFOLD_GPU bool has_words() const { return (this->more & in_words) != 0; }

  /// The exponent of the unit of rests.
  MONOFOLD_GPU static int rest_exponent(int max_exponent) {
    return base::exponent(max_exponent, last) - depth;
  }

  /// The sum of the rests of lanes, in units that follow from `max_exponent`, which is near to the exponents of the
  /// lanes.
  ///
  /// sync       all lanes of the warp, which all get the sum
  MONOFOLD_GPU static int128 rest_of_lanes(const sums_and_rests& own, int max_exponent) {
    int128 units = 0;
    if (own.has_rest()) {
      const int shift = format::part_max_exponent(own.max_exponent, last) -
                        format::part_max_exponent(max_exponent, last);
      units = static_cast<int128>(static_cast<uint128>(own.rest) << shift);
    }
    return sum_of_lanes(units);
  }
  /// Sets `rest` to the sum of the rests in the slots of warps.
  MONOFOLD_GPU void take_rests(const sums_and_rests* slot, int num) {
    rest = 0;
    MONOFOLD_ROLL
    for (int w = 0; w < num; ++w) rest += slot[w].rest;
  }

  /// As join_warps of `short_sums`. False also where there are rests and largest exponents are far apart.
  MONOFOLD_GPU bool join_warps(const sums_and_rests* slot, int num,
                               int most_shift = base::most_shift_of_warps) {
    bool is_sum = base::join_slots(slot, num, most_shift);
    const bool is_near = is_sum;
    const bool any_more = any_lane(this->more != 0);  // this lane's slot's still
    if (!is_near) {
      static_cast<base&>(*this) = base::far_slots_joined(slot, num);
      is_sum = this->max_exponent != base::no_exponent;
    }
    if (!any_more) return is_sum;
    const more_sums joined = joined_more(slot, num, is_near, this->max_exponent);
    this->more = joined.more;
    if (!has_rest()) return is_sum;
    rest = joined.rest;
    return is_sum && is_near;
  }

 private:
  struct more_sums {
    int128 rest;
    std::uint32_t more;
  };
  /// What slots have besides short sums, without the rests of slots that are not near. Not inlined, since few have
  /// anything.
  MONOFOLD_GPU_CALL static more_sums joined_more(const sums_and_rests* slot, int num, bool are_near,
                                                 int max_exponent) {
    sums_and_rests own{};
    if (lane_rank() < num) own = slot[lane_rank()];
    const std::uint32_t more =
        (any_lane(own.has_rest()) ? in_rest : 0) | (any_lane(own.has_words()) ? in_words : 0);
    return {are_near ? rest_of_lanes(own, max_exponent) : 0, more};
  }
};

}  // namespace monofold::detail
