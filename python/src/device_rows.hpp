#pragma once
/// python/src/device_rows: answers about rows, segments and groups in memory of a GPU, left there.

#include <nanobind/nanobind.h>

namespace monofold::python {

void bind_device_rows(nanobind::module_& core);

}  // namespace monofold::python
