/// runtime/simd_lane_rows-inl: the best items of longer rows, and where they are.

// Included once for each instruction set: see highway's foreach_target.h.
#if defined(MONOFOLD_RUNTIME_SIMD_LANE_ROWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MONOFOLD_RUNTIME_SIMD_LANE_ROWS_INL
#undef MONOFOLD_RUNTIME_SIMD_LANE_ROWS_INL
#else
#define MONOFOLD_RUNTIME_SIMD_LANE_ROWS_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime/lanes.hpp"
#include "runtime/prefetch.hpp"
#include "runtime/simd_lane_best-inl.hpp"
#include "runtime/simd_lane_tags-inl.hpp"
#include "runtime/simd_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

/// Whether one of a lane's is NaN.
HWY_INLINE hn::Mask<lane_tag<double>> has_nan_of(hn::Vec<lane_tag<double>> a,
                                                 hn::Vec<lane_tag<double>> b) {
#if HWY_TARGET == HWY_AVX3
  return {_mm512_cmp_pd_mask(a.raw, b.raw, _CMP_UNORD_Q)};
#else
  return {_mm256_cmp_pd(a.raw, b.raw, _CMP_UNORD_Q)};
#endif
}
HWY_INLINE hn::Mask<lane_tag<float>> has_nan_of(hn::Vec<lane_tag<float>> a,
                                                hn::Vec<lane_tag<float>> b) {
#if HWY_TARGET == HWY_AVX3
  return {_mm512_cmp_ps_mask(a.raw, b.raw, _CMP_UNORD_Q)};
#else
  return {_mm256_cmp_ps(a.raw, b.raw, _CMP_UNORD_Q)};
#endif
}

/// Reads in the order of the source, as processors fetch ahead: of integers g++ would read the last ones first, at half
/// of the speed.
template <class V>
HWY_INLINE V read_in_line(V x) {
  __asm__ volatile("" : "+v"(x.raw));
  return x;
}

/// The largest keys of rows and where they are: the lanes of a row keep their best items, and which block of eight vectors
/// had each first; then one block is searched. Items are compared as numbers, whose order `turn_` reverses, or makes one
/// of signed integers. Rows with NaN are searched for the first one.
template <class Number, class Word>
class best_of_rows : best_lanes<Word, true> {
  using keys = best_lanes<Word, true>;
  using numbers = lane_tag<Number>;
  using number_vector = hn::Vec<numbers>;
  using number_mask = hn::Mask<numbers>;
  using tag = typename keys::tag;
  using vector = typename keys::vector;
  static constexpr int width = keys::width;
  static constexpr bool is_floating = std::is_floating_point_v<Number>;

 public:
  static constexpr std::int64_t least_items = 64;

  HWY_INLINE best_of_rows(const lane_order& order, const lane_states& out)
      : keys(order, out), turn_(hn::BitCast(numbers(), hn::Set(tag(), turn_of(order)))) {}

  HWY_INLINE void fold(const lane_rows& rows) const {
    const auto* p = static_cast<const Word*>(rows.first);
    for (std::int64_t r = 0; r < rows.count; ++r, p += rows.pitch) {
      prefetch_rows(rows, p, rows.length);
      find(p, rows, r);
    }
  }

 private:
  HWY_INLINE void find(const Word* p, const lane_rows& rows, std::int64_t r) const {
    const std::int64_t length = rows.length;
    const auto* const items = reinterpret_cast<const Number*>(p);
    number_vector best = read(items);
    vector start = hn::Zero(tag());
    number_mask some_nan = no_lane();
    const auto note = [&](number_vector a, number_vector b) HWY_ATTR {
      if constexpr (is_floating) some_nan = hn::Or(some_nan, has_nan_of(a, b));
    };
    const auto take = [&](number_vector own, std::int64_t i) HWY_ATTR {
      const auto is_better = hn::RebindMask(tag(), hn::Lt(best, own));
      best = hn::Max(own, best);
      start = hn::IfThenElse(is_better, hn::Set(tag(), static_cast<Word>(i)), start);
    };
    note(best, best);
    std::int64_t i = width;
    for (; i + 8 * width <= length; i += 8 * width) {
      prefetch_ahead<8 * width * sizeof(Word)>(p + i, rows.ahead_in_row);
      const number_vector a = read(items + i), b = read(items + i + width);
      const number_vector c = read(items + i + 2 * width), d = read(items + i + 3 * width);
      const number_vector e = read(items + i + 4 * width), f = read(items + i + 5 * width);
      const number_vector g = read(items + i + 6 * width), h = read(items + i + 7 * width);
      note(a, b);
      note(c, d);
      note(e, f);
      note(g, h);
      take(hn::Max(hn::Max(hn::Max(a, b), hn::Max(c, d)), hn::Max(hn::Max(e, f), hn::Max(g, h))),
           i);
    }
    while (i < length) {
      i = std::min(i, length - width);  // the last vector may have some items twice
      const number_vector own = read(items + i);
      note(own, own);
      take(own, i);
      i += width;
    }
    if constexpr (is_floating) {
      if (!hn::AllFalse(numbers(), some_nan)) {
        this->key_of_[r] = std::numeric_limits<Word>::max();  // see `one_nan`
        this->index_of_[r] = static_cast<Word>(first_nan(items, length));
        return;
      }
    }
    const number_vector most = hn::MaxOfLanes(numbers(), best);
    const auto has_most = hn::RebindMask(tag(), hn::Eq(best, most));
    const vector first = hn::MinOfLanes(
        tag(), hn::IfThenElse(has_most, start, hn::Set(tag(), std::numeric_limits<Word>::max())));
    vector wanted = hn::BitCast(tag(), hn::Xor(most, turn_));
    const bool is_zero = is_floating && hn::GetLane(most) == 0;
    // Zeros of both signs are equal as numbers: first the better one.
    if (is_zero) wanted = hn::BitCast(tag(), turn_);
    std::int64_t place = first_equal(p, length, hn::GetLane(first), wanted);
    if (is_zero && place < 0) {
      wanted = hn::BitCast(tag(), hn::Xor(turn_, hn::Set(numbers(), Number(-0.0))));
      place = first_equal(p, length, hn::GetLane(first), wanted);
    }
    this->key_of_[r] = hn::GetLane(this->key(wanted));
    this->index_of_[r] = static_cast<Word>(place);
  }
  /// The index of the first item from `begin` on that equals `wanted`, or -1. All of a block is looked at, since the
  /// place of an item in it cannot be foreseen.
  HWY_INLINE static std::int64_t first_equal(const Word* p, std::int64_t length, std::int64_t begin,
                                             vector wanted) {
    const auto hits = [&](const Word* from) HWY_ATTR {
      std::uint64_t out = 0;
#pragma GCC unroll 8
      for (int v = 0; v < searched; ++v) {
        out |= bits_of(hn::Eq(hn::LoadU(tag(), from + v * width), wanted)) << (v * width);
      }
      return out;
    };
    const std::int64_t last = length - searched * width;
    for (std::int64_t i = std::min(begin, last);; i = std::min(i + searched * width, last)) {
      const std::uint64_t found = hits(p + i);
      if (found != 0) return i + std::countr_zero(found);
      if (i == last) return -1;
    }
  }
  /// The index of the first NaN of items that have one.
  HWY_INLINE static std::int64_t first_nan(const Number* p, std::int64_t length) {
    for (std::int64_t i = 0;; i = std::min(i + width, length - width)) {
      const number_vector own = hn::LoadU(numbers(), p + i);
      const std::uint64_t found = bits_of(hn::RebindMask(tag(), has_nan_of(own, own)));
      if (found != 0) return i + std::countr_zero(found);
    }
  }

