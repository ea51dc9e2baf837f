/// runtime/simd_lane_exact-inl: exact sums of rows and columns in lanes.

// Included once for each instruction set: see highway's foreach_target.h.
#if defined(MONOFOLD_RUNTIME_SIMD_LANE_EXACT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MONOFOLD_RUNTIME_SIMD_LANE_EXACT_INL
#undef MONOFOLD_RUNTIME_SIMD_LANE_EXACT_INL
#else
#define MONOFOLD_RUNTIME_SIMD_LANE_EXACT_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "monofold/platform/rounding_flags.hpp"
#include "runtime/lanes.hpp"
#include "runtime/simd_lane_tags-inl.hpp"
#include "runtime/simd_lane_two-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

/// What was stored is looked at after so many items.
inline constexpr std::int64_t sealed_items = 4096;

/// Sums of float32 as doubles. The processor's flags say whether any was rounded.
class exact_floats {
 public:
  using item = float;
  using tag = lane_tag<double>;
  using half = hn::Rebind<float, tag>;
  using part = hn::Vec<tag>;
  using spread_of_rows = row_spread<half>;
  static constexpr int width = lanes_v<double>;
  static constexpr int column_width = lanes_v<float>;
  static constexpr bool by_tree = false;
  static constexpr bool columns_by_flags = true;
  struct column {
    part left, right;
  };

  HWY_INLINE exact_floats(const lane_order&, const lane_states& out)
      : high_(static_cast<double*>(out.first)),
        low_(static_cast<double*>(out.second)),
        lost_(hn::Zero(tag())) {}

  HWY_INLINE part none() const { return hn::Set(tag(), -0.0); }
  HWY_INLINE part load(const float* p, std::int64_t) const { return wide(p); }
  HWY_INLINE part load_some(const float* p, std::int64_t count, std::int64_t) const {
    return hn::PromoteTo(tag(), load_first(half(), p, count, hn::Set(half(), -0.0f)));
  }
  HWY_INLINE part load_spread(const float* p, const spread_of_rows& spread) const {
    return hn::PromoteTo(tag(), spread.load(p, hn::Set(half(), -0.0f)));
  }
  HWY_INLINE part add(part a, const float* p, std::int64_t i) { return hn::Add(a, load(p, i)); }
  HWY_INLINE part join(part a, part b) const { return hn::Add(a, b); }
  HWY_INLINE part merge(part a, part b) const {
    return hn::Add(hn::ConcatEven(tag(), b, a), hn::ConcatOdd(tag(), b, a));
  }
  HWY_INLINE part row(const float* p, std::int64_t length, std::int64_t ahead) {
    return gather_row(*this, p, length, ahead);
  }
  HWY_INLINE void store(part x, std::int64_t r) {
    hn::StoreU(x, tag(), high_ + r);
    hn::StoreU(hn::Zero(tag()), tag(), low_ + r);
    lost_ = hn::Or(lost_, hn::Sub(x, x));  // NaN unless it is finite
  }
  HWY_INLINE void seal(std::int64_t end, std::int64_t length, bool is_last) {
    if (sealed_ >= end || (!is_last && (end - sealed_) * length < sealed_items)) return;
    if (flags_.any() || !hn::AllTrue(tag(), hn::Eq(lost_, hn::Zero(tag())))) {
      has_failed_ = true;
      std::fill(high_ + sealed_, high_ + end, std::numeric_limits<double>::quiet_NaN());
      flags_.clear();
      lost_ = hn::Zero(tag());
    }
    sealed_ = end;
  }

  HWY_INLINE column open(const float* p) const { return {wide(p), wide(p + width)}; }
  HWY_INLINE void add_to(column& own, const float* p, std::int64_t) const {
    own.left = hn::Add(own.left, wide(p));
    own.right = hn::Add(own.right, wide(p + width));
  }
  HWY_INLINE column load_column(std::int64_t c) const {
    return {hn::LoadU(tag(), high_ + c), hn::LoadU(tag(), high_ + c + width)};
  }
  HWY_INLINE void store_column(const column& own, std::int64_t c) const {
    hn::StoreU(own.left, tag(), high_ + c);
    hn::StoreU(own.right, tag(), high_ + c + width);
  }
  HWY_INLINE void finish_column(const column& own, std::int64_t c, std::int64_t) const {
    hn::StoreU(finite(own.left), tag(), high_ + c);
    hn::StoreU(finite(own.right), tag(), high_ + c + width);
    hn::StoreU(hn::Zero(tag()), tag(), low_ + c);
    hn::StoreU(hn::Zero(tag()), tag(), low_ + c + width);
  }
  bool has_failed() const { return has_failed_; }
  bool has_rounded() const { return flags_.any(); }

