/// runtime/simd_columns-inl: tiles of products, dot products and norms in vectors, bit for bit as level/core.

// Included once for each instruction set: see highway's foreach_target.h.
#if defined(MONOFOLD_RUNTIME_SIMD_COLUMNS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MONOFOLD_RUNTIME_SIMD_COLUMNS_INL
#undef MONOFOLD_RUNTIME_SIMD_COLUMNS_INL
#else
#define MONOFOLD_RUNTIME_SIMD_COLUMNS_INL
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "monofold/fold/dot.hpp"
#include "monofold/fold/norm.hpp"
#include "monofold/fold/product.hpp"
#include "monofold/level/core.hpp"
#include "monofold/plan/tiles.hpp"
#include "runtime/loops-inl.hpp"
#include "runtime/simd_sums-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

/// The products of four neighbouring pairs; of narrow items they are exact.
template <class Item>
HWY_INLINE vector4 load4(const item_pair<Item, Item>* p) {
  if constexpr (sizeof(Item) == 2) {
    using half = std::conditional_t<std::is_same_v<Item, float16>, hwy::float16_t, hwy::bfloat16_t>;
    const hn::FixedTag<float, 4> f;
    const hn::FixedTag<half, 4> h;
    const hn::FixedTag<std::uint32_t, 4> word;
    const auto pairs = hn::LoadU(word, reinterpret_cast<const std::uint32_t*>(p));
    const hn::FixedTag<std::uint16_t, 4> bits;
    const auto left = hn::PromoteTo(f, hn::BitCast(h, hn::TruncateTo(bits, pairs)));
    const auto right =
        hn::PromoteTo(f, hn::BitCast(h, hn::TruncateTo(bits, hn::ShiftRight<16>(pairs))));
    return hn::Mul(hn::PromoteTo(double4(), left), hn::PromoteTo(double4(), right));
  } else {
    const hn::FixedTag<Item, 4> d;
    hn::Vec<decltype(d)> left, right;
    hn::LoadInterleaved2(d, reinterpret_cast<const Item*>(p), left, right);
    if constexpr (sizeof(Item) == 8) {
      return hn::Mul(left, right);
    } else {
      return hn::Mul(hn::PromoteTo(double4(), left), hn::PromoteTo(double4(), right));
    }
  }
}

struct add_items_up {
  HWY_INLINE vector4 open(vector4 x) const { return x; }
  HWY_INLINE vector4 add(vector4 slot, vector4 x) const { return add_one(x, slot); }
};
struct add_magnitudes {
  HWY_INLINE vector4 open(vector4 x) const { return hn::Abs(x); }
  HWY_INLINE vector4 add(vector4 slot, vector4 x) const { return hn::Add(slot, hn::Abs(x)); }
};
/// Squares that are rounded are looked at: those out of range must be scaled.
template <bool exact_square>
struct add_squares {
  HWY_INLINE add_squares() : least(hn::Inf(double4())), most(hn::Zero(double4())) {}
  HWY_INLINE vector4 open(vector4 x) {
    const vector4 square = hn::Mul(x, x);
    see(square);
    return square;
  }
  HWY_INLINE vector4 add(vector4 slot, vector4 x) {
    if constexpr (exact_square) return hn::MulAdd(x, x, slot);
    const vector4 square = hn::Mul(x, x);
    see(square);
    return add_one(square, slot);
  }
  HWY_INLINE void see(vector4 square) {
    if constexpr (exact_square) return;
    least = hn::Min(least, square);
    most = hn::Max(most, square);
  }

  vector4 least;
  vector4 most;
};

