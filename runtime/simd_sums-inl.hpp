/// runtime/simd_sums-inl: tiles of the float sum family in vectors, bit for bit as level/core.

// Included once for each instruction set: see highway's foreach_target.h.
#if defined(MONOFOLD_RUNTIME_SIMD_SUMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MONOFOLD_RUNTIME_SIMD_SUMS_INL
#undef MONOFOLD_RUNTIME_SIMD_SUMS_INL
#else
#define MONOFOLD_RUNTIME_SIMD_SUMS_INL
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "monofold/fold/moments.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/level/core.hpp"
#include "monofold/plan/tiles.hpp"
#include "monofold/plan/tree.hpp"
#include "runtime/loops-inl.hpp"
#include "runtime/prefetch.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

namespace hn = hwy::HWY_NAMESPACE;

// Four doubles at a time, whatever the processor could do: one line of float32 is then four
// vectors, and eight accumulators fit the sixteen registers of AVX2.
using double4 = hn::FixedTag<double, 4>;
using vector4 = hn::Vec<double4>;

/// Four neighbouring items as doubles.
HWY_INLINE vector4 load4(const double* p) { return hn::LoadU(double4(), p); }
HWY_INLINE vector4 load4(const float* p) {
  return hn::PromoteTo(double4(), hn::LoadU(hn::FixedTag<float, 4>(), p));
}
HWY_INLINE vector4 load4(const float16* p) {
  const hn::FixedTag<hwy::float16_t, 4> half;
  const auto items = hn::LoadU(half, reinterpret_cast<const hwy::float16_t*>(p));
  return hn::PromoteTo(double4(), hn::PromoteTo(hn::FixedTag<float, 4>(), items));
}
HWY_INLINE vector4 load4(const bfloat16* p) {
  const hn::FixedTag<hwy::bfloat16_t, 4> half;
  const auto items = hn::LoadU(half, reinterpret_cast<const hwy::bfloat16_t*>(p));
  return hn::PromoteTo(double4(), hn::PromoteTo(hn::FixedTag<float, 4>(), items));
}

/// (a0+a1, b0+b1, a2+a3, b2+b3)
HWY_INLINE vector4 join_pairs(vector4 a, vector4 b) {
  const double4 d;
  return hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
}

/// Sixteen neighbours in four vectors to four: each the tree over four, neighbours first.
HWY_INLINE vector4 join_quads(vector4 a, vector4 b, vector4 c, vector4 e) {
  const double4 d;
  const vector4 left = join_pairs(a, b);   // a01 b01 a23 b23
  const vector4 right = join_pairs(c, e);  // c01 e01 c23 e23
  return hn::Add(hn::ConcatLowerLower(d, right, left), hn::ConcatUpperUpper(d, right, left));
}

/// The tree over the slots of a tile, sixteen of which are in each of `count` (a power of two)
/// vectors already joined by fours.
template <int count>
HWY_INLINE double join_groups(const vector4* groups) {
  if constexpr (count >= 4) {
    vector4 next[count / 4];
    for (int i = 0; i < count / 4; ++i) {
      next[i] = join_quads(groups[4 * i], groups[4 * i + 1], groups[4 * i + 2], groups[4 * i + 3]);
    }
    return join_groups<count / 4>(next);
  } else if constexpr (count == 2) {
    alignas(32) double n[4];  // n01 n45 n23 n67
    hn::Store(join_pairs(groups[0], groups[1]), double4(), n);
    return (n[0] + n[2]) + (n[1] + n[3]);
  } else {
    alignas(32) double n[4];
    hn::Store(groups[0], double4(), n);
    return (n[0] + n[1]) + (n[2] + n[3]);
  }
}

/// s + x. Written with the fused instruction, which rounds once as well: additions, comparisons and
/// conversions share two units of a Zen 4, multiplications have two of their own.
HWY_INLINE vector4 add_one(vector4 x, vector4 s) {
  return hn::MulAdd(x, hn::Set(double4(), 1.0), s);
}

/// q + x^2, rounded twice. Where x has at most 26 significant bits its square is exact, one rounding
/// is left, and the fused instruction gives the same bits on units that additions leave idle.
template <bool exact_square>
HWY_INLINE vector4 add_square(vector4 x, vector4 q) {
  if constexpr (exact_square) return hn::MulAdd(x, x, q);
  return add_one(hn::Mul(x, x), q);
}

/// A vector of 32 bytes of `Real` from neighbouring items.
HWY_INLINE auto load_reals(hn::FixedTag<double, 4>, const double* p) { return load4(p); }
HWY_INLINE auto load_reals(hn::FixedTag<float, 8> d, const float* p) { return hn::LoadU(d, p); }
HWY_INLINE auto load_reals(hn::FixedTag<float, 8> d, const float16* p) {
  const hn::FixedTag<hwy::float16_t, 8> half;
  return hn::PromoteTo(d, hn::LoadU(half, reinterpret_cast<const hwy::float16_t*>(p)));
}
HWY_INLINE auto load_reals(hn::FixedTag<float, 8> d, const bfloat16* p) {
  const hn::FixedTag<hwy::bfloat16_t, 8> half;
  return hn::PromoteTo(d, hn::LoadU(half, reinterpret_cast<const hwy::bfloat16_t*>(p)));
}

