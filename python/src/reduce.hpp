#pragma once
/// python/src/reduce: calls on whole arrays that lie packed, and on axes of any array.

#include <nanobind/nanobind.h>

namespace monofold::python {

void bind_reduce(nanobind::module_& core);

}  // namespace monofold::python
