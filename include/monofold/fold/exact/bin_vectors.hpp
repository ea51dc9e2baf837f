#pragma once
/// fold/exact/bin_vectors: kept bins in registers, while a loop deposits into several sums at once.

#include <cstdint>
#include <cstring>

#include "monofold/fold/exact/anchors.hpp"
#include "monofold/fold/exact/kept_bins.hpp"
#include "monofold/fold/exact/vectors.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/rounding_flags.hpp"
#include "monofold/platform/strict_arithmetic.hpp"

#if defined(__GNUC__) && !defined(__CUDA_ARCH__)

namespace monofold::detail {

/// Deposits of a loop that takes several sums: so many a lane that all bins have room for them.
inline constexpr int most_deposits = 480;
inline constexpr int least_headroom = 10;
static_assert(most_deposits < 1 << (least_headroom - 1));

/// `num` vectors a bin, of bins that are set and have at least `least_headroom`.
template <int bytes, int bins, int num>
struct bin_vectors {
  using real = typename lanes<bytes>::real;
  using whole = typename lanes<bytes>::whole;

  real m[bins][num];

  MONOFOLD_INLINE explicit bin_vectors(const kept_bins& kept) {
    for (int k = 0; k < bins; ++k) {
      const auto anchor = bits_as<double>(kept.anchor(k));
      for (real& v : m[k]) v = real{} + anchor;
    }
  }
#if defined(MONOFOLD_QUIET_VECTORS)
  /// Whether all are in the binades of their anchors. Before `flags` are asked.
  MONOFOLD_INLINE bool count_units(const rounding_flags& flags, const kept_bins& kept) {
    for (auto& bin : m) {
      for (real& v : bin) seen_by(flags, v);
    }
    return changed_from(0, kept) >> 52 == 0;
  }
  /// Whether bins k and above have taken anything.
  MONOFOLD_INLINE bool any_from(int k, const kept_bins& kept) const {
    return changed_from(k, kept) != 0;
  }
#endif
  /// What was deposited joins what is kept.
  MONOFOLD_INLINE void keep(kept_bins& kept) const {
    for (int k = 0; k < bins; ++k) {
      const auto anchor = static_cast<std::int64_t>(kept.anchor(k));
      for (int v = 0; v < num; ++v) {
        std::int64_t* const units = kept.units[k] + v * (bytes / 8);
        whole sum;
        std::memcpy(&sum, units, bytes);
        sum += (whole)m[k][v] - anchor;  // NOLINT: the bits
        std::memcpy(units, &sum, bytes);
      }
    }
  }

 private:
  /// Bits of bins k and above that are not their anchors'.
  MONOFOLD_INLINE std::uint64_t changed_from(int k, const kept_bins& kept) const {
    whole changed = {};
    for (; k < bins; ++k) {
      const auto anchor = static_cast<std::int64_t>(kept.anchor(k));
      for (const real& v : m[k]) changed |= (whole)v ^ anchor;  // NOLINT: the bits
    }
    std::uint64_t any = 0;
    for (int l = 0; l < bytes / 8; ++l) any |= static_cast<std::uint64_t>(changed[l]);
    return any;
  }
};

/// Deposits x into two neighbouring bins. The first addition is written as a multiplication by `one` and
/// an addition, which rounds as well: AMD's processors have units of their own for those.
template <int bytes, class Vector>
MONOFOLD_INLINE void deposit_in_two(Vector& first, Vector& second, const Vector& x,
                                    const Vector& one) {
  MONOFOLD_AS_WRITTEN
  Vector sum;
  multiply_add<bytes>(x, one, first, sum);
  const Vector deposited = sum - first;
  first = sum;
  const Vector left = x - deposited;
  second += left;
}

/// The same with x * y, where that has so few bits that what the first bin leaves is a double.
template <int bytes, class Vector>
MONOFOLD_INLINE void deposit_product(Vector& first, Vector& second, const Vector& x,
                                     const Vector& y) {
  MONOFOLD_AS_WRITTEN
  Vector sum, left;
  multiply_add<bytes>(x, y, first, sum);
  const Vector deposited = first - sum;
  first = sum;
  multiply_add<bytes>(x, y, deposited, left);
  second += left;
}

}  // namespace monofold::detail

#endif
