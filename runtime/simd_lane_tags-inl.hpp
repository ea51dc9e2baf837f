/// runtime/simd_lane_tags-inl: vectors of lanes, and how items of rows come to them.

// Included once for each instruction set: see highway's foreach_target.h.
#if defined(MONOFOLD_RUNTIME_SIMD_LANE_TAGS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MONOFOLD_RUNTIME_SIMD_LANE_TAGS_INL
#undef MONOFOLD_RUNTIME_SIMD_LANE_TAGS_INL
#else
#define MONOFOLD_RUNTIME_SIMD_LANE_TAGS_INL
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

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
// stored); and for columns open, add_to, load_column, store_column, finish_column (in place of the last store).

template <class Op>
HWY_INLINE typename Op::part gather_row(Op& op, const typename Op::item* p, std::int64_t length,
                                        std::int64_t ahead);
template <class Item>
HWY_INLINE const Item* end_of_columns(const lane_columns& columns);
/// At most so many rows of memory are read together for columns.
inline constexpr int most_rows_together = 16;
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

/// Up to `count` numbers of a vector.
template <class D>
HWY_INLINE void store_up_to(D d, hn::Vec<D> x, std::int64_t count, hn::TFromD<D>* p) {
  constexpr auto n = static_cast<std::int64_t>(hn::MaxLanes(D()));
  if (count >= n) return hn::StoreU(x, d, p);
  alignas(64) hn::TFromD<D> all[n];
  hn::Store(x, d, all);
  std::copy_n(all, count, p);
}

/// Stores number(i, n), whose first n lanes count, at out[i]. `past_caches`: whole lines of memory are written without
/// being read first.
template <class D, class NumberOf>
HWY_INLINE void store_numbers(D d, std::int64_t count, hn::TFromD<D>* out, bool past_caches,
                              const NumberOf& number) {
  constexpr auto width = static_cast<std::int64_t>(hn::MaxLanes(D()));
  const auto store_some = [&](std::int64_t at, std::int64_t n)
                              HWY_ATTR { store_up_to(d, number(at, n), n, out + at); };
  const auto ahead = -reinterpret_cast<std::uintptr_t>(out) % 64 / sizeof(*out);
  std::int64_t at = past_caches ? std::min(count, static_cast<std::int64_t>(ahead)) : 0;
  for (std::int64_t i = 0; i < at; i += width) store_some(i, std::min(width, at - i));
  for (; at + width <= count; at += width) {
    if (past_caches) {
      hn::Stream(number(at, width), d, out + at);
    } else {
      hn::StoreU(number(at, width), d, out + at);
    }
  }
  if (at < count) store_some(at, count - at);
  if (past_caches) hwy::FlushStream();
}

#endif  // not the portable targets

}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MONOFOLD_RUNTIME_SIMD_LANE_TAGS_INL
