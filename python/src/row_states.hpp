#pragma once
/// python/src/row_states: states of all rows of an array's piece, which meet those of other pieces.

#include <nanobind/nanobind.h>

namespace monofold::python {

void bind_row_states(nanobind::module_& core);

}  // namespace monofold::python
