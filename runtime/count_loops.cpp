/// runtime/count_loops: how many items are not zero, and how many are NaN.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/count_loops.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "runtime/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

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