 protected:
  HWY_INLINE static part wide(const float* p) { return hn::PromoteTo(tag(), hn::LoadU(half(), p)); }

  /// NaN in place of infinities, whose rows are answered in another way: no flag is raised for them.
  HWY_INLINE static part finite(part x) {
    const auto most = hn::Set(tag(), std::numeric_limits<double>::max());
    return hn::IfThenElse(hn::Le(hn::Abs(x), most), x, hn::NaN(tag()));
  }

  double* high_;
  double* low_;
  bool has_failed_ = false;

 private:
  part lost_;
  monofold::detail::rounding_flags flags_;
  std::int64_t sealed_ = 0;
};

/// The same of columns, each known by itself: exact where the smallest item and the largest are near enough to each
/// other, so that all partial sums are multiples of the last bit of the smallest, and fewer than 2^53 of them.
class near_floats : public exact_floats {
 public:
  static constexpr bool columns_by_flags = false;
  using all_bits = lane_tag<std::uint32_t>;
  struct column {
    part left, right;
    hn::Vec<all_bits> least, most;
  };

  HWY_INLINE near_floats(const lane_order& order, const lane_states& out)
      : exact_floats(order, out), least_of_(reinterpret_cast<std::uint32_t*>(out.scratch)) {}

  HWY_INLINE column open(const float* p) const {
    const auto bits = twice(p);
    return {wide(p), wide(p + width), hn::Sub(bits, hn::Set(all_bits(), 1u)), bits};
  }
  HWY_INLINE void add_to(column& own, const float* p, std::int64_t) const {
    const auto bits = twice(p);
    own.left = hn::Add(own.left, wide(p));
    own.right = hn::Add(own.right, wide(p + width));
    own.least = hn::Min(own.least, hn::Sub(bits, hn::Set(all_bits(), 1u)));
    own.most = hn::Max(own.most, bits);
  }
  HWY_INLINE column load_column(std::int64_t c) const {
    return {hn::LoadU(tag(), high_ + c), hn::LoadU(tag(), high_ + c + width),
            hn::LoadU(all_bits(), least_of_ + 2 * c),
            hn::LoadU(all_bits(), least_of_ + 2 * c + column_width)};
  }
  HWY_INLINE void store_column(const column& own, std::int64_t c) const {
    hn::StoreU(own.left, tag(), high_ + c);
    hn::StoreU(own.right, tag(), high_ + c + width);
    hn::StoreU(own.least, all_bits(), least_of_ + 2 * c);
    hn::StoreU(own.most, all_bits(), least_of_ + 2 * c + column_width);
  }
  HWY_INLINE void finish_column(const column& own, std::int64_t c, std::int64_t length) {
    hn::StoreU(own.left, tag(), high_ + c);
    hn::StoreU(own.right, tag(), high_ + c + width);
    hn::StoreU(hn::Zero(tag()), tag(), low_ + c);
    hn::StoreU(hn::Zero(tag()), tag(), low_ + c + width);
    const hn::RebindToSigned<all_bits> d;
    const auto most = hn::BitCast(d, hn::ShiftRight<24>(own.most));
    const auto apart = hn::Sub(most, hn::BitCast(d, hn::ShiftRight<24>(own.least)));
    const auto most_apart = hn::Set(d, 28 - std::bit_width(static_cast<std::uint32_t>(length)));
    if (hn::AllTrue(d, hn::AndNot(hn::Gt(apart, most_apart), hn::Lt(most, hn::Set(d, 255))))) {
      return;
    }
    std::uint32_t least_of[column_width], most_of[column_width];
    hn::StoreU(own.least, all_bits(), least_of);
    hn::StoreU(own.most, all_bits(), most_of);
    for (int lane = 0; lane < column_width; ++lane) {
      if (are_near(least_of[lane], most_of[lane], length)) continue;
      high_[c + lane] = std::numeric_limits<double>::quiet_NaN();
      has_failed_ = true;
    }
  }

 private:
  /// Takes twice the bits of magnitudes, less 1 for the smallest: its exponent is then at most one too low, and 0
  /// is no magnitude. Sums are below 2^(exponent of the largest + 1) length, and multiples of
  /// 2^(exponent of the smallest - 23).
  HWY_INLINE static bool are_near(std::uint32_t least, std::uint32_t most, std::int64_t length) {
    const int apart = static_cast<int>(most >> 24) - static_cast<int>(least >> 24);
    return most < 0xff000000u && apart + std::bit_width(static_cast<std::uint32_t>(length)) <= 28;
  }
  HWY_INLINE static hn::Vec<all_bits> twice(const float* p) {
    return hn::ShiftLeft<1>(hn::LoadU(all_bits(), reinterpret_cast<const std::uint32_t*>(p)));
  }

