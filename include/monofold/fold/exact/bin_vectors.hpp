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

/// `num` vectors a bin, of bins that are set and have room for what is to be deposited.
template <int bytes, int bins, int num>
struct bin_vectors {
  using real = typename lanes<bytes>::real;
  using whole = typename lanes<bytes>::whole;

  real m[bins][num];

  MONOFOLD_INLINE explicit bin_vectors(const kept_bins& kept) {
    each([&](auto k, auto v) __attribute__((always_inline)) {
      m[k][v] = real{} + bits_as<double>(kept.anchor(k));
    });
  }
#if defined(MONOFOLD_QUIET_VECTORS)
  /// Whether all are in the binades of their anchors. Before `flags` are asked.
  MONOFOLD_INLINE bool count_units(const rounding_flags& flags, const kept_bins& kept) {
    each([&](auto k, auto v) __attribute__((always_inline)) { seen_by(flags, m[k][v]); });
    return changed_from<0>(kept) >> 52 == 0;
  }
  /// Whether bins k and above have taken anything.
  template <int k>
  MONOFOLD_INLINE bool any_from(const kept_bins& kept) const {
    return changed_from<k>(kept) != 0;
  }
#endif
  /// What was deposited joins what is kept.
  MONOFOLD_INLINE void keep(kept_bins& kept) const {
    each([&](auto k, auto v) __attribute__((always_inline)) {
      std::int64_t* const units = kept.units[k] + v * (bytes / 8);
      whole sum;
      std::memcpy(&sum, units, bytes);
      sum += (whole)m[k][v] - static_cast<std::int64_t>(kept.anchor(k));  // NOLINT: the bits
      std::memcpy(units, &sum, bytes);
    });
  }

 private:
  /// Calls use(k, v) with numbers known to the compiler: in a loop of its own it would keep the vectors in memory.
  template <class Use>
  MONOFOLD_INLINE static void each(const Use& use) {
    unrolled<bins>([&](auto k) __attribute__((always_inline)) {
      unrolled<num>([&](auto v) __attribute__((always_inline)) { use(k, v); });
    });
  }
  /// Bits of bins `first` and above that are not their anchors'.
  template <int first>
  MONOFOLD_INLINE std::uint64_t changed_from(const kept_bins& kept) const {
    whole changed = {};
    each([&](auto k, auto v) __attribute__((always_inline)) {
      if constexpr (k >= first) {
        changed |= (whole)m[k][v] ^ static_cast<std::int64_t>(kept.anchor(k));  // NOLINT: the bits
      }
    });
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
