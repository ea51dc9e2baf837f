#pragma once
/// python/src/arrow: columns by the Arrow C data interface, nulls as absent items.

#include "python/src/array.hpp"

namespace monofold::python {

/// (code of the type, [(items, mask or None), ...]) of an object's __arrow_c_array__ or __arrow_c_stream__.
///
/// cost       numbers are not copied; bits of truth and of validity become bytes
/// errors     TypeError: columns that are not of numbers or truth; ValueError: a stream that fails
nb::tuple from_arrow_array(nb::object schema, nb::object array);
nb::tuple from_arrow_stream(nb::object stream);

void bind_arrow(nb::module_& core);

}  // namespace monofold::python
