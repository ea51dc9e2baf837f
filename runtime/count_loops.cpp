/// runtime/count_loops: how many items are not zero, and how many are NaN.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/count_loops.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "monofold/fold/logical.hpp"
#include "runtime/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

namespace hn = hwy::HWY_NAMESPACE;

/// The zeros among `count` integers (a multiple of 64): a lane counts its own, bytes at most 255.
template <class Lane>
HWY_NOINLINE std::int64_t count_zeros(const Lane* items, std::int64_t count) {
  const hn::CappedTag<Lane, 64 / sizeof(Lane)> d;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t most = 128 * n;
  std::int64_t zeros = 0;
  for (std::int64_t at = 0; at < count;) {
    const std::int64_t end = count - at < most ? count : at + most;
    auto found = hn::Zero(d);
    for (; at < end; at += n) {
      found = hn::Sub(found, hn::VecFromMask(d, hn::Eq(hn::LoadU(d, items + at), hn::Zero(d))));
    }
    alignas(64) Lane lanes[64 / sizeof(Lane)];
    hn::Store(found, d, lanes);
    for (std::int64_t i = 0; i < n; ++i) zeros += lanes[i];
  }
  return zeros;
}

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
