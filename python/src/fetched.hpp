#pragma once
/// python/src/fetched: large arrays whose items do not lie next to each other, copied and reduced by all threads.

#include <nanobind/nanobind.h>

namespace monofold::python {

void bind_fetched(nanobind::module_& core);

}  // namespace monofold::python
