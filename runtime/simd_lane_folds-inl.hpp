/// runtime/simd_lane_folds-inl: what lanes hold of rows, and how items enter.

// Included once for each instruction set: see highway's foreach_target.h.
#if defined(MONOFOLD_RUNTIME_SIMD_LANE_FOLDS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MONOFOLD_RUNTIME_SIMD_LANE_FOLDS_INL
#undef MONOFOLD_RUNTIME_SIMD_LANE_FOLDS_INL
#else
#define MONOFOLD_RUNTIME_SIMD_LANE_FOLDS_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "monofold/plan/tiles.hpp"
#include "runtime/lanes.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using lane_tag = hn::CappedTag<T, 64 / sizeof(T)>;
template <class T>
inline constexpr int lanes_v = static_cast<int>(hn::MaxLanes(lane_tag<T>()));

// What a fold of lanes has, `part` being a vector of some items of one row, or one item each of some rows:
// load, load_some (less than a vector), load_spread (several rows); none (a neutral one); add (a vector of items);
// join (lane by lane), merge (neighbouring lanes); row (all of a row); store (a state a lane), seal (checks what was
// stored); and for columns open, add_to, load_column, store_column, finish_columns.

template <class Op>
HWY_INLINE typename Op::part gather_row(Op& op, const typename Op::item* p, std::int64_t length);
template <class Item>
HWY_INLINE const Item* end_of_columns(const lane_columns& columns);
template <int n, class Item, class Step>
HWY_INLINE void for_vectors_of_columns(const Item* const* from, int num_rows,
                                       const lane_columns& columns, const Item* end,
                                       const Step& step);

/// Where the items of several rows of `length` items go, `places` lanes for each.
template <class D>
struct row_spread {
  using lane_index = hn::TFromD<hn::RebindToSigned<D>>;

  HWY_INLINE row_spread(std::int64_t length, int places) {
    constexpr int n = static_cast<int>(hn::MaxLanes(D()));
    alignas(64) lane_index from[n];
    alignas(64) lane_index at[n];
    for (int lane = 0; lane < n; ++lane) {
      const int place = lane % places;
      at[lane] = static_cast<lane_index>(place);
      const bool has_item = place < length;
      from[lane] =
          static_cast<lane_index>(has_item ? lane / places * static_cast<int>(length) + place : 0);
    }
    indices = hn::SetTableIndices(D(), from);
    place = hn::Load(hn::RebindToSigned<D>(), at);
    mask = hn::RebindMask(
        D(), hn::Lt(place, hn::Set(hn::RebindToSigned<D>(), static_cast<lane_index>(length))));
  }
  HWY_INLINE hn::Vec<D> load(const hn::TFromD<D>* p, hn::Vec<D> none) const {
    return hn::IfThenElse(mask, hn::TableLookupLanes(hn::LoadU(D(), p), indices), none);
  }

  decltype(hn::SetTableIndices(D(), static_cast<const lane_index*>(nullptr))) indices;
  hn::Vec<hn::RebindToSigned<D>> place;
  hn::Mask<D> mask;
};

template <class D>
HWY_INLINE hn::Vec<D> load_first(D d, const hn::TFromD<D>* p, std::int64_t count, hn::Vec<D> none) {
  const auto mask = hn::FirstN(d, static_cast<std::size_t>(count));
  return hn::IfThenElse(mask, hn::MaskedLoad(mask, d, p), none);
}

/// The plan's tree. Absent slots are -0, which leaves every sum as it is.
template <class Real>
class plain_lanes {
 public:
  using item = Real;
  using tag = lane_tag<Real>;
  using part = hn::Vec<tag>;
  using spread_of_rows = row_spread<tag>;
  static constexpr int width = lanes_v<Real>;
  static constexpr int column_width = width;
  static constexpr bool by_tree = true;

  HWY_INLINE plain_lanes(const lane_order&, const lane_states& out)
      : out_(static_cast<Real*>(out.first)), levels_(reinterpret_cast<Real*>(out.scratch)) {}

