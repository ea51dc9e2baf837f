/// python/src/module: monofold._core, what Python sees of libmonofold.

#include <nanobind/nanobind.h>

#include "python/src/answers.hpp"
#include "python/src/array.hpp"
#include "python/src/arrow.hpp"
#include "python/src/device_rows.hpp"
#include "python/src/dlpack.hpp"
#include "python/src/exchange.hpp"
#include "python/src/fetched.hpp"
#include "python/src/gather.hpp"
#include "python/src/operation.hpp"
#include "python/src/pair_rows.hpp"
#include "python/src/quick_arrays.hpp"
#include "python/src/quick_call.hpp"
#include "python/src/quick_state.hpp"
#include "python/src/reduce.hpp"
#include "python/src/row_states.hpp"
#include "python/src/segments.hpp"
#include "python/src/state.hpp"

NB_MODULE(_core, core) {
  monofold::python::bind_answers(core);
  monofold::python::bind_array(core);
  monofold::python::bind_arrow(core);
  monofold::python::bind_dlpack(core);
  monofold::python::bind_exchange(core);
  monofold::python::bind_state(core);
  monofold::python::bind_reduce(core);
  monofold::python::bind_pair_rows(core);
  monofold::python::bind_row_states(core);
  monofold::python::bind_device_rows(core);
  monofold::python::bind_fetched(core);
  monofold::python::bind_gather(core);
  monofold::python::bind_segments(core);
  monofold::python::bind_quick_arrays(core);
  monofold::python::bind_quick_call(core);
  monofold::python::bind_quick_state(core);
  monofold::python::bind_operation(core);
}