  std::uint32_t* least_of_;  // for each vector of columns their smallest, then their largest
};

/// Sums of items, or of their squares, as two doubles. `verified`: the processor's flags say whether they hold them,
/// and of columns whether they hold all. Else what they do not hold is looked for in `lost`, which of squares is the
/// sum of its magnitudes.
template <class Item, bool squares = false, bool verified = has_quiet_sums && !squares>
class exact_pairs {
 public:
  using item = Item;
  using tag = lane_tag<double>;
  using item_tag = hn::Rebind<Item, tag>;
  using vector = hn::Vec<tag>;
  using spread_of_rows = row_spread<item_tag>;
  static constexpr int width = lanes_v<double>;
  static constexpr int column_width = width;
  static constexpr bool by_tree = false;
  static constexpr bool columns_by_flags = verified;
  struct part {
    vector high, low;
  };
  struct column {
    vector high, low, lost;
  };

  HWY_INLINE exact_pairs(const lane_order&, const lane_states& out)
      : high_(squares ? out.squares_high : static_cast<double*>(out.first)),
        low_(squares ? out.squares_low : static_cast<double*>(out.second)),
        lost_of_(squares ? out.squares_lost : out.scratch),
        lost_(hn::Zero(tag())) {}

  HWY_INLINE part none() const { return {hn::Set(tag(), -0.0), hn::Zero(tag())}; }
  HWY_INLINE part load(const Item* p, std::int64_t) {
    return term(hn::LoadU(item_tag(), p), lost_);
  }
  HWY_INLINE part load_some(const Item* p, std::int64_t count, std::int64_t) {
    return term(load_first(item_tag(), p, count, nothing()), lost_);
  }
  HWY_INLINE part load_spread(const Item* p, const spread_of_rows& spread) {
    return term(spread.load(p, nothing()), lost_);
  }
  HWY_INLINE part add(part a, const Item* p, std::int64_t) {
    return added(a, term(hn::LoadU(item_tag(), p), lost_), lost_);
  }
  HWY_INLINE part join(part a, part b) { return joined(a, b, lost_); }
  HWY_INLINE part merge(const part& a, const part& b) {
    const tag d;
    return join({hn::ConcatEven(d, b.high, a.high), hn::ConcatEven(d, b.low, a.low)},
                {hn::ConcatOdd(d, b.high, a.high), hn::ConcatOdd(d, b.low, a.low)});
  }
  HWY_INLINE part row(const Item* p, std::int64_t length, std::int64_t ahead) {
    return gather_row(*this, p, length, ahead);
  }
  HWY_INLINE void store(const part& x, std::int64_t r) {
    const part all = settled(x);
    hn::StoreU(all.high, tag(), high_ + r);
    hn::StoreU(all.low, tag(), low_ + r);
    note(lost_, hn::Sub(all.high, all.high));  // NaN unless it is finite
  }
  /// False: what was stored since the last time is not known.
  HWY_INLINE bool seal(std::int64_t end, std::int64_t length, bool is_last) {
    if (sealed_ >= end || (!is_last && (end - sealed_) * length < sealed_items)) return true;
    bool is_known = true;
    if (squares) {
      std::fill(lost_of_ + sealed_, lost_of_ + end, hn::GetLane(hn::SumOfLanes(tag(), lost_)));
    } else if (has_rounded() || !hn::AllTrue(tag(), hn::Eq(lost_, hn::Zero(tag())))) {
      std::fill(high_ + sealed_, high_ + end, std::numeric_limits<double>::quiet_NaN());
      flags_.clear();
      is_known = false;
    }
    sealed_ = end;
    lost_ = hn::Zero(tag());
    return is_known;
  }

