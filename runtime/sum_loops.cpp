/// runtime/sum_loops: plain sums, products, moments and norms of floats, tile by tile.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/sum_loops.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "runtime/loops-inl.hpp"
#include "runtime/simd_columns-inl.hpp"
#include "runtime/simd_sums-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

namespace {

member_folder::loop find(const member_request& what) {
  using enum family;
  return loop_of<items_of::floats, plain_sum, product, plain_moments, plain_norm1, plain_norm2,
                 plain_dot>(what);
}

}  // namespace
}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
MONOFOLD_EXPORT_LOOPS(find_sum_loop)
#endif
