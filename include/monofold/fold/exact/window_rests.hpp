#pragma once
/// fold/exact/window_rests: what lies below two doubles that hold a sum, and whether it decides how the sum is rounded.

#include <cstdint>
#include <cstring>

#include "monofold/fold/exact/window_vectors.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/instruction_set.hpp"
#include "monofold/platform/strict_arithmetic.hpp"

namespace monofold::detail {

/// What was left out of sums: a number of this size and, of each, at most `cut`; `slack`: 2^-105 of the largest sum,
/// or more.
struct sum_doubts {
  double far;
  double cut;
  double slack;
};

#if defined(MONOFOLD_EXACT_LEVELS)

/// Items as near + below: multiples of the lower anchor's unit, and up to half a unit. Both are doubles: an item of 53
/// bits that has some below the unit is less than 2^53 units.
template <int bytes>
MONOFOLD_INLINE void cut_below_on(const double* items, int count, const window_anchors& anchors,
                                  double* near, double* below) {
  MONOFOLD_AS_WRITTEN
  using real = typename lanes<bytes>::real;
  constexpr int width = lanes<bytes>::doubles;
  const real upper = real{} + anchors.upper, lower = real{} + anchors.lower;
  for (int at = 0; at < count; at += width) {
    const auto size = static_cast<std::size_t>(count - at < width ? count - at : width) * 8;
    real x = {};
    std::memcpy(&x, items + at, size);
    const real part = (x + upper) - upper;
    const real rest = x - part;
    const real low = rest - ((rest + lower) - lower);
    const real kept = low == 0 ? x : x - low;  // -0 stays
    std::memcpy(near + at, &kept, size);
    std::memcpy(below + at, &low, size);
  }
}

/// Whether high + low, with all that was left out, may round to something else than high.
///
/// The sum lies between high + (low - bound) and high + (low + bound), where both inner sums are rounded by at most
/// 2^-53 of the slack that the bound has. Where both round to high, so does the sum.
template <int bytes>
MONOFOLD_INLINE bool has_doubts_on(const double* high, const double* low, int count,
                                   const sum_doubts& doubts) {
  MONOFOLD_AS_WRITTEN
  using real = typename lanes<bytes>::real;
  using whole = typename lanes<bytes>::whole;
  constexpr int width = lanes<bytes>::doubles;
  const real bound = real{} + (2 * (doubts.far + doubts.cut) + doubts.slack);
  whole found = {};
  for (int at = 0; at < count; at += width) {
    const auto size = static_cast<std::size_t>(count - at < width ? count - at : width) * 8;
    real h = {}, l = {};
    if (count - at < width) h += 0x1p1000;
    std::memcpy(&h, high + at, size);
    std::memcpy(&l, low + at, size);
    found |= (whole)(h + (l + bound) != h) | (whole)(h + (l - bound) != h);  // NOLINT: masks
  }
  for (int i = 0; i < width; ++i) {
    if (found[i] != 0) return true;
  }
  return false;
}

#define MONOFOLD_REST_LOOPS(suffix, bytes, ...)                                                 \
  __VA_ARGS__ inline void cut_below_##suffix(const double* items, int count,                    \
                                             const window_anchors& anchors, double* near,       \
                                             double* below) {                                   \
    cut_below_on<bytes>(items, count, anchors, near, below);                                    \
  }                                                                                             \
  __VA_ARGS__ inline bool has_doubts_##suffix(const double* high, const double* low, int count, \
                                              const sum_doubts& doubts) {                       \
    return has_doubts_on<bytes>(high, low, count, doubts);                                      \
  }

MONOFOLD_REST_LOOPS(portable, 16, __attribute__((noinline)))
#if defined(MONOFOLD_EXACT_X86)
MONOFOLD_REST_LOOPS(avx2, 32, __attribute__((target("avx2"), noinline)))
#endif
#undef MONOFOLD_REST_LOOPS

inline void cut_below(const double* items, int count, const window_anchors& anchors, double* near,
                      double* below) {
  const strict_arithmetic arithmetic;
#if defined(MONOFOLD_EXACT_X86)
  if (instruction_set_in_use() != instruction_set::baseline) {
    return cut_below_avx2(items, count, anchors, near, below);
  }
#endif
  cut_below_portable(items, count, anchors, near, below);
}

inline bool has_doubts(const double* high, const double* low, int count, const sum_doubts& doubts) {
  const strict_arithmetic arithmetic;
#if defined(MONOFOLD_EXACT_X86)
  if (instruction_set_in_use() != instruction_set::baseline) {
    return has_doubts_avx2(high, low, count, doubts);
  }
#endif
  return has_doubts_portable(high, low, count, doubts);
}

#else
inline void cut_below(const double*, int, const window_anchors&, double*, double*) {}
inline bool has_doubts(const double*, const double*, int, const sum_doubts&) { return true; }
#endif

}  // namespace monofold::detail
