#pragma once
/// engine/gpu/exact/warp_rests: what bins leave of a tile, to the digits of its warp and back.

#include <cstdint>

#include "monofold/engine/gpu/exact/short_rests.cuh"
#include "monofold/engine/gpu/exact/thread_bins.cuh"
#include "monofold/engine/gpu/exact/warp_wide.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::detail {

/// Three steps of `warp_exact`, without its state.
///
/// sync       all lanes of the warp
/// tested by  tests/gpu/exact_short_test.cu
template <class Term, bool may_have_room, class Range>
struct warp_rests {
  using wide = warp_wide<Term, may_have_room, Range>;
  using format = typename wide::format;
  using digits = typename wide::digits;
  using chunk = typename wide::chunk;
  using range_type = typename wide::range_type;
  using bins = tile_bins<Term>;
  static constexpr int parts = format::parts;

  /// Adds units of one bin more than those of the last part. One addition.
  ///
  /// source     one H200: a variance of 16 MiB of uniform float32 takes 0.82 of the time by `deposit`, which takes a
  ///            warp 5500 cycles; of numbers around 0, many of them small, 0.42 to 0.67 from 32 MiB on
  MONOFOLD_GPU static void add_deep(std::int64_t units, int max_exponent, digits to) {
    constexpr int last = parts - 1;
    const int unit = bins::unit(max_exponent, last, bins::num_bins);
    to.add_units(sum_of_lanes(units), unit + format::part_scale(last), format::part_sum(last));
  }

  /// Loads a tile and adds what the bins leave of it, if each lane has at most one number of each part; false where
  /// there are more, or special items: then nothing is added. As many additions as lanes for each part. Not inlined,
  /// since it is rare and long, and the loop needs every register.
  MONOFOLD_GPU_CALL static bool deposit(const range_type range, int tile,
                                        const typename bins::beginning beginning, digits to) {
    chunk raw[wide::rows];  // once more: nothing of it need be kept for this case
    wide::load(raw, range, tile, 0);
    bins own;
    double rest[parts];
    const bool is_one = own.deposit_apart(raw, beginning, rest);
    if (any_lane(!is_one || wide::has_special(raw))) return false;
    sync_warp();  // additions by `add_units` above, atomic ones below
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) {
      to.deposit(rest[p], format::part_scale(p), format::part_sum(p));
    }
    sync_warp();  // and the other way round
    return true;
  }

  struct found {
    int128 rest;
    std::uint32_t more;  // as in short sums
  };
  /// What the digits have beside the short sums of bins: as rests; or in the words of `overflow`, where it is then.
  MONOFOLD_GPU static found find(digits own, int max_exponent) {
    using sums = sums_and_rests<Term>;
    found out{0, sums::in_rest};
    if (!own.units_of(format::part_sum(sums::last), sums::rest_exponent(max_exponent), out.rest)) {
      own.flush();
      out = {0, sums::in_words};
    }
    return out;
  }
  /// Not inlined where most ranges have none, and end soon.
  MONOFOLD_GPU_CALL static found find_by_call(digits own, int max_exponent) {
    return find(own, max_exponent);
  }
};

}  // namespace monofold::detail