  HWY_INLINE part none() const { return hn::Set(tag(), Real(-0.0)); }
  HWY_INLINE part load_spread(const Real* p, const spread_of_rows& spread) const {
    return spread.load(p, none());
  }
  HWY_INLINE part merge(part a, part b) const {
    return hn::Add(hn::ConcatEven(tag(), b, a), hn::ConcatOdd(tag(), b, a));
  }
  HWY_INLINE part row(const Real* p, std::int64_t length) const {
    part slots[vectors];
    if (length <= width) return load_first(tag(), p, length, none());
    if (length < num_slots) {
      const int used = static_cast<int>((length + width - 1) / width);
      for (int v = 0; v < used; ++v) slots[v] = load_up_to(p, v * width, length);
      int m = static_cast<int>(std::bit_ceil(static_cast<unsigned>(used)));
      for (int v = used; v < m; ++v) slots[v] = none();
      for (; m > 1; m /= 2) {
        for (int i = 0; i < m / 2; ++i) slots[i] = merge(slots[2 * i], slots[2 * i + 1]);
      }
      return slots[0];
    }
    for (int v = 0; v < vectors; ++v) slots[v] = hn::LoadU(tag(), p + v * width);
    std::int64_t at = num_slots;
    for (; at + num_slots <= length; at += num_slots) {
      for (int v = 0; v < vectors; ++v) {
        slots[v] = hn::Add(slots[v], hn::LoadU(tag(), p + at + v * width));
      }
    }
    for (int v = 0; at < length; ++v, at += width) {
      slots[v] = hn::Add(slots[v], load_up_to(p, at, length));
    }
    for (int m = vectors; m > 1; m /= 2) {
      for (int i = 0; i < m / 2; ++i) slots[i] = merge(slots[2 * i], slots[2 * i + 1]);
    }
    return slots[0];
  }
  HWY_INLINE void store(part x, std::int64_t r) const { hn::StoreU(x, tag(), out_ + r); }
  HWY_INLINE void seal(std::int64_t, std::int64_t, bool) const {}

  /// Slot after slot: the eight items of each are read together, or eight slots of one item. Sums of slots meet
  /// as in `node_joiner`; those that wait lie in `levels_`.
  HWY_INLINE void fold_columns(const lane_columns& columns) {
    const auto* const first = static_cast<const Real*>(columns.first);
    const Real* const end = end_of_columns<Real>(columns);
    const std::int64_t leaves = std::min<std::int64_t>(num_slots, columns.length);
    const std::int64_t pitch = (columns.width + width - 1) / width * width;
    const auto level = [&](int d) { return d == 0 ? out_ : levels_ + (d - 1) * pitch; };
    for (std::int64_t i = 0; i < leaves;) {
      const bool by_eight = columns.length <= num_slots && i + 8 <= leaves;
      const std::int64_t apart = by_eight ? 1 : num_slots;
      const int count =
          by_eight ? 8 : static_cast<int>((columns.length - i + num_slots - 1) / num_slots);
      const Real* from[8];
      for (int k = 0; k < count; ++k) from[k] = first + columns.offsets[i + k * apart];
      const int waiting = std::popcount(static_cast<std::uint64_t>(i));
      const int joins = std::countr_one(static_cast<std::uint64_t>(by_eight ? i / 8 : i));
      const auto finish = [&](part x, std::int64_t c) HWY_ATTR {
        for (int j = 1; j <= joins; ++j) {
          x = hn::Add(hn::LoadU(tag(), level(waiting - j) + c), x);
        }
        hn::StoreU(x, tag(), level(waiting - joins) + c);
      };
      const auto load = [](const Real* p) HWY_ATTR { return hn::LoadU(tag(), p); };
      if (by_eight) {
        for_vectors_of_columns<width>(
            from, count, columns, end, [&](const Real* const* p, std::int64_t c) HWY_ATTR {
              const part left = hn::Add(hn::Add(load(p[0] + c), load(p[1] + c)),
                                        hn::Add(load(p[2] + c), load(p[3] + c)));
              const part right = hn::Add(hn::Add(load(p[4] + c), load(p[5] + c)),
                                         hn::Add(load(p[6] + c), load(p[7] + c)));
              finish(hn::Add(left, right), c);
            });
      } else if (count == 8) {
        for_vectors_of_columns<width>(from, count, columns, end,
                                      [&](const Real* const* p, std::int64_t c) HWY_ATTR {
                                        part x = load(p[0] + c);
                                        for (int k = 1; k < 8; ++k) x = hn::Add(x, load(p[k] + c));
                                        finish(x, c);
                                      });
      } else {
        for_vectors_of_columns<width>(from, count, columns, end,
                                      [&](const Real* const* p, std::int64_t c) HWY_ATTR {
                                        part x = load(p[0] + c);
#pragma GCC unroll 1
                                        for (int k = 1; k < count; ++k)
                                          x = hn::Add(x, load(p[k] + c));
                                        finish(x, c);
                                      });
      }
      i += by_eight ? 8 : 1;
    }
    const int waiting = std::popcount(static_cast<std::uint64_t>(leaves));
    for (std::int64_t c = 0; waiting > 1 && c < columns.width; c += width) {
      part x = hn::LoadU(tag(), level(waiting - 1) + c);
      for (int d = waiting - 1; d-- > 0;) x = hn::Add(hn::LoadU(tag(), level(d) + c), x);
      hn::StoreU(x, tag(), out_ + c);
    }
  }