/// Fills the slots of a full tile (plan/tiles.hpp), four in a vector and sixteen at a time. A lane whose
/// items are twice its slots takes them in two turns.
template <class Fold, class Item, class Step>
HWY_INLINE void fill_slots(const Item* items, Step& step, std::ptrdiff_t ahead, double* slots) {
  using shape = slot_shape<Fold, Item>;
  constexpr int turns = shape::items_per_lane / shape::chains;
  constexpr int columns = tile_shape<Item>::row_items;
  static_assert(turns == 1 || (turns == 2 && shape::chains == 4));
  constexpr int apart = 4 * turns;  // the items from a vector's to the next one's
  constexpr int group = 4 * apart;
  const double4 d;
  const char* line = reinterpret_cast<const char*>(items) + ahead;
  const auto prefetch = [&]() HWY_ATTR {
    for (int i = 0; i < static_cast<int>(group * sizeof(Item)); i += 64) hwy::Prefetch(line + i);
    line += group * sizeof(Item);
  };
  for (int g = 0; g < columns / group; ++g) {
    const Item* p = items + g * group;
    vector4 s0 = step.open(load4(p)), s1 = step.open(load4(p + apart));
    vector4 s2 = step.open(load4(p + 2 * apart)), s3 = step.open(load4(p + 3 * apart));
    const auto take = [&](const Item* from) HWY_ATTR {
      s0 = step.add(s0, load4(from));
      s1 = step.add(s1, load4(from + apart));
      s2 = step.add(s2, load4(from + 2 * apart));
      s3 = step.add(s3, load4(from + 3 * apart));
    };
    if constexpr (turns == 2) take(p + 4);
    prefetch();
#pragma GCC unroll 1
    for (int r = 1; r < tile_rows; ++r) {
      p += columns;
      prefetch();
      take(p);
      if constexpr (turns == 2) take(p + 4);
    }
    hn::Store(s0, d, slots + 16 * g);
    hn::Store(s1, d, slots + 16 * g + 4);
    hn::Store(s2, d, slots + 16 * g + 8);
    hn::Store(s3, d, slots + 16 * g + 12);
  }
}

/// The sum of the slots, neighbours first.
template <int count>
HWY_INLINE double add_slots(const double* slots) {
  const double4 d;
  vector4 groups[count / 16];
  for (int g = 0; g < count / 16; ++g) {
    const double* const p = slots + 16 * g;
    groups[g] =
        join_quads(hn::Load(d, p), hn::Load(d, p + 4), hn::Load(d, p + 8), hn::Load(d, p + 12));
  }
  return join_groups<count / 16>(groups);
}

/// Items of which the fold's own loop, as compilers do it, is slower: the others' conversion is simple.
template <class Item>
inline constexpr bool has_fast_columns_v =
    std::is_same_v<Item, float> || std::is_same_v<Item, float16>;

/// The fold itself says which NaN the sum of a tile is.
template <class Fold, class Step, class Item>
HWY_INLINE double sum_of_slots(const Fold& f, const Item* items, std::int64_t index,
                               std::ptrdiff_t ahead) {
  constexpr int count = slot_shape<Fold, Item>::num_slots;
  alignas(32) double slots[count];
  Step step;
  fill_slots<Fold>(items, step, ahead, slots);
  const double sum = add_slots<count>(slots);
  return is_nan(sum) ? fold_last_tile(f, items, tile_items_v<Item>, index) : sum;
}

template <class Item>
requires(!std::is_same_v<Item, bfloat16>) struct tile_loop<float_dot_fold<item_pair<Item, Item>>,
                                                           item_pair<Item, Item>> {
  using pair = item_pair<Item, Item>;
  HWY_INLINE static double fold(const float_dot_fold<pair>& f, const pair* items,
                                std::int64_t index, std::ptrdiff_t) {
    return sum_of_slots<float_dot_fold<pair>, add_items_up>(f, items, index, no_prefetch);
  }
};

template <class Item>
requires has_fast_columns_v<Item>
struct tile_loop<norm1_fold<Item>, Item> {
  HWY_INLINE static double fold(const norm1_fold<Item>& f, const Item* items, std::int64_t index,
                                std::ptrdiff_t ahead) {
    return sum_of_slots<norm1_fold<Item>, add_magnitudes>(f, items, index, ahead);
  }
};

