#pragma once
/// ladder/climbers: the climbers of each element type. One source each: they compile side by side.

#include "ladder/device.hpp"

namespace monofold::ladder {

climber* make_int32_climber(const task& what, const void* items);
climber* make_int64_climber(const task& what, const void* items);
climber* make_float32_climber(const task& what, const void* items);
climber* make_float64_climber(const task& what, const void* items);

}  // namespace monofold::ladder