 private:
  static constexpr int num_slots = tile_shape<Real>::row_items;
  static constexpr int vectors = num_slots / width;

  HWY_INLINE part load_up_to(const Real* p, std::int64_t at, std::int64_t length) const {
    return at + width <= length ? hn::LoadU(tag(), p + at)
                                : load_first(tag(), p + at, length - at, none());
  }

  Real* out_;
  Real* levels_;
};

/// What was stored is looked at after so many items.
inline constexpr std::int64_t sealed_items = 4096;

/// Sums of float32 as doubles, exact where the smallest item and the largest are near enough to each other: all
/// partial sums are multiples of the last bit of the smallest, and fewer than 2^53 of them.
class exact_floats {
 public:
  using item = float;
  using tag = lane_tag<double>;
  using half = hn::Rebind<float, tag>;
  using half_bits = hn::Rebind<std::uint32_t, tag>;
  using part = hn::Vec<tag>;
  using spread_of_rows = row_spread<half>;
  using all_bits = lane_tag<std::uint32_t>;
  static constexpr int width = lanes_v<double>;
  static constexpr int column_width = lanes_v<float>;
  static constexpr bool by_tree = false;
  struct column {
    part left, right;
    hn::Vec<all_bits> least, most;
  };

  HWY_INLINE exact_floats(const lane_order&, const lane_states& out)
      : high_(static_cast<double*>(out.first)),
        low_(static_cast<double*>(out.second)),
        least_of_(reinterpret_cast<std::uint32_t*>(out.scratch)),
        least_(hn::Set(half_bits(), ~std::uint32_t{0})),
        most_(hn::Zero(half_bits())) {}