  static constexpr int searched = std::min(8, 64 / width);  // vectors, which least_items fill

  HWY_INLINE static number_mask no_lane() {
#if HWY_TARGET == HWY_AVX3
    return number_mask{};
#else
    return hn::MaskFromVec(hn::Zero(numbers()));
#endif
  }
  HWY_INLINE static std::uint64_t bits_of(hn::Mask<tag> mask) {
#if HWY_TARGET == HWY_AVX3
    return mask.raw;
#else
    if constexpr (sizeof(Word) == 4) {
      return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(mask.raw)));
    } else {
      return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(mask.raw)));
    }
#endif
  }
  static Word turn_of(const lane_order& order) {
    if (is_floating) return static_cast<Word>(order.flip & (order.magnitude + 1));  // a sign
    return static_cast<Word>(order.turn ^ order.flip);
  }
  HWY_INLINE number_vector read(const Number* p) const {
    return read_in_line(hn::Xor(hn::LoadU(numbers(), p), turn_));
  }

  number_vector turn_;
};

/// The largest keys of rows of one- and two-byte items, of least_narrow_items or more.
template <class Word>
class best_of_narrow_rows : best_lanes<Word, false> {
  using keys = best_lanes<Word, false>;
  using tag = typename keys::tag;
  using vector = typename keys::vector;
  static constexpr int width = keys::width;

 public:
  HWY_INLINE best_of_narrow_rows(const lane_order& order, const lane_states& out)
      : keys(order, out) {}

  HWY_INLINE void fold(const lane_rows& rows) const {
    const auto* p = static_cast<const Word*>(rows.first);
    for (std::int64_t r = 0; r < rows.count; ++r, p += rows.pitch) {
      prefetch_rows(rows, p, rows.length);
      this->key_of_[r] = best_of(p, rows.length, rows.ahead_in_row);
    }
  }

 private:
  HWY_INLINE Word best_of(const Word* p, std::int64_t length, std::int64_t ahead) const {
    const auto read = [&](std::int64_t i) HWY_ATTR { return this->key(hn::LoadU(tag(), p + i)); };
    vector a = read(0), b = a, c = a, d = a;
    std::int64_t i = 0;
    for (; i + 4 * width <= length; i += 4 * width) {
      prefetch_ahead<4 * width * sizeof(Word)>(p + i, ahead);
      a = hn::Max(a, read(i));
      b = hn::Max(b, read(i + width));
      c = hn::Max(c, read(i + 2 * width));
      d = hn::Max(d, read(i + 3 * width));
    }
    for (; i < length; i += width) {
      i = std::min(i, length - width);  // the last vector may have some items twice
      a = hn::Max(a, read(i));
    }
    return most(hn::Max(hn::Max(a, b), hn::Max(c, d)));
  }
  HWY_INLINE static Word most(vector x) {
    const lane_tag<std::int16_t> d;
    if constexpr (sizeof(Word) == 2) {
      return hn::GetLane(hn::MaxOfLanes(d, x));
    } else {
      const hn::Half<tag> half;
      const auto both = hn::Max(hn::LowerHalf(half, x), hn::UpperHalf(half, x));
      return static_cast<Word>(hn::GetLane(hn::MaxOfLanes(d, hn::PromoteTo(d, both))));
    }
  }
};

#endif  // not the portable targets

}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MONOFOLD_RUNTIME_SIMD_LANE_ROWS_INL
