/// runtime/integer_loops: sums, products, moments, norms and bits of integers.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/integer_loops.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "runtime/loops-inl.hpp"
#include "runtime/simd_factors-inl.hpp"
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
                             std::int64_t count, std::int64_t index, std::ptrdiff_t ahead) {
    const std::int64_t whole = count / 64 * 64;
    if (whole > 0) own.held += sum_block<extras::none>(items, whole, ahead_in_order(ahead)).sum;
    if (whole < count) absorb_slowly(f, own.held, items + whole, count - whole, index + whole);
  }
};

template <class Item>
requires has_block_sums_v<Item>
struct item_loop<integer_moments_fold<Item>, Item> {
  using fold = integer_moments_fold<Item>;

  HWY_INLINE static void add(const fold& f, partial<fold, Item>& own, const Item* items,
                             std::int64_t count, std::int64_t index, std::ptrdiff_t ahead) {
    const std::int64_t whole = count / 64 * 64;
    if (whole > 0) {
      const auto block = sum_block<extras::squares>(items, whole, ahead_in_order(ahead));
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
                             std::int64_t count, std::int64_t index, std::ptrdiff_t ahead) {
    const std::int64_t whole = count / 64 * 64;
    if (whole > 0) {
      const auto block = sum_block<extras::squares>(items, whole, ahead_in_order(ahead));
      own.held = monofold::add(own.held, widen(block.squares));
    }
    if (whole < count) absorb_slowly(f, own.held, items + whole, count - whole, index + whole);
  }
};

template <class Item>
requires(std::is_integral_v<Item> &&
         sizeof(Item) <= 4) struct item_loop<integer_norm1_fold<Item>, Item> {
  using fold = integer_norm1_fold<Item>;
  using lane = std::conditional_t<std::is_same_v<Item, bool>, std::uint8_t, Item>;

  HWY_INLINE static void add(const fold& f, partial<fold, Item>& own, const Item* items,
                             std::int64_t count, std::int64_t index, std::ptrdiff_t ahead) {
    const std::int64_t whole = count / 64 * 64;
    own.held += sum_magnitudes(reinterpret_cast<const lane*>(items), whole, ahead_in_order(ahead));
    if (whole < count) absorb_slowly(f, own.held, items + whole, count - whole, index + whole);
  }
};

template <class Item>
std::int64_t add_factors(member_folder& base, const void* left, const void* right,
                         std::int64_t count) {
  using pair = item_pair<Item, Item>;
  using fold = integer_dot_fold<Item, Item>;
  auto& own = static_cast<folder<fold, pair>&>(base);
  constexpr std::int64_t block = 1 << 14;
  const std::int64_t whole = count / 64 * 64;
  const auto* const x = static_cast<const Item*>(left);
  const auto* const y = static_cast<const Item*>(right);
  for (std::int64_t at = 0; at < whole; at += block) {
    const std::int64_t n = whole - at < block ? whole - at : block;
    const uint256 sum = dot_factors(x + at, y + at, n, ahead_in_order(own.ahead()));
    own.part.held = own.fold.combine(own.part.held, sum);
  }
  return whole;
}

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
  return wide_sum_of_lanes(d32, hn::Add(sum, more));
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

/// Shorts of items, of bytes products of two, which fit: items or 2 items a lane.
template <class D, class Item>
HWY_INLINE hn::Vec<D> short_products(D d, const Item* items) {
  if constexpr (sizeof(Item) == 2) {
    return hn::LoadU(d, items);
  } else if constexpr (std::is_unsigned_v<Item>) {
    const auto both = hn::BitCast(d, hn::LoadU(hn::Repartition<Item, D>(), items));
    return hn::Mul(hn::And(both, hn::Set(d, 0xff)), hn::ShiftRight<8>(both));
  } else {
    const hn::Rebind<Item, D> narrow;
    return hn::Mul(hn::PromoteTo(d, hn::LoadU(narrow, items)),
                   hn::PromoteTo(d, hn::LoadU(narrow, items + hn::Lanes(d))));
  }
}

/// The product modulo 2^64 of small integers (a multiple of 128): items meet in lanes of twice their bits, and so do
/// those products, until lanes have 64 bits. Signed shorts by an instruction that adds two products, one of which is 0:
/// it takes no shifts.
template <class Item>
HWY_INLINE std::uint64_t product_of_block(const Item* items, std::int64_t count,
                                          std::ptrdiff_t ahead) {
  constexpr bool is_signed = std::is_signed_v<Item>;
  const hn::CappedTag<std::conditional_t<is_signed, std::int16_t, std::uint16_t>, 32> d;
  const hn::RepartitionToWide<decltype(d)> d32;
  const hn::Repartition<std::uint64_t, decltype(d)> d64;
  const auto n = static_cast<std::int64_t>(hn::Lanes(d)) * (sizeof(Item) == 1 ? 2 : 1);
  const auto lower = hn::BitCast(d, hn::Set(d32, 0xffff));
  const auto upper_half = [&](auto x) HWY_ATTR {
    return hn::BitCast(d32, hn::ShiftRight<32>(hn::BitCast(d64, x)));
  };
  const auto neighbours = [&](auto x) HWY_ATTR {
    return hn::Mul(hn::BitCast(d32, hn::And(x, lower)), hn::ShiftRight<16>(hn::BitCast(d32, x)));
  };
  auto first = hn::Set(d64, 1), second = first;
  for (std::int64_t at = 0; at < count; at += 2 * n) {
    prefetch_ahead<2 * vector_bytes>(items + at, ahead);
    const auto x = short_products(d, items + at), y = short_products(d, items + at + n);
    const auto none = hn::Zero(d32);
    auto a = none, b = none;
    [[maybe_unused]] auto unused = none;
    if constexpr (is_signed) {
      a = hn::ReorderWidenMulAccumulate(d32, x, hn::And(y, lower), none, unused);
      b = hn::ReorderWidenMulAccumulate(d32, x, hn::AndNot(lower, y), none, unused);
    } else {
      a = neighbours(x);
      b = neighbours(y);
    }
    first = hn::Mul(first, hn::BitCast(d64, hn::MulEven(a, b)));
    second = hn::Mul(second, hn::BitCast(d64, hn::MulEven(upper_half(a), upper_half(b))));
  }
  alignas(64) std::uint64_t lanes[8];
  hn::Store(hn::Mul(first, second), d64, lanes);
  std::uint64_t out = 1;
  for (std::size_t i = 0; i < hn::Lanes(d64); ++i) out *= lanes[i];
  return out;
}

/// A product that is 0 modulo 2^64 stays so, whatever follows.
template <class Item>
struct item_loop<integer_product_fold<Item>, Item> {
  using fold = integer_product_fold<Item>;

