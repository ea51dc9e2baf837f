#pragma once
/// python/src/segments: calls on segments and on groups of items.

#include <nanobind/nanobind.h>

namespace monofold::python {

void bind_segments(nanobind::module_& core);

}  // namespace monofold::python
