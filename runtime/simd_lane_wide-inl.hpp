/// runtime/simd_lane_wide-inl: items of other types as those that lanes take.

// Included once for each instruction set: see highway's foreach_target.h.
#if defined(MONOFOLD_RUNTIME_SIMD_LANE_WIDE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MONOFOLD_RUNTIME_SIMD_LANE_WIDE_INL
#undef MONOFOLD_RUNTIME_SIMD_LANE_WIDE_INL
#else
#define MONOFOLD_RUNTIME_SIMD_LANE_WIDE_INL
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstdint>

#include "monofold/platform/numbers.hpp"
#include "runtime/simd_lane_tags-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

/// Compilers make vectors of these.
template <class Real, class Item>
HWY_INLINE void widen_all(const void* items, std::int64_t count, void* to) {
  const auto* const from = static_cast<const Item*>(items);
  auto* const out = static_cast<Real*>(to);
  for (std::int64_t i = 0; i < count; ++i) out[i] = static_cast<Real>(from[i]);
}

HWY_INLINE void widen_halves(const void* items, std::int64_t count, void* to) {
  const lane_tag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> half;
  const auto* const from = static_cast<const hwy::float16_t*>(items);
  auto* const out = static_cast<float*>(to);
  std::int64_t i = 0;
  for (; i + lanes_v<float> <= count; i += lanes_v<float>) {
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(half, from + i)), d, out + i);
  }
  if (i < count) widen_all<float, float16>(from + i, count - i, out + i);
}

HWY_INLINE void widen_upper_halves(const void* items, std::int64_t count, void* to) {
  const auto* const from = static_cast<const std::uint16_t*>(items);
  auto* const out = static_cast<std::uint32_t*>(to);
  for (std::int64_t i = 0; i < count; ++i) out[i] = std::uint32_t{from[i]} << 16;
}

/// See `lane_loops`.
static HWY_NOINLINE void widen_items(dtype type, const void* items, std::int64_t count, void* to) {
  switch (type) {
    case dtype::boolean:
    case dtype::uint8: return widen_all<float, std::uint8_t>(items, count, to);
    case dtype::int8: return widen_all<float, std::int8_t>(items, count, to);
    case dtype::uint16: return widen_all<float, std::uint16_t>(items, count, to);
    case dtype::int16: return widen_all<float, std::int16_t>(items, count, to);
    case dtype::float16: return widen_halves(items, count, to);
    case dtype::bfloat16: return widen_upper_halves(items, count, to);
    case dtype::uint32: return widen_all<double, std::uint32_t>(items, count, to);
    default: return widen_all<double, std::int32_t>(items, count, to);
  }
}

#endif  // not the portable targets

}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MONOFOLD_RUNTIME_SIMD_LANE_WIDE_INL
