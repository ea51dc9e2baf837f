/// runtime/extrema_loops: min, max, the k best and the largest magnitude, and where they are.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/extrema_loops.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "monofold/fold/extrema.hpp"
#include "monofold/fold/norm.hpp"
#include "monofold/fold/top.hpp"
#include "runtime/loops-inl.hpp"
#include "runtime/simd_extrema-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

// The extrema of whole vectors by simd_extrema-inl, of fewer items by the fold itself.

/// Where NaN lie among the keys of 16-bit floats; others have one kernel for both rules.
template <class Item, nan_rule rule>
inline constexpr nan_rule kernel_rule = has_half_keys_v<Item> ? rule : nan_rule::propagate;

/// Calls take(at, n) for items [at, at + n) of `count`, whole vectors that have all of them: some items twice, which
/// changes no extremum. False: they are too few.
template <class Take>
HWY_INLINE bool by_whole_vectors(std::int64_t count, const Take& take) {
  constexpr std::int64_t least = 256;
  if (count < least) return false;
  for (std::int64_t at = 0, n = count / least * least;; at = count - least, n = least) {
    take(at, n);
    if (at + n == count) return true;
  }
}

template <class Item, bool smallest, nan_rule rule>
struct item_loop<extremum_fold<Item, smallest, rule>, Item> {
  using fold = extremum_fold<Item, smallest, rule>;

  HWY_INLINE static void add(const fold& f, partial<fold, Item>& own, const Item* items,
                             std::int64_t count, std::int64_t index, std::ptrdiff_t ahead) {
    const bool is_done = by_whole_vectors(count, [&](std::int64_t at, std::int64_t n) HWY_ATTR {
      const auto extrema = extrema_of<smallest, !smallest, kernel_rule<Item, rule>>(
          items + at, n, ahead_in_order(ahead));
      take_extremum<fold>(own.held, smallest ? extrema.low : extrema.high, extrema.may_have_nan,
                          items + at, n, index + at);
    });
    if (!is_done) absorb_slowly(f, own.held, items, count, index);
  }
};

template <class Item, nan_rule rule>
struct item_loop<extrema_fold<Item, rule>, Item> {
  using fold = extrema_fold<Item, rule>;

  HWY_INLINE static void add(const fold&, partial<fold, Item>& own, const Item* items,
                             std::int64_t count, std::int64_t index, std::ptrdiff_t ahead) {
    add_some<false>(own, items, count, index, ahead);
  }
  HWY_INLINE static void add_numbers(partial<fold, Item>& own, const Item* items,
                                     std::int64_t count, std::int64_t index,
                                     std::ptrdiff_t ahead) requires std::is_floating_point_v<Item> {
    add_some<true>(own, items, count, index, ahead);
  }

 private:
  template <bool only_numbers>
  HWY_INLINE static void add_some(partial<fold, Item>& own, const Item* items, std::int64_t count,
                                  std::int64_t index, std::ptrdiff_t ahead) {
    const bool is_done = by_whole_vectors(count, [&](std::int64_t at, std::int64_t n) HWY_ATTR {
      const auto extrema = extrema_of<true, true, kernel_rule<Item, rule>, only_numbers>(
          items + at, n, ahead_in_order(ahead));
      using low = typename fold::low;
      using high = typename fold::high;
      const bool may_have_nan = extrema.may_have_nan;
      take_extremum<low>(own.held.min, extrema.low, may_have_nan, items + at, n, index + at);
      take_extremum<high>(own.held.max, extrema.high, may_have_nan, items + at, n, index + at);
    });
    if (!is_done) absorb_slowly(fold{}, own.held, items, count, index);
  }
};

/// An extremum of 16-bit floats is the key of an item, another one an item.
template <class Extremum, class Item>
HWY_INLINE Item item_of_extremum(lane_of<Item> extremum) {
  if constexpr (has_half_keys_v<Item>) return Extremum::item_of(extremum);
  return static_cast<Item>(extremum);
}

