/// runtime/simd_lane_whole-inl: sums of integers of up to four bytes in lanes.

// Included once for each instruction set: see highway's foreach_target.h.
#if defined(MONOFOLD_RUNTIME_SIMD_LANE_WHOLE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MONOFOLD_RUNTIME_SIMD_LANE_WHOLE_INL
#undef MONOFOLD_RUNTIME_SIMD_LANE_WHOLE_INL
#else
#define MONOFOLD_RUNTIME_SIMD_LANE_WHOLE_INL
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <type_traits>

#include "runtime/lanes.hpp"
#include "runtime/simd_lane_tags-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

/// Sums of columns of fewer than 2^15 integers: of one and two bytes as int32, of four as doubles, which rows may have
/// too. They are exact, and become the doubles that `exact_sum` has.
template <class Item>
class whole_lanes {
 public:
  using item = Item;
  using total = std::conditional_t<sizeof(Item) == 4, double, std::int32_t>;
  using tag = lane_tag<total>;
  using item_tag = hn::Rebind<Item, tag>;
  using part = hn::Vec<tag>;
  using column = part;
  using spread_of_rows = row_spread<item_tag>;
  static constexpr int width = lanes_v<total>;
  static constexpr int column_width = width;
  static constexpr bool by_tree = false;

  HWY_INLINE whole_lanes(const lane_order&, const lane_states& out)
      : high_(static_cast<double*>(out.first)),
        low_(static_cast<double*>(out.second)),
        totals_(reinterpret_cast<total*>(out.scratch)) {}

  HWY_INLINE part none() const { return hn::Zero(tag()); }
  HWY_INLINE part load(const Item* p, std::int64_t) const { return wide(hn::LoadU(item_tag(), p)); }
  HWY_INLINE part load_some(const Item* p, std::int64_t count, std::int64_t) const {
    return wide(load_first(item_tag(), p, count, hn::Zero(item_tag())));
  }
  HWY_INLINE part load_spread(const Item* p, const spread_of_rows& spread) const {
    return wide(spread.load(p, hn::Zero(item_tag())));
  }
  HWY_INLINE part add(part a, const Item* p, std::int64_t i) const {
    return hn::Add(a, load(p, i));
  }
  HWY_INLINE part join(part a, part b) const { return hn::Add(a, b); }
  HWY_INLINE part merge(part a, part b) const {
    return hn::Add(hn::ConcatEven(tag(), b, a), hn::ConcatOdd(tag(), b, a));
  }
  HWY_INLINE part row(const Item* p, std::int64_t length, std::int64_t ahead) {
    return gather_row(*this, p, length, ahead);
  }
  HWY_INLINE void store(part x, std::int64_t r) const { finish(x, r); }
  HWY_INLINE void seal(std::int64_t, std::int64_t, bool) const {}

  HWY_INLINE column open(const Item* p) const { return load(p, 0); }
  HWY_INLINE void add_to(column& own, const Item* p, std::int64_t) const {
    own = hn::Add(own, open(p));
  }
  HWY_INLINE column load_column(std::int64_t c) const { return hn::LoadU(tag(), totals_ + c); }
  HWY_INLINE void store_column(column own, std::int64_t c) const {
    hn::StoreU(own, tag(), totals_ + c);
  }
  HWY_INLINE void finish_column(column own, std::int64_t c, std::int64_t) const {
    if constexpr (sizeof(Item) == 4) {
      finish(own, c);
    } else {
      const hn::Half<tag> half;
      finish(hn::PromoteTo(doubles(), hn::LowerHalf(half, own)), c);
      finish(hn::PromoteTo(doubles(), hn::UpperHalf(half, own)), c + lanes_v<double>);
    }
  }

 private:
  using doubles = lane_tag<double>;

  HWY_INLINE static part wide(hn::Vec<item_tag> x) {
    if constexpr (std::is_same_v<Item, std::uint32_t>) {
      const hn::RebindToSigned<item_tag> d;
      const auto below = hn::BitCast(d, hn::Xor(x, hn::Set(item_tag(), 0x80000000u)));
      return hn::Add(hn::PromoteTo(tag(), below), hn::Set(tag(), 0x1p31));
    } else {
      return hn::PromoteTo(tag(), x);
    }
  }
  HWY_INLINE void finish(hn::Vec<doubles> sum, std::int64_t c) const {
    hn::StoreU(sum, doubles(), high_ + c);
    hn::StoreU(hn::Zero(doubles()), doubles(), low_ + c);
  }

  double* high_;
  double* low_;
  total* totals_;
};

#endif  // not the portable targets

}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MONOFOLD_RUNTIME_SIMD_LANE_WHOLE_INL
