#include "python/src/answers.hpp"

#include <nanobind/stl/string.h>

#include <new>
#include <stdexcept>

#include "python/src/exact_double.hpp"
#include "runtime/gpu/devices.hpp"

namespace monofold::python {

nb::object to_python(const monofold_number& number) {
  switch (number.type) {
    case MONOFOLD_NUMBER_BOOL: return nb::bool_(number.as.boolean);
    case MONOFOLD_NUMBER_INT64: return nb::int_(number.as.int64);
    case MONOFOLD_NUMBER_UINT64: return nb::int_(number.as.uint64);
    case MONOFOLD_NUMBER_FLOAT32: return nb::float_(exact_double(number.as.float32));
    case MONOFOLD_NUMBER_FLOAT64: return nb::float_(number.as.float64);
    default: return nb::none();
  }
}

nb::tuple to_python(const monofold_result& result) {
  return nb::make_tuple(result.status, to_python(result.value), to_python(result.second),
                        result.index, result.first_nan);
}

void check_call(monofold_status status) {
  if (status <= MONOFOLD_NAN_FOUND) return;
  if (status == MONOFOLD_OUT_OF_MEMORY) throw std::bad_alloc();
  nb::module_::import_("monofold._errors").attr("raise_status")(status);
  throw std::runtime_error(monofold_status_text(status));
}

void bind_answers(nb::module_& core) {
  nb::class_<how>(core, "how", "How to compute.")
      .def(
          "__init__",
          [](how* self, monofold_nan_policy nan, bool plain, std::int64_t ddof, std::int64_t k,
             std::int32_t threads) {
            new (self) how{{nan, plain ? 1 : 0, threads, ddof, k}};
          },
          nb::arg("nan") = 0, nb::arg("plain") = false, nb::arg("ddof") = 0, nb::arg("k") = 10,
          nb::arg("threads") = 0)
      .def_prop_ro("k", [](const how& self) { return self.options.k; });
  core.def("status_text", &monofold_status_text);
  core.def("version", &monofold_version);
  core.def("instruction_set", &monofold_instruction_set);
  core.def("gpu", [] {
    const runtime::gpu_devices& gpus = runtime::find_gpus();
    return gpus.devices.empty() ? "none: " + gpus.why_none : gpus.devices.front().name;
  });
}

}  // namespace monofold::python
