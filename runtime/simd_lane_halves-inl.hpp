/// runtime/simd_lane_halves-inl: exact sums of rows and columns of float64 in lanes that cannot round without a flag.

// Included once for each instruction set: see highway's foreach_target.h.
#if defined(MONOFOLD_RUNTIME_SIMD_LANE_HALVES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MONOFOLD_RUNTIME_SIMD_LANE_HALVES_INL
#undef MONOFOLD_RUNTIME_SIMD_LANE_HALVES_INL
#else
#define MONOFOLD_RUNTIME_SIMD_LANE_HALVES_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "monofold/fold/exact/split_sweep.hpp"
#include "monofold/platform/rounding_flags.hpp"
#include "runtime/lanes.hpp"
#include "runtime/simd_lane_exact-inl.hpp"
#include "runtime/simd_lane_tags-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2

/// The sums of `exact_pairs` by halves of the items: those of 27 bits are added up, and beside them those of 26. That takes
/// three additions an item, where pairs take twelve. The processor's flags tell where one was rounded: of rows
/// `has_failed`, pairs take those behind them, and may hold the sums; columns are `settle`d by who asked whether any was.
class exact_halves : public exact_pairs<double> {
  using pairs = exact_pairs<double>;

 public:
  static constexpr std::int64_t least_items = 8 * width;
  static constexpr bool columns_by_flags = true;
  struct column {
    vector high, low;
  };

  HWY_INLINE exact_halves(const lane_order& order, const lane_states& out) : pairs(order, out) {}

  HWY_INLINE part load(const double* p, std::int64_t) const { return halves(hn::LoadU(tag(), p)); }
  HWY_INLINE part load_some(const double* p, std::int64_t count, std::int64_t) const {
    return halves(load_first(tag(), p, count, nothing()));
  }
  HWY_INLINE part add(const part& a, const double* p, std::int64_t i) const {
    return join(a, load(p, i));
  }
  /// By the fused instruction, too: see `two_sum`.
  HWY_INLINE part join(const part& a, const part& b) const {
    return {hn::MulAdd(b.high, hn::Set(tag(), 1.0), a.high), hn::Add(a.low, b.low)};
  }
  HWY_INLINE part merge(const part& a, const part& b) {
    if (has_failed_) return pairs::merge(a, b);
    const tag d;
    return join({hn::ConcatEven(d, b.high, a.high), hn::ConcatEven(d, b.low, a.low)},
                {hn::ConcatOdd(d, b.high, a.high), hn::ConcatOdd(d, b.low, a.low)});
  }
  HWY_INLINE part row(const double* p, std::int64_t length, std::int64_t ahead) {
    return has_failed_ ? pairs::row(p, length, ahead) : gather_row(*this, p, length, ahead);
  }
  HWY_INLINE void store(const part& x, std::int64_t r) {
    has_failed_ ? pairs::store(x, r) : keep(x, r);
  }
  HWY_INLINE void seal(std::int64_t end, std::int64_t length, bool is_last) {
    if (has_failed_) {
      pairs::seal(end, length, is_last);
      return;
    }
    if (sealed_ >= end || (!is_last && (end - sealed_) * length < sealed_items)) return;
    if (flags_.any()) {
      has_failed_ = true;
      std::fill(high_ + sealed_, high_ + end, std::numeric_limits<double>::quiet_NaN());
    } else {
      settle(sealed_, end);
    }
    flags_.clear();
    sealed_ = end;
  }
  bool has_failed() const { return has_failed_; }

  HWY_INLINE column open(const double* p) const {
    const part own = load(p, 0);
    return {own.high, own.low};
  }
  HWY_INLINE void add_to(column& own, const double* p, std::int64_t) const {
    const part sum = add({own.high, own.low}, p, 0);
    own = {sum.high, sum.low};
  }
  HWY_INLINE column load_column(std::int64_t c) const {
    return {hn::LoadU(tag(), high_ + c), hn::LoadU(tag(), low_ + c)};
  }
  HWY_INLINE void store_column(const column& own, std::int64_t c) const {
    keep({own.high, own.low}, c);
  }
  HWY_INLINE void finish_column(const column& own, std::int64_t c, std::int64_t) const {
    store_column(own, c);
  }
  bool has_rounded() const { return flags_.any(); }

  /// Sums that no flag was raised for become pairs, which raises some. NaN stays, and stands for what overflows now.
  HWY_INLINE void settle(std::int64_t begin, std::int64_t end) const {
    for (std::int64_t r = begin; r < end; r += width) {
      part all = settled({hn::LoadU(tag(), high_ + r), hn::LoadU(tag(), low_ + r)});
      const auto is_finite = hn::Eq(hn::Sub(all.high, all.high), hn::Zero(tag()));
      all.high = hn::IfThenElse(is_finite, all.high, hn::NaN(tag()));
      keep(all, r);
    }
  }

 private:
  HWY_INLINE void keep(const part& x, std::int64_t r) const {
    hn::StoreU(x.high, tag(), high_ + r);
    hn::StoreU(x.low, tag(), low_ + r);
  }
  HWY_INLINE static part halves(vector x) {
    const hn::RebindToUnsigned<tag> bits;
    const vector mask = hn::BitCast(tag(), hn::Set(bits, monofold::detail::upper_half_bits));
    const vector high = hn::And(x, mask);
    return {high, hn::Sub(x, high)};
  }

  monofold::detail::rounding_flags flags_;
  bool has_failed_ = false;
};

#endif  // AVX2

}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MONOFOLD_RUNTIME_SIMD_LANE_HALVES_INL
