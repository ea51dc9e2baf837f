#pragma once
/// python/src/answers: answers of the C interface as Python's numbers, and failures as its exceptions.

#include <nanobind/nanobind.h>

#include <cstdint>

#include "monofold/monofold.h"

namespace monofold::python {

namespace nb = nanobind;

/// A bool, int or float; None where there is no number.
nb::object to_python(const monofold_number& number);

/// (status, value, second, index, first_nan)
nb::tuple to_python(const monofold_result& result);

/// Throws for statuses that say something about the call, not about the data.
void check_call(monofold_status status);

/// How to compute, from Python: (nan, plain, ddof, k, threads).
struct how {
  monofold_options options = MONOFOLD_OPTIONS_INIT;
};

void bind_answers(nb::module_& core);

}  // namespace monofold::python
