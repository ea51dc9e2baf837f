/// runtime/count_loops: how many items are not zero, and how many are NaN.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/count_loops.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "monofold/fold/logical.hpp"
#include "monofold/fold/nan.hpp"
#include "monofold/fold/order_key.hpp"
#include "runtime/loops-inl.hpp"
#include "runtime/simd_extrema-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

namespace hn = hwy::HWY_NAMESPACE;

template <class Item>
using lane_bits = bits_of_bytes<static_cast<int>(sizeof(Item))>;

/// How many of `count` lanes (a multiple of 64) are as `is_one` says: a lane counts its own, bytes at most 255.
template <class Lane, class IsOne>
HWY_INLINE std::int64_t count_lanes(const void* items, std::int64_t count, std::ptrdiff_t ahead,
                                    const IsOne& is_one) {
  const hn::CappedTag<Lane, 64 / sizeof(Lane)> d;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t most = 128 * n;
  const auto* const p = static_cast<const Lane*>(items);
  [[maybe_unused]] const auto one = hn::Set(d, Lane{1});
  std::int64_t all = 0;
  for (std::int64_t at = 0; at < count;) {
    const std::int64_t end = count - at < most ? count : at + most;
    auto found = hn::Zero(d);
#pragma GCC unroll 2
    for (; at < end; at += n) {
      prefetch_ahead<vector_bytes>(p + at, ahead);
      const auto hit = is_one(hn::LoadU(d, p + at));
      if constexpr (HWY_TARGET == HWY_AVX3) {
        found = hn::IfThenElse(hit, hn::Add(found, one), found);  // one instruction
      } else {
        found = hn::Sub(found, hn::VecFromMask(d, hit));
      }
    }
    alignas(64) Lane lanes[64 / sizeof(Lane)];
    hn::Store(found, d, lanes);
    for (std::int64_t i = 0; i < n; ++i) all += static_cast<std::int64_t>(lanes[i]);
  }
  return all;
}

/// `with_sign`: of floats, by their bits: -0 is one, too.
template <bool with_sign, class Lane>
HWY_INLINE std::int64_t count_zeros(const void* items, std::int64_t count, std::ptrdiff_t ahead) {
  return count_lanes<Lane>(items, count, ahead, [](auto x) HWY_ATTR {
    return hn::Eq(with_sign ? hn::Add(x, x) : x, hn::Zero(hn::DFromV<decltype(x)>()));
  });
}

/// By the bits of floats: magnitudes above infinity.
template <class Item>
HWY_INLINE std::int64_t count_nans(const Item* items, std::int64_t count, std::ptrdiff_t ahead) {
  using lane = std::make_signed_t<lane_bits<Item>>;
  return count_lanes<lane>(items, count, ahead, [](auto x) HWY_ATTR {
    const hn::DFromV<decltype(x)> d;
    const auto size = hn::And(x, hn::Set(d, std::numeric_limits<lane>::max()));
    return hn::Gt(size, hn::Set(d, static_cast<lane>(order_key<Item>::infinity)));
  });
}

template <class Item>
requires is_floating_v<Item>
struct item_loop<nan_count_fold<Item>, Item> {
  using fold = nan_count_fold<Item>;

  HWY_INLINE static void add(const fold& f, partial<fold, Item>& own, const Item* items,
                             std::int64_t count, std::int64_t index, std::ptrdiff_t ahead) {
    const std::int64_t whole = count / 64 * 64;
    std::int64_t found = count_nans(items, whole, ahead_in_order(ahead));
    for (std::int64_t i = whole; i < count; ++i) found += is_nan(items[i]) ? 1 : 0;
    if (found == 0) return;
    std::int64_t first = 0;
    while (!is_nan(items[first])) ++first;
    own.held = f.combine(own.held, {found, index + first});
  }
};

template <class Item, nan_rule rule>
struct item_loop<nonzero_fold<Item, rule>, Item> {
  using fold = nonzero_fold<Item, rule>;

  HWY_INLINE static void add(const fold& f, partial<fold, Item>& own, const Item* items,
                             std::int64_t count, std::int64_t index, std::ptrdiff_t ahead) {
    const std::int64_t whole = count / 64 * 64;
    std::int64_t numbers = whole;
    if constexpr (rule == nan_rule::omit) numbers -= count_nans(items, whole, no_prefetch);
    own.held.nonzero += numbers - count_zeros<is_floating_v<Item>, lane_bits<Item>>(
                                      items, whole, ahead_in_order(ahead));
    own.held.count += numbers;
    if (whole < count) absorb_slowly(f, own.held, items + whole, count - whole, index + whole);
  }
};

#endif  // not the portable targets

namespace {

member_folder::loop find(const member_request& what) {
  using enum family;
  return loop_of<items_of::any_type, logical, nan_count, pair_nan_count>(what);
}

}  // namespace
}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
MONOFOLD_EXPORT_LOOPS(find_count_loop)
#endif
