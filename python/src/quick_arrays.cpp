#include "python/src/quick_arrays.hpp"

#include <array>
#include <cstddef>

namespace monofold::python {

namespace {

// numpy.ndarray, numpy.empty, and the dtypes of ours; they stay.
PyTypeObject* packed_type = nullptr;
PyObject* make_empty = nullptr;
std::array<PyObject*, MONOFOLD_FLOAT64 + 1> numpy_types{};

}  // namespace

bool is_of_packed_type(PyObject* array) { return Py_TYPE(array) == packed_type; }

PyObject* numpy_type(monofold_dtype dtype) {
  PyObject* const type = numpy_types[static_cast<std::size_t>(dtype)];
  return type == Py_None ? nullptr : type;
}

PyObject* new_numpy_array(const std::int64_t* extents, int rank, monofold_dtype dtype) {
  PyObject* const type = numpy_type(dtype);
  if (type == nullptr) return nullptr;
  PyObject* const shape = rank == 1 ? PyLong_FromLongLong(extents[0]) : PyTuple_New(rank);
  if (shape == nullptr) return nullptr;
  for (int i = 0; rank != 1 && i < rank; ++i) {
    PyTuple_SetItem(shape, i, PyLong_FromLongLong(extents[i]));
  }
  PyObject* const made = PyObject_CallFunctionObjArgs(make_empty, shape, type, nullptr);
  Py_DECREF(shape);
  return made;
}

void bind_quick_arrays(nb::module_& core) {
  core.def("set_array_maker", [](nb::type_object packed, nb::object make, nb::sequence types) {
    std::size_t count = 0;
    for (const nb::handle type : types) numpy_types.at(count++) = type.inc_ref().ptr();
    make_empty = make.inc_ref().ptr();
    packed_type = reinterpret_cast<PyTypeObject*>(packed.inc_ref().ptr());
  });
}

}  // namespace monofold::python