  HWY_INLINE part none() const { return hn::Set(tag(), -0.0); }
  HWY_INLINE part load(const float* p, std::int64_t) { return seen(hn::LoadU(half(), p)); }
  HWY_INLINE part load_some(const float* p, std::int64_t count, std::int64_t) {
    return seen(load_first(half(), p, count, hn::Set(half(), -0.0f)));
  }
  HWY_INLINE part load_spread(const float* p, const spread_of_rows& spread) {
    return seen(spread.load(p, hn::Set(half(), -0.0f)));
  }
  HWY_INLINE part add(part a, const float* p, std::int64_t i) { return hn::Add(a, load(p, i)); }
  HWY_INLINE part join(part a, part b) const { return hn::Add(a, b); }
  HWY_INLINE part merge(part a, part b) const {
    return hn::Add(hn::ConcatEven(tag(), b, a), hn::ConcatOdd(tag(), b, a));
  }
  HWY_INLINE part row(const float* p, std::int64_t length) { return gather_row(*this, p, length); }
  HWY_INLINE void store(part x, std::int64_t r) const {
    hn::StoreU(x, tag(), high_ + r);
    hn::StoreU(hn::Zero(tag()), tag(), low_ + r);
  }
  HWY_INLINE void seal(std::int64_t end, std::int64_t length, bool is_last) {
    if (sealed_ >= end || (!is_last && (end - sealed_) * length < sealed_items)) return;
    const std::uint32_t least = hn::GetLane(hn::MinOfLanes(half_bits(), least_));
    const std::uint32_t most = hn::GetLane(hn::MaxOfLanes(half_bits(), most_));
    if (!are_near(least, most, length)) {
      has_failed_ = true;
      std::fill(high_ + sealed_, high_ + end, std::numeric_limits<double>::quiet_NaN());
    }
    sealed_ = end;
    least_ = hn::Set(half_bits(), ~std::uint32_t{0});
    most_ = hn::Zero(half_bits());
  }

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
  bool has_failed() const { return has_failed_; }
  HWY_INLINE void finish_columns(std::int64_t count, std::int64_t length) {
    const hn::RebindToSigned<all_bits> d;
    const auto most_apart = hn::Set(d, 28 - std::bit_width(static_cast<std::uint32_t>(length)));
    std::fill(low_, low_ + count, 0.0);
    for (std::int64_t c = 0; c < count; c += column_width) {
      const std::uint32_t* const own = least_of_ + 2 * c;
      const auto exponent = [&](const std::uint32_t* of) HWY_ATTR {
        return hn::BitCast(d, hn::ShiftRight<24>(hn::LoadU(all_bits(), of)));
      };
      const auto most = exponent(own + column_width);
      const auto apart = hn::Sub(most, exponent(own));
      const auto holds = hn::AndNot(hn::Gt(apart, most_apart), hn::Lt(most, hn::Set(d, 255)));
      if (hn::AllTrue(d, holds)) continue;
      for (int lane = 0; lane < column_width; ++lane) {
        if (are_near(own[lane], own[lane + column_width], length)) continue;
        high_[c + lane] = std::numeric_limits<double>::quiet_NaN();
        has_failed_ = true;
      }
    }
  }

 private:
  /// Of twice the bits of magnitudes, less 1 for the smallest: its exponent is then at most one too low, and 0
  /// is no magnitude. Sums are below 2^(exponent of the largest + 1) length, and multiples of
  /// 2^(exponent of the smallest - 23).
  HWY_INLINE static bool are_near(std::uint32_t least, std::uint32_t most, std::int64_t length) {
    const int apart = static_cast<int>(most >> 24) - static_cast<int>(least >> 24);
    return most < 0xff000000u && apart + std::bit_width(static_cast<std::uint32_t>(length)) <= 28;
  }
  HWY_INLINE part seen(hn::Vec<half> x) {
    const auto bits = hn::ShiftLeft<1>(hn::BitCast(half_bits(), x));
    least_ = hn::Min(least_, hn::Sub(bits, hn::Set(half_bits(), 1u)));
    most_ = hn::Max(most_, bits);
    return hn::PromoteTo(tag(), x);
  }
  HWY_INLINE static part wide(const float* p) { return hn::PromoteTo(tag(), hn::LoadU(half(), p)); }
  HWY_INLINE static hn::Vec<all_bits> twice(const float* p) {
    return hn::ShiftLeft<1>(hn::LoadU(all_bits(), reinterpret_cast<const std::uint32_t*>(p)));
  }

