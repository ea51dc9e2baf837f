#pragma once
/// engine/gpu/segment/double_sums: sums of rows by plain additions of doubles, where these decide an exact answer.
///
/// A sum of floats that doubles have added is off by no more than their additions may have rounded. An answer that is
/// narrower than a double is known for all that, unless the middle between two answers is as near as this bound. Rows
/// of which it is, and rows with infinities and NaN, are left to bins.

#include <cstdint>

#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/segment/exact_row.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/rounded.hpp"

namespace monofold::detail {

/// The sum of items of some lanes, and what tells whether additions have rounded it.
template <class Term>
struct double_sum {
  using item = typename Term::item;
  using format = term_format<Term>;
  using items = typename format::items;

  double sum;           // times 2^-scale, as `format` splits items
  std::uint32_t most;   // the key of the largest item, see thread_items
  std::uint32_t least;  // what low_limit is compared with

  /// Items that change no sum, not the sign of one that is 0 either.
  MONOFOLD_GPU static bytes16 filler() {
    return repeated(float_from_bits<item>(float_format<item>::sign_bit));
  }
  /// The sum of those of all lanes, in all lanes.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU double_sum over_lanes() const {
    double own = sum;
    MONOFOLD_UNROLL
    for (int distance = 1; distance < warp_lanes; distance *= 2) {
      own = rounded_sum(own, shuffle_from(own, lane_rank() ^ distance));
    }
    return {own, largest_of_lanes(most), smallest_of_lanes(least)};
  }
  /// The answer of `count` items, of which each went through so many additions; false where the sum does not decide it.
  template <class F, class Answer>
  MONOFOLD_GPU bool finish(const F& f, std::int64_t count, std::int64_t additions,
                           Answer& out) const {
    if (most >= items::infinite) return false;
    const int max_exponent = items::max_exponent_of(most);
    const double own = scaled<items::scale>(sum);
    const int log2_count = bit_width_of(static_cast<std::uint64_t>(count));
    if (least >= items::low_limit(max_exponent + log2_count - 53 + items::last_bias)) {
      out = answer_of_double(f, own, static_cast<int>(count));
      return true;
    }
    return finish_rounded_sum(f, count, own, {additions, max_exponent + items::scale}, out);
  }
};

/// What a lane adds of its chunks, by two chains: an addition waits for the one before.
template <class Term>
class lane_doubles {
 public:
  using total = double_sum<Term>;
  using items = typename total::items;

  MONOFOLD_GPU void add(const bytes16& raw) {
    if constexpr (items::count == 4) {
      // Twice the magnitudes; less 1 both zeros are above all others.
      MONOFOLD_UNROLL
      for (int w = 0; w < 4; ++w) {
        const std::uint32_t twice = raw.word[w] << 1;
        most_ = larger(most_, twice);
        least_ = smaller(least_, twice - 1);
      }
    } else {
      most_ = items::look(most_, raw);
      least_ = items::look_low(least_, raw);
    }
    MONOFOLD_UNROLL
    for (int v = 0; v < items::count; ++v) {
      double x[1];
      total::format::split(raw, v, x);
      sum_[v % 2] = rounded_sum(sum_[v % 2], x[0]);
    }
  }
  MONOFOLD_GPU total own() const {
    return {rounded_sum(sum_[0], sum_[1]), items::key(most_), items::low_key(least_)};
  }

 private:
  double sum_[2] = {-0.0, -0.0};
  std::uint32_t most_ = 0;
  std::uint32_t least_ = items::no_low;
};

}  // namespace monofold::detail