  HWY_INLINE static void add(const fold& f, partial<fold, Item>& own, const Item* items,
                             std::int64_t count, std::int64_t index, std::ptrdiff_t ahead) {
    if (own.held == 0) return;
    std::int64_t whole = 0;
    if constexpr (sizeof(Item) <= 2 && !std::is_same_v<Item, bool>) {
      whole = count / 128 * 128;
      if (whole > 0) own.held *= product_of_block(items, whole, ahead_in_order(ahead));
    }
    if (whole < count) f.absorb_run(own.held, items + whole, count - whole, index + whole);
  }
};

#endif  // not the portable targets

namespace {

member_folder::loop find(const member_request& what) {
  using enum family;
  return loop_of<items_of::integers, sum, product, moments, norm1, norm2, dot, bit_and, bit_or,
                 bit_xor>(what);
}

member_folder::apart_loop find_apart([[maybe_unused]] const member_request& what) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  switch (what.type) {
    case dtype::int8: return add_factors<std::int8_t>;
    case dtype::int16: return add_factors<std::int16_t>;
    case dtype::int32: return add_factors<std::int32_t>;
    case dtype::int64: return add_factors<std::int64_t>;
    case dtype::uint8: return add_factors<std::uint8_t>;
    case dtype::uint16: return add_factors<std::uint16_t>;
    case dtype::uint32: return add_factors<std::uint32_t>;
    case dtype::uint64: return add_factors<std::uint64_t>;
    default: break;
  }
#endif
  return nullptr;
}

}  // namespace
}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
MONOFOLD_EXPORT_LOOPS(find_integer_loop)
namespace monofold::runtime {
member_folder::apart_loop find_integer_apart_loop(const member_request& what) {
  return MONOFOLD_CHOOSE_LOOP(find_apart)(what);
}
}  // namespace monofold::runtime
#endif
