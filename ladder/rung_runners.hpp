#pragma once
/// ladder/rung_runners: a `rung_runner` of each element type. One source each: they compile side by side.

#include "ladder/device.hpp"

namespace monofold::ladder {

rung_runner* make_int32_rung_runner(const task& what, const void* items);
rung_runner* make_int64_rung_runner(const task& what, const void* items);
rung_runner* make_float32_rung_runner(const task& what, const void* items);
rung_runner* make_float64_rung_runner(const task& what, const void* items);

}  // namespace monofold::ladder
