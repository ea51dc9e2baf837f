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

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

namespace hn = hwy::HWY_NAMESPACE;

/// How many of `count` lanes (a multiple of 64) are as `is_one` says: a lane counts its own, bytes at most 255.
template <class Lane, class IsOne>
HWY_INLINE std::int64_t count_lanes(const Lane* items, std::int64_t count, const IsOne& is_one) {
  const hn::CappedTag<Lane, 64 / sizeof(Lane)> d;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t most = 128 * n;
  std::int64_t all = 0;
  for (std::int64_t at = 0; at < count;) {
    const std::int64_t end = count - at < most ? count : at + most;
    auto found = hn::Zero(d);
    for (; at < end; at += n) {
      found = hn::Sub(found, hn::VecFromMask(d, is_one(hn::LoadU(d, items + at))));
    }
    alignas(64) Lane lanes[64 / sizeof(Lane)];
    hn::Store(found, d, lanes);
    for (std::int64_t i = 0; i < n; ++i) all += lanes[i];
  }
  return all;
}

template <class Lane>
HWY_NOINLINE std::int64_t count_zeros(const Lane* items, std::int64_t count) {
  const auto is_zero = [](auto x)
                           HWY_ATTR { return hn::Eq(x, hn::Zero(hn::DFromV<decltype(x)>())); };
  return count_lanes(items, count, is_zero);
}

/// By the bits of floats: magnitudes above infinity.
template <class Item, class Lane>
HWY_INLINE std::int64_t count_nans(const Lane* items, std::int64_t count) {
  const auto is_nan = [](auto x) HWY_ATTR {
    const hn::DFromV<decltype(x)> d;
    const auto size = hn::And(x, hn::Set(d, std::numeric_limits<Lane>::max()));
    return hn::Gt(size, hn::Set(d, static_cast<Lane>(order_key<Item>::infinity)));
  };
  return count_lanes(items, count, is_nan);
}

template <class Item>
requires(is_floating_v<Item> && sizeof(Item) <= 4) struct item_loop<nan_count_fold<Item>, Item> {
  using fold = nan_count_fold<Item>;

  HWY_INLINE static void add(const fold& f, partial<fold, Item>& own, const Item* items,
                             std::int64_t count, std::int64_t index, std::ptrdiff_t) {
    using lane = std::conditional_t<sizeof(Item) == 2, std::int16_t, std::int32_t>;
    const std::int64_t whole = count / 64 * 64;
    std::int64_t found = count_nans<Item>(reinterpret_cast<const lane*>(items), whole);
    for (std::int64_t i = whole; i < count; ++i) found += is_nan(items[i]) ? 1 : 0;
    if (found == 0) return;
    std::int64_t first = 0;
    while (!is_nan(items[first])) ++first;
    own.held = f.combine(own.held, {found, index + first});
  }
};

template <class Item>
requires(std::is_integral_v<Item> && sizeof(Item) <= 4) struct item_loop<nonzero_fold<Item>, Item> {
  using fold = nonzero_fold<Item>;

  HWY_INLINE static void add(const fold& f, partial<fold, Item>& own, const Item* items,
                             std::int64_t count, std::int64_t index, std::ptrdiff_t) {
    using lane =
        std::conditional_t<sizeof(Item) == 1, std::uint8_t,
                           std::conditional_t<sizeof(Item) == 2, std::uint16_t, std::uint32_t>>;
    const std::int64_t whole = count / 64 * 64;
    own.held.nonzero += whole - count_zeros(reinterpret_cast<const lane*>(items), whole);
    own.held.count += whole;
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