/// The sums in `Real` of the columns of a full tile, sixteen vectors of columns at a time, which
/// are the sixteen registers of AVX2: rows of 512 bytes of `Real` are read from end to end.
template <class Real, class Item>
HWY_INLINE void sum_columns(const Item* items, Real* columns) {
  const hn::FixedTag<Real, 32 / sizeof(Real)> d;
  constexpr int lanes = 32 / sizeof(Real);
  constexpr int row_items = tile_shape<Item>::row_items;
  for (int part = 0; part < row_items; part += 16 * lanes) {
    const Item* row = items + part;
    hn::Vec<decltype(d)> s[16];
    for (int v = 0; v < 16; ++v) s[v] = load_reals(d, row + lanes * v);
#pragma GCC unroll 1
    for (int r = 1; r < tile_rows; ++r) {
      row += row_items;
      for (int v = 0; v < 16; ++v) s[v] = hn::Add(s[v], load_reals(d, row + lanes * v));
    }
    for (int v = 0; v < 16; ++v) hn::Store(s[v], d, columns + part + lanes * v);
  }
}

/// The sum of a full tile of float64.
HWY_INLINE double sum_tile_in_order(const double* items) {
  constexpr int columns = tile_shape<double>::row_items;
  alignas(32) double slots[columns];
  sum_columns(items, slots);
  const double4 d;
  vector4 groups[columns / 16];
  for (int g = 0; g < columns / 16; ++g) {
    const double* const p = slots + 16 * g;
    groups[g] =
        join_quads(hn::Load(d, p), hn::Load(d, p + 4), hn::Load(d, p + 8), hn::Load(d, p + 12));
  }
  return join_groups<columns / 16>(groups);
}

enum class powers { first, second, first_and_second };

/// Keeps nothing of what `sum_tile` reads.
struct no_bounds {
  template <class Item>
  HWY_INLINE void see(const Item*, vector4, vector4, vector4, vector4) {}
};

/// Keeps the smallest and the largest of the float32 or float64 that `sum_tile` reads; NaN are the
/// caller's affair.
template <class Item>
class vector_bounds {
 public:
  using tag = hn::FixedTag<Item, 32 / sizeof(Item)>;

  // Written out, for the instruction set: an implicit constructor would not get it.
  HWY_INLINE vector_bounds() : low_(hn::Inf(tag())), high_(hn::Neg(hn::Inf(tag()))) {}

  /// Sixteen neighbours at p, which are also given as doubles.
  HWY_INLINE void see(const Item* p, vector4 x0, vector4 x1, vector4 x2, vector4 x3) {
    if constexpr (std::is_same_v<Item, float>) {
      const auto a = hn::LoadU(tag(), p), b = hn::LoadU(tag(), p + 8);
      low_ = hn::Min(hn::Min(low_, a), b);
      high_ = hn::Max(hn::Max(high_, a), b);
    } else {
      low_ = hn::Min(low_, hn::Min(hn::Min(x0, x1), hn::Min(x2, x3)));
      high_ = hn::Max(high_, hn::Max(hn::Max(x0, x1), hn::Max(x2, x3)));
    }
  }
  HWY_INLINE Item low() const { return hn::GetLane(hn::MinOfLanes(tag(), low_)); }
  HWY_INLINE Item high() const { return hn::GetLane(hn::MaxOfLanes(tag(), high_)); }

 private:
  hn::Vec<tag> low_;
  hn::Vec<tag> high_;
};

