/// runtime/integer_loops: sums, products, moments, norms and bits of integers.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/integer_loops.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstdint>

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
namespace monofold::runtime {

HWY_EXPORT(find);

member_folder::loop find_integer_loop(const member_request& what) {
  return HWY_DYNAMIC_DISPATCH(find)(what);
}

}  // namespace monofold::runtime
#endif
