#pragma once
/// python/src/operation: the callable type of mf.sum and its like: packed arrays without a detour through Python.

#include <nanobind/nanobind.h>

namespace monofold::python {

void bind_operation(nanobind::module_& core);

}  // namespace monofold::python