/// Sums of x - pivot, and of its square where asked, over a full tile; `bounds` sees every item.
///
/// order      the slots of plan/tiles.hpp (one accumulator a column), then the tree over them
template <powers wanted, bool from_pivot, class Item, class Bounds>
HWY_INLINE typename moments_fold<Item>::accumulator sum_tile(const Item* items, double pivot,
                                                             std::ptrdiff_t ahead, Bounds& bounds) {
  if constexpr (std::is_same_v<Item, double> && !from_pivot && wanted != powers::second) {
    // Memory is read in order; squares come from the first-level cache.
    const double sum = sum_tile_in_order(items);
    if constexpr (wanted == powers::first) return {sum, 0.0};
    return {sum, sum_tile<powers::second, false>(items, 0.0, no_prefetch, bounds).squares};
  }
  constexpr int columns = tile_shape<Item>::row_items;
  constexpr int groups = columns / 16;
  constexpr bool firsts = wanted != powers::second;
  constexpr bool squares = wanted != powers::first;
  constexpr bool exact_squares = !from_pivot && sizeof(Item) < sizeof(double);
  const double4 d;
  const vector4 shift = hn::Set(d, pivot);
  const char* line = reinterpret_cast<const char*>(items) + ahead;
  constexpr std::ptrdiff_t lines = 16 * sizeof(Item);  // bytes read in one step
  vector4 sums[groups];
  vector4 second[groups];
  const auto load = [&](const Item* p) HWY_ATTR {
    const vector4 x = load4(p);
    return from_pivot ? hn::Sub(x, shift) : x;
  };
  const auto prefetch = [&]() HWY_ATTR {
    hwy::Prefetch(line);
    if constexpr (lines > 64) hwy::Prefetch(line + 64);
    line += lines;
  };
  for (int g = 0; g < groups; ++g) {
    // A slot is opened by its first item, not by zero: -0 must survive.
    const Item* p = items + g * 16;
    vector4 s0 = load(p), s1 = load(p + 4), s2 = load(p + 8), s3 = load(p + 12);
    bounds.see(p, s0, s1, s2, s3);
    vector4 q0 = hn::Mul(s0, s0), q1 = hn::Mul(s1, s1), q2 = hn::Mul(s2, s2), q3 = hn::Mul(s3, s3);
    prefetch();
    // Not unrolled: the compiler would hoist loads until registers spill.
#pragma GCC unroll 1
    for (int r = 1; r < tile_rows; ++r) {
      p += columns;
      prefetch();
      const vector4 x0 = load(p), x1 = load(p + 4), x2 = load(p + 8), x3 = load(p + 12);
      bounds.see(p, x0, x1, x2, x3);
      if constexpr (firsts) {
        s0 = add_one(x0, s0);
        s1 = add_one(x1, s1);
        s2 = add_one(x2, s2);
        s3 = add_one(x3, s3);
      }
      if constexpr (squares) {
        q0 = add_square<exact_squares>(x0, q0);
        q1 = add_square<exact_squares>(x1, q1);
        q2 = add_square<exact_squares>(x2, q2);
        q3 = add_square<exact_squares>(x3, q3);
      }
    }
    if constexpr (firsts) sums[g] = join_quads(s0, s1, s2, s3);
    if constexpr (squares) second[g] = join_quads(q0, q1, q2, q3);
  }
  typename moments_fold<Item>::accumulator all{0.0, 0.0};
  if constexpr (firsts) all.sum = join_groups<groups>(sums);
  if constexpr (squares) all.squares = join_groups<groups>(second);
  return all;
}

template <powers wanted, bool from_pivot, class Item>
HWY_INLINE typename moments_fold<Item>::accumulator sum_tile(const Item* items, double pivot,
                                                             std::ptrdiff_t ahead) {
  no_bounds bounds;
  return sum_tile<wanted, from_pivot>(items, pivot, ahead, bounds);
}

/// The plain sum of a full tile in float32.
template <class Item>
HWY_INLINE float plain_sum_tile(const Item* items) {
  constexpr int columns = tile_shape<Item>::row_items;
  alignas(32) float slots[columns];
  sum_columns(items, slots);
  const hn::FixedTag<float, 8> d;
  for (int count = columns / 16; count >= 1; count /= 2) {  // vectors, half of those before
    for (int i = 0; i < count; ++i) {
      const auto left = hn::Load(d, slots + 16 * i);
      const auto right = hn::Load(d, slots + 16 * i + 8);
      hn::Store(hn::Add(hn::ConcatEven(d, right, left), hn::ConcatOdd(d, right, left)), d,
                slots + 8 * i);
    }
  }
  return ((slots[0] + slots[1]) + (slots[2] + slots[3])) +
         ((slots[4] + slots[5]) + (slots[6] + slots[7]));
}

template <class Item>
struct tile_loop<float_sum_fold<Item, double>, Item> {
  HWY_INLINE static double fold(const float_sum_fold<Item, double>&, const Item* items,
                                std::int64_t, std::ptrdiff_t ahead) {
    return sum_tile<powers::first, false>(items, 0.0, ahead).sum;
  }
};

template <class Item>
struct tile_loop<float_sum_fold<Item, float>, Item> {
  HWY_INLINE static float fold(const float_sum_fold<Item, float>&, const Item* items, std::int64_t,
                               std::ptrdiff_t) {
    return plain_sum_tile(items);
  }
};

template <class Item>
struct tile_loop<moments_fold<Item>, Item> {
  HWY_INLINE static moments_state fold(const moments_fold<Item>& fold, const Item* items,
                                       std::int64_t, std::ptrdiff_t ahead) {
    return finish(fold, items, sum_tile<powers::first_and_second, false>(items, 0.0, ahead));
  }
  /// What fold_tile does after the first pass.
  HWY_INLINE static moments_state finish(const moments_fold<Item>& fold, const Item* items,
                                         const typename moments_fold<Item>::accumulator& all) {
    constexpr int count = tile_items_v<Item>;
    if (fold.suffices(all, count)) return fold.flush(all, count);
    const moments_fold<Item> second = fold.again(all, count);
    return second.flush(sum_tile<powers::first_and_second, true>(items, second.pivot(), no_prefetch),
                        count);
  }
};

#endif  // not the portable targets

}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MONOFOLD_RUNTIME_SIMD_SUMS_INL
