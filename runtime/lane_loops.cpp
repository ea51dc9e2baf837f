/// runtime/lane_loops: the loops over rows and columns in lanes.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/lane_loops.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "runtime/lanes.hpp"
#include "runtime/simd_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

namespace {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

template <class Op>
void fold_rows_of(const lane_rows& rows, const lane_order& order, const lane_states& out) {
  Op op(order, out);
  fold_lane_rows(op, rows);
}

template <class Op>
void fold_columns_of(const lane_columns& columns, const lane_order& order, const lane_states& out) {
  Op op(order, out);
  fold_lane_columns(op, columns);
}

template <class Op>
lane_loops loops_of() {
  return {fold_rows_of<Op>, fold_columns_of<Op>};
}

template <class Word>
lane_loops best_loops(lane_fold what) {
  return what == lane_fold::best ? loops_of<best_lanes<Word, false>>()
                                 : loops_of<best_lanes<Word, true>>();
}

lane_loops find_lanes(lane_fold what, dtype type) {
  const int bytes = monofold::info(type).size_bytes;
  if (bytes < 4) return {};
  if (what == lane_fold::best || what == lane_fold::first_best) {
    return bytes == 4 ? best_loops<std::int32_t>(what) : best_loops<std::int64_t>(what);
  }
  if (type == dtype::float32) {
    return what == lane_fold::plain_sum ? loops_of<plain_lanes<float>>() : loops_of<exact_floats>();
  }
  if (type != dtype::float64) return {};
  return what == lane_fold::plain_sum ? loops_of<plain_lanes<double>>() : loops_of<exact_doubles>();
}

exact_ratio find_ratio() { return divide_exactly; }

#else

lane_loops find_lanes(lane_fold, dtype) { return {}; }
exact_ratio find_ratio() { return nullptr; }

#endif

}  // namespace
}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace monofold::runtime {

HWY_EXPORT(find_lanes);
HWY_EXPORT(find_ratio);

lane_loops find_lane_loops(lane_fold what, dtype type) {
  return HWY_DYNAMIC_DISPATCH(find_lanes)(what, type);
}
exact_ratio find_exact_ratio() { return HWY_DYNAMIC_DISPATCH(find_ratio)(); }

}  // namespace monofold::runtime
#endif
