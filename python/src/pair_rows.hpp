#pragma once
/// python/src/pair_rows: inner products along axes.

#include <nanobind/nanobind.h>

namespace monofold::python {

void bind_pair_rows(nanobind::module_& core);

}  // namespace monofold::python