/// The largest magnitude is that of the smallest or the largest item.
template <class Item, nan_rule rule>
struct item_loop<norm_inf_fold<Item, rule>, Item> {
  using fold = norm_inf_fold<Item, rule>;
  using both_fold = extrema_fold<Item, rule>;

  HWY_INLINE static void add(const fold& f, partial<fold, Item>& own, const Item* items,
                             std::int64_t count, std::int64_t index, std::ptrdiff_t ahead) {
    const bool is_done = by_whole_vectors(count, [&](std::int64_t at, std::int64_t n) HWY_ATTR {
      const auto extrema =
          extrema_of<true, true, kernel_rule<Item, rule>>(items + at, n, ahead_in_order(ahead));
      const Item low = item_of_extremum<typename both_fold::low, Item>(extrema.low);
      const Item high = item_of_extremum<typename both_fold::high, Item>(extrema.high);
      const bool no_number = std::is_floating_point_v<Item> && extrema.low > extrema.high;
      const bool slow = no_number || is_nan(low) || is_nan(high) ||
                        (rule == nan_rule::propagate && extrema.may_have_nan);
      if (slow) {
        absorb_slowly(f, own.held, items + at, n, index + at);
      } else {
        own.held = f.combine(own.held, f.combine(f.lift(low, index), f.lift(high, index)));
      }
    });
    if (!is_done) absorb_slowly(f, own.held, items, count, index);
  }
};

/// The bits of the items that are better than one whose key this is: numbers only.
template <class Extremum, class Item>
HWY_INLINE auto bits_better_than(typename Extremum::key bound) {
  constexpr bool smallest = Extremum::picks_smallest;
  using bits = bits_of_bytes<sizeof(Item)>;
  const auto from_to = [](auto first, auto end) {
    return bit_range<bits>{static_cast<bits>(first), static_cast<bits>(end - first)};
  };
  if constexpr (is_floating_v<Item>) {
    constexpr auto sign = static_cast<bits>(bits{1} << (8 * sizeof(Item) - 1));
    constexpr auto after = static_cast<bits>(order_key<Item>::infinity + 1);  // of positive numbers
    constexpr bits better = smallest ? sign : 0;  // where numbers of the better sign begin
    constexpr bits other = smallest ? 0 : sign;
    const auto all = from_to(better, better + after);
    if (Extremum::is_nan_key(bound)) return two_ranges<bits>{all, from_to(other, other + after)};
    const auto own = std::bit_cast<bits>(Extremum::item_of(bound));
    if ((own & sign) == other) return two_ranges<bits>{all, from_to(other, own)};
    return two_ranges<bits>{from_to(own + 1, better + after), {}};
  } else {
    const auto end = static_cast<bits>(Extremum::best);
    const auto own = static_cast<bits>(bound);
    if (smallest) return two_ranges<bits>{from_to(end, own), {}};
    return two_ranges<bits>{from_to(own + 1, end + 1), {}};
  }
}

/// What is not better than all of the best so far is passed over.
template <class Item, bool smallest, nan_rule rule>
struct item_loop<top_fold<Item, smallest, rule>, Item> {
  using fold = top_fold<Item, smallest, rule>;
  using extremum = typename fold::extremum_type;

  HWY_INLINE static void add(const fold& f, partial<fold, Item>& own, const Item* items,
                             std::int64_t count, std::int64_t index, std::ptrdiff_t ahead) {
    f.absorb_found(
        own.held, items, count, index, [&](std::int64_t begin, typename fold::key bound) HWY_ATTR {
          return first_within(items, begin, count, bits_better_than<extremum, Item>(bound),
                              ahead_in_order(ahead));
        });
  }
};

#endif  // not the portable targets

namespace {

member_folder::loop find(const member_request& what) {
  using enum family;
  return loop_of<items_of::any_type, minimum, maximum, extrema, largest, smallest, norm_inf>(what);
}

}  // namespace
}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
MONOFOLD_EXPORT_LOOPS(find_extrema_loop)
#endif
