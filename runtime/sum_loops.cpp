/// runtime/sum_loops: plain sums, products, moments and norms of floats, tile by tile.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/sum_loops.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "runtime/loops-inl.hpp"
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
namespace monofold::runtime {

HWY_EXPORT(find);

member_folder::loop find_sum_loop(const member_request& what) {
  return HWY_DYNAMIC_DISPATCH(find)(what);
}

}  // namespace monofold::runtime
#endif
