/// runtime/integer_loops: sums, products, moments, norms and bits of integers.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/integer_loops.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "runtime/loops-inl.hpp"
#include "runtime/simd_integers-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

// Whole vectors of small integers by simd_integers-inl, what is left by the fold itself.

template <class Item>
requires has_block_sums_v<Item>
struct item_loop<integer_sum_fold<Item>, Item> {
  using fold = integer_sum_fold<Item>;

  HWY_INLINE static void add(const fold& f, partial<fold, Item>& own, const Item* items,
                             std::int64_t count, std::int64_t index, std::ptrdiff_t) {
    const std::int64_t whole = count / 64 * 64;
    if (whole > 0) own.held += sum_block<extras::none>(items, whole).sum;
    if (whole < count) absorb_slowly(f, own.held, items + whole, count - whole, index + whole);
  }
};

template <class Item>
requires has_block_sums_v<Item>
struct item_loop<integer_moments_fold<Item>, Item> {
  using fold = integer_moments_fold<Item>;

  HWY_INLINE static void add(const fold& f, partial<fold, Item>& own, const Item* items,
                             std::int64_t count, std::int64_t index, std::ptrdiff_t) {
    const std::int64_t whole = count / 64 * 64;
    if (whole > 0) {
      const auto block = sum_block<extras::squares>(items, whole);
      own.held.count += whole;
      own.held.sum += block.sum;
      own.held.squares = monofold::add(own.held.squares, widen(block.squares));
    }
    if (whole < count) absorb_slowly(f, own.held, items + whole, count - whole, index + whole);
  }
};

template <class Item>
requires has_block_sums_v<Item>
struct item_loop<integer_norm2_fold<Item>, Item> {
  using fold = integer_norm2_fold<Item>;

  HWY_INLINE static void add(const fold& f, partial<fold, Item>& own, const Item* items,
                             std::int64_t count, std::int64_t index, std::ptrdiff_t) {
    const std::int64_t whole = count / 64 * 64;
    if (whole > 0) {
      const auto block = sum_block<extras::squares>(items, whole);
      own.held = monofold::add(own.held, widen(block.squares));
    }
    if (whole < count) absorb_slowly(f, own.held, items + whole, count - whole, index + whole);
  }
};

/// |-128| is 128 where the byte is unsigned; eight bytes are added by one instruction.
template <class Item>
requires(sizeof(Item) == 1) struct item_loop<integer_norm1_fold<Item>, Item> {
  using fold = integer_norm1_fold<Item>;

  HWY_INLINE static void add(const fold& f, partial<fold, Item>& own, const Item* items,
                             std::int64_t count, std::int64_t index, std::ptrdiff_t) {
    const hn::CappedTag<std::uint8_t, 64> d;
    const hn::RebindToSigned<decltype(d)> d8;
    const hn::Repartition<std::uint64_t, decltype(d)> d64;
    const auto n = static_cast<std::int64_t>(hn::Lanes(d));
    const std::int64_t whole = count / 64 * 64;
    auto total = hn::Zero(d64);
    for (std::int64_t at = 0; at < whole; at += n) {
      auto x = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(items + at));
      if constexpr (std::is_signed_v<Item>) x = hn::BitCast(d, hn::Abs(hn::BitCast(d8, x)));
      total = hn::Add(total, hn::SumsOf8(x));
    }
    own.held += hn::GetLane(hn::SumOfLanes(d64, total));
    if (whole < count) absorb_slowly(f, own.held, items + whole, count - whole, index + whole);
  }
};

/// Pairs of bytes (a multiple of 64, at most 2^14): sixteen bits hold one, and two products of at most
/// 2^16 are added by one instruction: a lane stays below 2^31.
template <class Item>
HWY_NOINLINE std::int64_t dot_bytes(const item_pair<Item, Item>* pairs, std::int64_t count) {
  using bits = std::conditional_t<std::is_signed_v<Item>, std::int16_t, std::uint16_t>;
  const hn::CappedTag<bits, 32> d;
  const hn::RebindToSigned<decltype(d)> d16;
  const hn::RepartitionToWide<decltype(d16)> d32;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d));
  auto sum = hn::Zero(d32), more = sum;
  for (std::int64_t at = 0; at < count; at += n) {
    const auto both = hn::LoadU(d, reinterpret_cast<const bits*>(pairs + at));
    const auto left = hn::ShiftRight<8>(hn::ShiftLeft<8>(both));  // with its sign
    const auto right = hn::ShiftRight<8>(both);
    sum = hn::ReorderWidenMulAccumulate(d32, hn::BitCast(d16, left), hn::BitCast(d16, right), sum,
                                        more);
  }
  alignas(64) std::int32_t lanes[16];
  hn::Store(hn::Add(sum, more), d32, lanes);
  std::int64_t all = 0;
  for (std::int64_t i = 0; i < n / 2; ++i) all += lanes[i];
  return all;
}

template <class Item>
requires(sizeof(Item) == 1) struct item_loop<integer_dot_fold<Item, Item>, item_pair<Item, Item>> {
  using pair = item_pair<Item, Item>;
  using fold = integer_dot_fold<Item, Item>;

  HWY_INLINE static void add(const fold& f, partial<fold, pair>& own, const pair* items,
                             std::int64_t count, std::int64_t index, std::ptrdiff_t) {
    constexpr std::int64_t block = 1 << 14;
    const std::int64_t whole = count / 64 * 64;
    for (std::int64_t at = 0; at < whole; at += block) {
      const std::int64_t n = whole - at < block ? whole - at : block;
      own.held = f.combine(own.held, monofold::detail::extended(dot_bytes(items + at, n)));
    }
    if (whole < count) absorb_slowly(f, own.held, items + whole, count - whole, index + whole);
  }
};

#endif  // not the portable targets

namespace {

member_folder::loop find(const member_request& what) {
  using enum family;
  return loop_of<items_of::integers, sum, product, moments, norm1, norm2, dot, bit_and, bit_or,
                 bit_xor>(what);
}

}  // namespace
}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
MONOFOLD_EXPORT_LOOPS(find_integer_loop)
#endif
