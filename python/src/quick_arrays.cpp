#include "python/src/quick_arrays.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace monofold::python {

namespace {

// numpy.ndarray, and the dtypes of ours; they stay.
PyTypeObject* packed_type = nullptr;
std::array<PyObject*, MONOFOLD_FLOAT64 + 1> numpy_types{};

/// PyArray_Empty as NumPy's headers declare it: (rank, extents, the dtype, which it takes over, whether columns lie side by
/// side). numpy.empty takes twice as long.
using make_array = PyObject*(int, const Py_ssize_t*, PyObject*, int);
make_array* make_empty = nullptr;

/// An array as NumPy's headers lay it out, for all versions that this package runs with: macros of theirs that
/// compiled modules contain read it so.
struct numpy_layout {
  PyObject_HEAD char* data;
  int rank;
  Py_ssize_t* extents;
  Py_ssize_t* strides;
  PyObject* base;
  PyObject* type;
  int flags;

  static constexpr int is_packed = 0x1;
  static constexpr int is_aligned = 0x100;
  static constexpr int is_writable = 0x400;
};
bool has_layout = false;  // what arrays were seen to have at import

const numpy_layout& layout_of(PyObject* array) {
  return *reinterpret_cast<const numpy_layout*>(array);
}

/// Formats of the buffer protocol by types of items.
constexpr std::array<const char*, MONOFOLD_FLOAT64 + 1> formats{
    "?", "b", "h", "i", "l", "B", "H", "I", "L", "e", nullptr, "f", "d"};

/// The type of ours that NumPy has as this object; -1: none.
monofold_dtype dtype_of(PyObject* type) {
  for (std::size_t i = numpy_types.size(); i-- > 0;) {
    if (numpy_types[i] == type) return static_cast<monofold_dtype>(i);
  }
  return -1;
}

}  // namespace

bool show_numpy(PyObject* object, int flags, Py_buffer& view) {
  if (!has_layout || Py_TYPE(object) != packed_type) return false;
  const numpy_layout& own = layout_of(object);
  const int wanted =
      numpy_layout::is_aligned |
      ((flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS ? numpy_layout::is_packed : 0) |
      ((flags & PyBUF_WRITABLE) != 0 ? numpy_layout::is_writable : 0);
  const monofold_dtype dtype = dtype_of(own.type);
  if ((own.flags & wanted) != wanted || dtype < 0 ||
      formats[static_cast<std::size_t>(dtype)] == nullptr) {
    return false;
  }
  view.buf = own.data;
  view.itemsize = bytes_of(dtype);
  view.ndim = own.rank;
  view.shape = own.extents;
  view.strides = own.strides;
  view.format = const_cast<char*>(formats[static_cast<std::size_t>(dtype)]);
  view.len = view.itemsize;
  for (int axis = 0; axis < own.rank; ++axis) view.len *= own.extents[axis];
  return true;
}

bool is_of_packed_type(PyObject* array) { return Py_TYPE(array) == packed_type; }

PyObject* numpy_type(monofold_dtype dtype) {
  PyObject* const type = numpy_types[static_cast<std::size_t>(dtype)];
  return type == Py_None ? nullptr : type;
}

PyObject* new_numpy_array(const std::int64_t* extents, int rank, monofold_dtype dtype) {
  PyObject* const type = numpy_type(dtype);
  if (type == nullptr) return nullptr;
  static_assert(sizeof(Py_ssize_t) == sizeof(std::int64_t));
  return make_empty(rank, reinterpret_cast<const Py_ssize_t*>(extents), Py_NewRef(type), 0);
}

namespace {

/// Whether an array is laid out as we believe, as far as the protocol tells.
bool is_laid_out(nb::handle array, bool is_packed, bool is_writable) {
  const numpy_layout& own = layout_of(array.ptr());
  Py_buffer view;
  if (PyObject_GetBuffer(array.ptr(), &view, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return false;
  }
  const monofold_dtype dtype = dtype_of(own.type);
  const bool is_so = own.data == view.buf && own.rank == view.ndim &&
                     std::equal(view.shape, view.shape + view.ndim, own.extents) &&
                     std::equal(view.strides, view.strides + view.ndim, own.strides) &&
                     own.type == array.attr("dtype").ptr() && dtype >= 0 &&
                     dtype == dtype_of_format(view.format, view.itemsize) &&
                     (own.flags & numpy_layout::is_aligned) != 0 &&
                     ((own.flags & numpy_layout::is_packed) != 0) == is_packed &&
                     ((own.flags & numpy_layout::is_writable) != 0) == is_writable;
  PyBuffer_Release(&view);
  return is_so;
}

/// The same of arrays that differ in all of it.
bool are_laid_out() {
  for (std::size_t i = 0; i < numpy_types.size(); ++i) {
    if (formats[i] == nullptr) continue;
    const std::int64_t extents[] = {2, 3};
    const nb::object made = nb::steal(new_numpy_array(extents, 2, static_cast<monofold_dtype>(i)));
    if (!made.is_valid() || !is_laid_out(made, true, true)) return false;
    if (!is_laid_out(made.attr("T"), false, true)) return false;
    made.attr("setflags")(nb::arg("write") = false);
    if (!is_laid_out(made, true, false)) return false;
  }
  return true;
}

}  // namespace

void bind_quick_arrays(nb::module_& core) {
  core.def(
      "set_array_maker", [](nb::type_object packed, nb::sequence types, nb::capsule functions) {
        constexpr int place_of_empty = 184;  // as in all versions
        std::size_t count = 0;
        for (const nb::handle type : types) numpy_types.at(count++) = type.inc_ref().ptr();
        make_empty =
            reinterpret_cast<make_array*>(static_cast<void**>(functions.data())[place_of_empty]);
        packed_type = reinterpret_cast<PyTypeObject*>(packed.inc_ref().ptr());
        has_layout = are_laid_out();
        return has_layout;
      });
}

}  // namespace monofold::python