  HWY_INLINE column open(const Item* p) const {
    vector lost = hn::Zero(tag());
    const part one = term(hn::LoadU(item_tag(), p), lost);
    return {one.high, one.low, lost};
  }
  HWY_INLINE void add_to(column& own, const Item* p, std::int64_t) const {
    const part one = term(hn::LoadU(item_tag(), p), own.lost);
    const part sum = added({own.high, own.low}, one, own.lost);
    own.high = sum.high;
    own.low = sum.low;
  }
  HWY_INLINE column load_column(std::int64_t c) const {
    return {hn::LoadU(tag(), high_ + c), hn::LoadU(tag(), low_ + c), lost_in(c)};
  }
  HWY_INLINE void store_column(const column& own, std::int64_t c) const {
    hn::StoreU(own.high, tag(), high_ + c);
    hn::StoreU(own.low, tag(), low_ + c);
    if (!verified) hn::StoreU(own.lost, tag(), lost_of_ + c);
  }
  HWY_INLINE void finish_column(column own, std::int64_t c, std::int64_t) const {
    const part all = settled({own.high, own.low});
    note(own.lost, hn::Sub(all.high, all.high));
    const auto holds = hn::Eq(own.lost, hn::Zero(tag()));
    if (squares) hn::StoreU(own.lost, tag(), lost_of_ + c);
    hn::StoreU(squares ? all.high : hn::IfThenElse(holds, all.high, hn::NaN(tag())), tag(),
               high_ + c);
    hn::StoreU(all.low, tag(), low_ + c);
  }
  bool has_rounded() const { return verified && flags_.any(); }

 protected:
  /// A bin has taken 0 where all items are -0, and -0 is left.
  HWY_INLINE static part with_sign(const part& x) {
    const auto is_none = hn::Eq(x.high, hn::Zero(tag()));
    return {hn::IfThenElse(is_none, x.low, x.high), hn::IfThenZeroElse(is_none, x.low)};
  }
  /// The low part is at most half a unit of the high one. The high one of -0 alone is -0, and stays it.
  HWY_INLINE static part settled(const part& x) {
    const lane_two all = sum_of(x.high, x.low);
    const auto is_one = hn::Eq(x.low, hn::Zero(tag()));
    return {hn::IfThenElse(is_one, x.high, all.sum), hn::IfThenZeroElse(is_one, all.rest)};
  }
  HWY_INLINE static hn::Vec<item_tag> nothing() { return hn::Set(item_tag(), Item(-0.0)); }

  double* high_;
  double* low_;
  std::int64_t sealed_ = 0;

 private:
  HWY_INLINE vector lost_in(std::int64_t c) const {
    return verified ? hn::Zero(tag()) : hn::LoadU(tag(), lost_of_ + c);
  }
  HWY_INLINE static lane_two sum_of(vector a, vector b) {
    return verified ? quiet_two_sum(a, b) : two_sum(a, b);
  }
  HWY_INLINE static vector wide(hn::Vec<item_tag> x) {
    if constexpr (sizeof(Item) == 8) {
      return x;
    } else {
      return hn::PromoteTo(tag(), x);
    }
  }
  HWY_INLINE static void note(vector& lost, vector rest) {
    lost = squares ? hn::Add(lost, hn::Abs(rest)) : hn::Or(lost, rest);
  }
  /// An item, or its square, of which the low part is what a double leaves out; where that may be subnormal, less than
  /// the least normal number is lost.
  HWY_INLINE static part term(hn::Vec<item_tag> x, vector& lost) {
    const tag d;
    const vector own = wide(x);
    if constexpr (!squares) {
      return {own, hn::Zero(d)};
    } else if constexpr (sizeof(Item) < 8) {
      return {hn::Mul(own, own), hn::Zero(d)};
    } else {
      const vector square = hn::Mul(own, own);
      const auto is_small = hn::And(hn::Lt(square, hn::Set(d, 0x1p-900)), hn::Ne(own, hn::Zero(d)));
      note(lost, hn::IfThenElseZero(is_small, hn::Set(d, 0x1p-1022)));
      return {square, hn::MulSub(own, own, square)};
    }
  }
  HWY_INLINE static part joined(const part& a, const part& b, vector& lost) {
    const lane_two high = sum_of(a.high, b.high);
    if constexpr (verified) return {high.sum, hn::Add(hn::Add(a.low, b.low), high.rest)};
    const lane_two low = two_sum(a.low, b.low);
    const lane_two rest = two_sum(low.sum, high.rest);
    note(lost, low.rest);
    note(lost, rest.rest);
    return {high.sum, rest.sum};
  }
  /// A sum and a term, whose low part is 0 unless it is the square of a double.
  HWY_INLINE static part added(const part& a, const part& x, vector& lost) {
    if constexpr (squares && sizeof(Item) == 8) return joined(a, x, lost);
    const lane_two high = sum_of(a.high, x.high);
    if constexpr (verified) return {high.sum, hn::Add(a.low, high.rest)};
    const lane_two low = two_sum(a.low, high.rest);
    note(lost, low.rest);
    return {high.sum, low.sum};
  }

  double* lost_of_;
  vector lost_;
  std::conditional_t<verified, monofold::detail::rounding_flags, monofold::detail::no_flags> flags_;
};

#endif  // not the portable targets

}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MONOFOLD_RUNTIME_SIMD_LANE_EXACT_INL