  double* high_;
  double* low_;
  std::uint32_t* least_of_;  // for each vector of columns their smallest, then their largest
  hn::Vec<half_bits> least_;
  hn::Vec<half_bits> most_;
  std::int64_t sealed_ = 0;
  bool has_failed_ = false;
};

/// Sums as two doubles; what they do not hold is looked for in `lost`.
template <class Item>
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
  struct part {
    vector high, low;
  };
  struct column {
    vector high, low, lost;
  };

  HWY_INLINE exact_pairs(const lane_order&, const lane_states& out)
      : high_(static_cast<double*>(out.first)),
        low_(static_cast<double*>(out.second)),
        lost_of_(out.scratch),
        lost_(hn::Zero(tag())) {}

  HWY_INLINE part none() const { return {hn::Set(tag(), -0.0), hn::Zero(tag())}; }
  HWY_INLINE part load(const Item* p, std::int64_t) const {
    return {wide(hn::LoadU(item_tag(), p)), hn::Zero(tag())};
  }
  HWY_INLINE part load_some(const Item* p, std::int64_t count, std::int64_t) const {
    return {wide(load_first(item_tag(), p, count, nothing())), hn::Zero(tag())};
  }
  HWY_INLINE part load_spread(const Item* p, const spread_of_rows& spread) const {
    return {wide(spread.load(p, nothing())), hn::Zero(tag())};
  }
  HWY_INLINE part add(part a, const Item* p, std::int64_t) {
    return added(a, wide(hn::LoadU(item_tag(), p)), lost_);
  }
  HWY_INLINE part join(part a, part b) {
    const two high = sum_of(a.high, b.high);
    const two low = sum_of(a.low, b.low);
    const two rest = sum_of(low.sum, high.rest);
    lost_ = hn::Or(lost_, hn::Or(low.rest, rest.rest));
    return {high.sum, rest.sum};
  }
  HWY_INLINE part merge(const part& a, const part& b) {
    const tag d;
    return join({hn::ConcatEven(d, b.high, a.high), hn::ConcatEven(d, b.low, a.low)},
                {hn::ConcatOdd(d, b.high, a.high), hn::ConcatOdd(d, b.low, a.low)});
  }
  HWY_INLINE part row(const Item* p, std::int64_t length) { return gather_row(*this, p, length); }
  HWY_INLINE void store(const part& x, std::int64_t r) {
    const part all = settled(x);
    hn::StoreU(all.high, tag(), high_ + r);
    hn::StoreU(all.low, tag(), low_ + r);
    lost_ = hn::Or(lost_, hn::Sub(all.high, all.high));  // NaN unless it is finite
  }
  HWY_INLINE void seal(std::int64_t end, std::int64_t length, bool is_last) {
    if (sealed_ >= end || (!is_last && (end - sealed_) * length < sealed_items)) return;
    if (!hn::AllTrue(tag(), hn::Eq(lost_, hn::Zero(tag())))) {
      std::fill(high_ + sealed_, high_ + end, std::numeric_limits<double>::quiet_NaN());
    }
    sealed_ = end;
    lost_ = hn::Zero(tag());
  }

  HWY_INLINE column open(const Item* p) const {
    return {wide(hn::LoadU(item_tag(), p)), hn::Zero(tag()), hn::Zero(tag())};
  }
  HWY_INLINE void add_to(column& own, const Item* p, std::int64_t) const {
    const part sum = added({own.high, own.low}, wide(hn::LoadU(item_tag(), p)), own.lost);
    own.high = sum.high;
    own.low = sum.low;
  }
  HWY_INLINE column load_column(std::int64_t c) const {
    return {hn::LoadU(tag(), high_ + c), hn::LoadU(tag(), low_ + c),
            hn::LoadU(tag(), lost_of_ + c)};
  }
  HWY_INLINE void store_column(const column& own, std::int64_t c) const {
    hn::StoreU(own.high, tag(), high_ + c);
    hn::StoreU(own.low, tag(), low_ + c);
    hn::StoreU(own.lost, tag(), lost_of_ + c);
  }
  HWY_INLINE void finish_columns(std::int64_t count, std::int64_t) const {
    for (std::int64_t c = 0; c < count; c += width) {
      const part all = settled({hn::LoadU(tag(), high_ + c), hn::LoadU(tag(), low_ + c)});
      const vector lost = hn::Or(hn::LoadU(tag(), lost_of_ + c), hn::Sub(all.high, all.high));
      const auto holds = hn::Eq(lost, hn::Zero(tag()));
      hn::StoreU(hn::IfThenElse(holds, all.high, hn::NaN(tag())), tag(), high_ + c);
      hn::StoreU(all.low, tag(), low_ + c);
    }
  }

 private:
  HWY_INLINE static hn::Vec<item_tag> nothing() { return hn::Set(item_tag(), Item(-0.0)); }
  HWY_INLINE static vector wide(hn::Vec<item_tag> x) {
    if constexpr (sizeof(Item) == 8) {
      return x;
    } else {
      return hn::PromoteTo(tag(), x);
    }
  }
  struct two {
    vector sum, rest;
  };

  /// a + b, and what its rounding left out (Knuth 1969, TAOCP vol. 2, 4.2.2). Half of it by the fused instruction,
  /// which rounds once as well: a Zen 4 has two units for additions and two for those.
  HWY_INLINE static two sum_of(vector a, vector b) {
    const vector one = hn::Set(tag(), 1.0);
    const vector sum = hn::Add(a, b);
    const vector b_part = hn::Sub(sum, a);
    const vector a_part = hn::Sub(sum, b_part);
    const vector b_rest = hn::NegMulAdd(b_part, one, b);
    return {sum, hn::Add(hn::NegMulAdd(a_part, one, a), b_rest)};
  }
  HWY_INLINE static part added(const part& a, vector x, vector& lost) {
    const two high = sum_of(a.high, x);
    const two low = sum_of(a.low, high.rest);
    lost = hn::Or(lost, low.rest);
    return {high.sum, low.sum};
  }
  /// The low part is at most half a unit of the high one. Of -0 alone the high one is -0, and stays it.
  HWY_INLINE static part settled(const part& x) {
    const two all = sum_of(x.high, x.low);
    const auto is_one = hn::Eq(x.low, hn::Zero(tag()));
    return {hn::IfThenElse(is_one, x.high, all.sum), hn::IfThenZeroElse(is_one, all.rest)};
  }

  double* high_;
  double* low_;
  double* lost_of_;
  vector lost_;
  std::int64_t sealed_ = 0;
};

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
  struct part {
    vector key, index;
  };
  using column = part;

  HWY_INLINE best_lanes(const lane_order& order, const lane_states& out)
      : magnitude_(hn::Set(tag(), static_cast<Word>(order.magnitude))),
        turn_(hn::Set(tag(), static_cast<Word>(order.turn))),
        flip_(hn::Set(tag(), static_cast<Word>(order.flip))),
        last_(hn::Set(tag(), static_cast<Word>(order.last))),
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
  HWY_INLINE part row(const Word* p, std::int64_t length) { return gather_row(*this, p, length); }
  HWY_INLINE void store(const part& x, std::int64_t r) const {
    hn::StoreU(x.key, tag(), key_of_ + r);
    if constexpr (indexed) hn::StoreU(x.index, tag(), index_of_ + r);
  }
  HWY_INLINE void seal(std::int64_t, std::int64_t, bool) const {}

  /// Stores the index of the first item of a row that has the key stored for it.
  HWY_INLINE void find(const Word* p, std::int64_t length, std::int64_t r) const {
    // NaN are one value, but keys of several.
    key_of_[r] = hn::GetLane(one_nan(hn::Set(tag(), key_of_[r])));
    const vector wanted = hn::Set(tag(), key_of_[r]);
    std::int64_t i = 0;
    for (; i + 4 * width <= length; i += 4 * width) {
      const auto hit = [&](int v) HWY_ATTR {
        return hn::Eq(key(hn::LoadU(tag(), p + i + v * width)), wanted);
      };
      if (!hn::AllFalse(tag(), hn::Or(hn::Or(hit(0), hit(1)), hn::Or(hit(2), hit(3))))) break;
    }
    for (;; i += width) {
      const std::int64_t left = length - i;
      const vector keys =
          left >= width ? key(hn::LoadU(tag(), p + i)) : load_some(p + i, left, 0).key;
      const auto place = hn::FindFirstTrue(tag(), hn::Eq(keys, wanted));
      if (place < 0) continue;
      index_of_[r] = static_cast<Word>(i + place);
      return;
    }
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
  HWY_INLINE void finish_columns(std::int64_t, std::int64_t) const {}

 private:
  using mask = hn::Mask<tag>;

  HWY_INLINE vector key(vector bits) const {
    const vector magnitude = hn::And(hn::BroadcastSignBit(bits), magnitude_);
    const vector all = hn::Xor(hn::Add(hn::Xor(bits, magnitude), turn_), flip_);
    return indexed ? one_nan(all) : all;
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

  vector magnitude_, turn_, flip_, last_;
  Word* key_of_;
  Word* index_of_;
};

/// See `exact_ratio`: the quotient of the high part, and what is left of it and of the low part over the divisor.
HWY_INLINE void divide_exactly(const double* high, const double* low, std::int64_t count,
                               std::int64_t divisor, bool to_odd, double* out) {
  const lane_tag<double> d;
  const hn::RebindToSigned<decltype(d)> bits;
  const auto n = hn::Set(d, static_cast<double>(divisor));
  const bool by_power = (divisor & (divisor - 1)) == 0;
  for (std::int64_t i = 0; i < count; i += lanes_v<double>) {
    const auto h = hn::LoadU(d, high + i);
    const auto l = hn::LoadU(d, low + i);
    const auto zero = hn::Zero(d);
    const auto size = hn::Abs(h);
    // Far from where quotients are subnormal or a remainder could be.
    const auto is_known = hn::Or(hn::Eq(h, zero), hn::And(hn::Ge(size, hn::Set(d, 0x1p-900)),
                                                          hn::Le(size, hn::Set(d, 0x1p1000))));
    const auto q = hn::Div(h, n);
    const auto c = hn::Div(hn::Add(hn::NegMulAdd(q, n, h), l), n);
    auto answer = q;
    auto is_sure = is_known;
    if (to_odd) {
      const auto near = hn::Add(q, c);
      const auto rest = hn::Add(hn::NegMulAdd(near, n, h), l);
      // Towards zero where there is more than the true value, then odd.
      const auto above = hn::VecFromMask(
          bits, hn::RebindMask(bits, hn::Lt(hn::Xor(rest, hn::And(near, hn::SignBit(d))), zero)));
      const auto odd = hn::Or(hn::Add(hn::BitCast(bits, near), above), hn::Set(bits, 1));
      answer = hn::IfThenElse(hn::Eq(rest, zero), near, hn::BitCast(d, odd));
      answer = hn::IfThenElse(hn::Eq(h, zero), q, answer);
    } else if (!by_power) {
      // The quotient's rest is known to 2^-51 of it.
      const auto margin = hn::Mul(hn::Abs(c), hn::Set(d, 0x1p-50));
      answer = hn::Add(q, hn::Add(c, margin));
      is_sure = hn::And(is_sure, hn::Eq(answer, hn::Add(q, hn::Sub(c, margin))));
      answer = hn::IfThenElse(hn::Eq(c, zero), q, answer);
    } else if (divisor == 1) {
      is_sure = hn::Eq(h, h);
    }
    hn::StoreU(hn::IfThenElse(is_sure, answer, hn::NaN(d)), d, out + i);
  }
}

#endif  // not the portable targets

}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MONOFOLD_RUNTIME_SIMD_LANE_FOLDS_INL
