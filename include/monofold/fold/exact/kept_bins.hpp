#pragma once
/// fold/exact/kept_bins: bins that stay from block to block, and what they have taken so far.

#include <cstdint>

#include "monofold/fold/exact/anchors.hpp"
#include "monofold/fold/exact/number.hpp"
#include "monofold/fold/exact/quick_tries.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

inline constexpr int most_bins = 8;
inline constexpr int most_bin_lanes = 32;

/// Bins for items below 2^max_exponent * 2^scale and, lane by lane, the units that blocks have left
/// there.
///
/// order      exact: units are integers. A block leaves at most 2^51 in a lane
///            (fold/exact/anchors), and 2^11 blocks are added up before a sum takes them
struct kept_bins {
  static constexpr int most_blocks = 1 << 11;

  bool by_table = false;  // no bins hold the data: a table takes it
  int unseen_blocks = 0;  // that go to the table before one is looked at again
  quick_tries tries;      // of ways that flags verify, beside one that they do not
  int bins = 0;           // 0: none stand yet
  int lanes = 0;
  int max_exponent = 0;
  int scale = 0;
  int headroom = 0;
  int parts = 1;  // 2: the second half of the bins is for the rests of rounded terms
  int blocks = 0;
  std::uint64_t anchors[most_bins];  // bits of the empty bins
  std::int64_t units[most_bins][most_bin_lanes];

  /// New ones, which must have been given to a sum before.
  MONOFOLD_INLINE void set_bins(int num_bins, int num_lanes, int above, int scaled, int room,
                                int num_parts) {
    bins = num_bins;
    lanes = num_lanes;
    max_exponent = above;
    scale = scaled;
    headroom = room;
    parts = num_parts;
    for (int k = 0; k < bins; ++k) anchors[k] = anchor_bits(exponent(k));
    clear();
  }
  MONOFOLD_INLINE void clear() {
    blocks = 0;
    for (int k = 0; k < bins; ++k) {
      for (int l = 0; l < lanes; ++l) units[k][l] = 0;
    }
  }
  /// own += what the bins have taken, which they begin to take anew.
  template <class Number>
  __attribute__((noinline)) void empty(Number& own) {
    add_to(own);
    clear();
  }
  /// The rest of a rounded number below 2^max_exponent is at most 2^(max_exponent - 54).
  MONOFOLD_INLINE int exponent(int k) const {
    const int depth = bins / parts;
    return k < depth ? bin_exponent(max_exponent, headroom, k)
                     : bin_exponent(max_exponent - 53, headroom, k - depth);
  }
  MONOFOLD_INLINE std::uint64_t anchor(int k) const { return anchors[k]; }

  /// own += what the bins have taken.
  template <class Number>
  MONOFOLD_INLINE void add_to(Number& own) const {
    if (blocks == 0) return;
    for (int k = 0; k < bins; ++k) {
      const int128 sum = sum_of_lanes(k);
      if (sum == 0) continue;
      const int position = unit_of_bin(exponent(k)) + scale - Number::low_exponent;
      // Below the grid there are zeros only.
      if (position >= 0) {
        add_at(own, sum, position);
      } else {
        add_at(own, sum >> -position, 0);  // fewer than 67 of its bits are zeros
      }
    }
  }

 private:
  MONOFOLD_INLINE int128 sum_of_lanes(int k) const {
    if (blocks < 1 << 7) {  // below 2^63 together: mostly
      std::int64_t sum = 0;
      for (int l = 0; l < lanes; ++l) sum += units[k][l];
      return sum;
    }
    int128 sum = 0;
    for (int l = 0; l < lanes; ++l) sum += units[k][l];
    return sum;
  }
};

}  // namespace monofold::detail