/// Neighbouring items as doubles.
template <class D>
HWY_INLINE hn::Vec<D> load_doubles(D d, const float* p) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), p));
}
template <class D>
HWY_INLINE hn::Vec<D> load_doubles(D d, const float16* p) {
  const hn::Rebind<hwy::float16_t, D> half;
  const auto items = hn::LoadU(half, reinterpret_cast<const hwy::float16_t*>(p));
  return hn::PromoteTo(d, hn::PromoteTo(hn::Rebind<float, D>(), items));
}

/// The products of the columns of a full tile: of float16, whose conversions are most of the work, as many at once as the
/// processor has lanes.
template <class Item>
HWY_INLINE void multiply_columns(const Item* items, std::ptrdiff_t ahead, double* slots) {
  using tag = hn::CappedTag<double, sizeof(Item) == 2 ? 8 : 4>;
  const tag d;
  constexpr auto lanes = static_cast<int>(hn::MaxLanes(tag()));
  constexpr int columns = tile_shape<Item>::row_items;
  const char* line = reinterpret_cast<const char*>(items) + ahead;
  const auto prefetch = [&]() HWY_ATTR {
    constexpr int bytes = 4 * lanes * static_cast<int>(sizeof(Item));
    for (int i = 0; i < bytes; i += 64) hwy::Prefetch(line + i);
    line += bytes;
  };
  for (int g = 0; g < columns; g += 4 * lanes) {
    const Item* p = items + g;
    const auto load = [&](int i) HWY_ATTR { return load_doubles(d, p + i * lanes); };
    auto s0 = load(0), s1 = load(1), s2 = load(2), s3 = load(3);
    prefetch();
#pragma GCC unroll 1
    for (int r = 1; r < tile_rows; ++r) {
      p += columns;
      prefetch();
      s0 = hn::Mul(s0, load(0));
      s1 = hn::Mul(s1, load(1));
      s2 = hn::Mul(s2, load(2));
      s3 = hn::Mul(s3, load(3));
    }
    hn::Store(s0, d, slots + g);
    hn::Store(s1, d, slots + g + lanes);
    hn::Store(s2, d, slots + g + 2 * lanes);
    hn::Store(s3, d, slots + g + 3 * lanes);
  }
}

template <class Item>
requires has_fast_columns_v<Item>
struct tile_loop<float_product_fold<Item>, Item> {
  using fold_type = float_product_fold<Item>;
  HWY_INLINE static double fold(const fold_type& f, const Item* items, std::int64_t index,
                                std::ptrdiff_t ahead) {
    constexpr int count = slot_shape<fold_type, Item>::num_slots;
    alignas(64) monofold::detail::slot_array<double, count> slots;
    static_assert(count == tile_shape<Item>::row_items);
    multiply_columns(items, ahead, slots.values);
    const double all = monofold::detail::join_all_slots<count, fold_type, Item>(f, slots);
    return is_nan(all) ? fold_last_tile(f, items, tile_items_v<Item>, index) : all;
  }
};

template <class Item>
struct tile_loop<norm2_fold<Item>, Item> {
  using fold_type = norm2_fold<Item>;
  HWY_INLINE static typename fold_type::state fold(const fold_type& f, const Item* items,
                                                   std::int64_t index, std::ptrdiff_t ahead) {
    constexpr bool exact_square = sizeof(Item) < 8;
    constexpr int count = slot_shape<fold_type, Item>::num_slots;
    alignas(32) double slots[count];
    add_squares<exact_square> step;
    fill_slots<fold_type>(items, step, ahead, slots);
    const double sum = add_slots<count>(slots);
    bool plain = !is_nan(sum);
    if constexpr (!exact_square) {
      const double4 d;
      plain = plain && hn::GetLane(hn::MinOfLanes(d, step.least)) >= 0x1p-959 &&
              hn::GetLane(hn::MaxOfLanes(d, step.most)) <= 0x1p959;
    }
    if (!plain) return fold_last_tile(f, items, tile_items_v<Item>, index);
    return {0.0, sum, 0.0};
  }
};

#endif  // not the portable targets

}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MONOFOLD_RUNTIME_SIMD_COLUMNS_INL
