/// runtime/simd_lane_best-inl: the best items of rows and columns in lanes.

// Included once for each instruction set: see highway's foreach_target.h.
#if defined(MONOFOLD_RUNTIME_SIMD_LANE_BEST_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MONOFOLD_RUNTIME_SIMD_LANE_BEST_INL
#undef MONOFOLD_RUNTIME_SIMD_LANE_BEST_INL
#else
#define MONOFOLD_RUNTIME_SIMD_LANE_BEST_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "runtime/lanes.hpp"
#include "runtime/simd_lane_tags-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

/// The largest key and, where wanted, its first index.
template <class Word, bool indexed>
class best_lanes {
 public:
  using item = Word;
  using tag = lane_tag<Word>;
  using vector = hn::Vec<tag>;
  using spread_of_rows = row_spread<tag>;
  static constexpr int width = lanes_v<Word>;
  static constexpr int column_width = width;
  static constexpr bool by_tree = false;
  static constexpr bool has_floats = sizeof(Word) > 1;
  struct part {
    vector key, index;
  };
  using column = part;

  HWY_INLINE best_lanes(const lane_order& order, const lane_states& out)
      : magnitude_(hn::Set(tag(), static_cast<Word>(order.magnitude))),
        turn_(hn::Set(tag(), static_cast<Word>(order.turn))),
        flip_(hn::Set(tag(), static_cast<Word>(order.flip))),
        last_(hn::Set(tag(), static_cast<Word>(order.last))),
        quiet_(hn::Set(tag(), static_cast<Word>(order.quiet))),
        key_of_(static_cast<Word*>(out.first)),
        index_of_(static_cast<Word*>(out.second)) {}

  HWY_INLINE part none() const {
    return {hn::Set(tag(), std::numeric_limits<Word>::min()),
            hn::Set(tag(), std::numeric_limits<Word>::max())};
  }
  HWY_INLINE part load(const Word* p, std::int64_t i) const {
    return {key(hn::LoadU(tag(), p)), hn::Iota(tag(), static_cast<Word>(i))};
  }
  HWY_INLINE part load_some(const Word* p, std::int64_t count, std::int64_t i) const {
    const auto mask = hn::FirstN(tag(), static_cast<std::size_t>(count));
    return present(mask, key(hn::MaskedLoad(mask, tag(), p)),
                   hn::Iota(tag(), static_cast<Word>(i)));
  }
  HWY_INLINE part load_spread(const Word* p, const spread_of_rows& spread) const {
    return present(spread.mask, key(spread.load(p, hn::Zero(tag()))), spread.place);
  }
  HWY_INLINE part add(const part& a, const Word* p, std::int64_t i) const {
    const part next = load(p, i);
    if constexpr (!indexed) return {hn::Max(a.key, next.key), a.index};
    // An equal key of this lane came earlier.
    return {hn::Max(a.key, next.key), hn::IfThenElse(hn::Gt(next.key, a.key), next.index, a.index)};
  }
  HWY_INLINE part join(const part& a, const part& b) const {
    if constexpr (!indexed) return {hn::Max(a.key, b.key), a.index};
    const auto is_better = hn::Gt(b.key, a.key);
    const auto is_first = hn::And(hn::Eq(b.key, a.key), hn::Lt(b.index, a.index));
    return {hn::Max(a.key, b.key), hn::IfThenElse(hn::Or(is_better, is_first), b.index, a.index)};
  }
  HWY_INLINE part merge(const part& a, const part& b) const {
    const tag d;
    return join({hn::ConcatEven(d, b.key, a.key), indices<true>(a, b)},
                {hn::ConcatOdd(d, b.key, a.key), indices<false>(a, b)});
  }
  HWY_INLINE part row(const Word* p, std::int64_t length, std::int64_t ahead) {
    return gather_row(*this, p, length, ahead);
  }
  HWY_INLINE void store(const part& x, std::int64_t r) const {
    hn::StoreU(x.key, tag(), key_of_ + r);
    if constexpr (indexed) hn::StoreU(x.index, tag(), index_of_ + r);
  }
  HWY_INLINE void seal(std::int64_t, std::int64_t, bool) const {}

  /// The items of such keys.
  HWY_INLINE void to_items(std::int64_t count, const Word* keys, Word* items,
                           bool past_caches) const {
    store_numbers(tag(), count, items, past_caches, [&](std::int64_t c, std::int64_t) HWY_ATTR {
      const vector own = hn::LoadU(tag(), keys + c);
      const vector item = bits(own);
      return has_floats ? hn::IfThenElse(hn::Gt(own, last_), quiet_, item) : item;
    });
  }

  HWY_INLINE column open(const Word* p) const {
    return {key(hn::LoadU(tag(), p)), hn::Zero(tag())};
  }
  HWY_INLINE void add_to(column& own, const Word* p, std::int64_t i) const {
    own = join(own, {key(hn::LoadU(tag(), p)), hn::Set(tag(), static_cast<Word>(i))});
  }
  HWY_INLINE column load_column(std::int64_t c) const {
    if constexpr (!indexed) return {hn::LoadU(tag(), key_of_ + c), hn::Zero(tag())};
    return {hn::LoadU(tag(), key_of_ + c), hn::LoadU(tag(), index_of_ + c)};
  }
  HWY_INLINE void store_column(const column& own, std::int64_t c) const { store(own, c); }
  HWY_INLINE void finish_column(const column& own, std::int64_t c, std::int64_t) const {
    store(own, c);
  }

 protected:
  using mask = hn::Mask<tag>;

  HWY_INLINE vector key(vector bits) const {
    if constexpr (!has_floats) return hn::Xor(hn::Add(bits, turn_), flip_);
    const vector magnitude = hn::And(hn::BroadcastSignBit(bits), magnitude_);
    const vector all = hn::Xor(hn::Add(hn::Xor(bits, magnitude), turn_), flip_);
    return indexed ? one_nan(all) : all;
  }
  HWY_INLINE vector bits(vector key) const {
    const vector turned = hn::Sub(hn::Xor(key, flip_), turn_);
    if constexpr (!has_floats) return turned;
    return hn::Xor(turned, hn::And(hn::BroadcastSignBit(turned), magnitude_));
  }
  /// All NaN are one value: the first of them counts.
  HWY_INLINE vector one_nan(vector keys) const {
    return hn::IfThenElse(hn::Gt(keys, last_), hn::Set(tag(), std::numeric_limits<Word>::max()),
                          keys);
  }
  HWY_INLINE part present(mask has_item, vector keys, vector index) const {
    const part absent = none();
    return {hn::IfThenElse(has_item, keys, absent.key),
            hn::IfThenElse(has_item, index, absent.index)};
  }
  template <bool even>
  HWY_INLINE static vector indices(const part& a, const part& b) {
    if constexpr (!indexed) return a.index;
    return even ? hn::ConcatEven(tag(), b.index, a.index) : hn::ConcatOdd(tag(), b.index, a.index);
  }

  vector magnitude_, turn_, flip_, last_, quiet_;
  Word* key_of_;
  Word* index_of_;
};

#endif  // not the portable targets

}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MONOFOLD_RUNTIME_SIMD_LANE_BEST_INL
