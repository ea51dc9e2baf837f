#pragma once
/// python/src/quick_arrays: arrays of NumPy, seen and made by few steps.

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>

#include "monofold/monofold.h"
#include "python/src/array.hpp"
#include "python/src/exchange.hpp"
#include "python/src/gather.hpp"

namespace monofold::python {

/// What an array of NumPy's own type would show by the buffer protocol, read from where NumPy keeps it; false: it would
/// show nothing, or is of a type of items that only the protocol tells.
///
/// sync       shape and strides are the array's own: read under the interpreter's lock
bool show_numpy(PyObject* object, int flags, Py_buffer& view);

/// What an object shows by the buffer protocol, which is given back.
struct shown {
  Py_buffer view{};
  bool is_there = false;

  shown(PyObject* object, int flags) {
    if (show_numpy(object, flags, view)) {
      is_there = true;
    } else if (PyObject_GetBuffer(object, &view, flags) == 0) {
      is_there = is_lent_ = true;
    } else {
      PyErr_Clear();
    }
  }
  shown(const shown&) = delete;
  shown& operator=(const shown&) = delete;
  ~shown() {
    if (is_lent_) PyBuffer_Release(&view);
  }

 private:
  bool is_lent_ = false;
};

inline bool is_aligned(const packed_items& items) {
  const auto item_bytes = static_cast<std::size_t>(bytes_of(items.dtype));
  return reinterpret_cast<std::uintptr_t>(items.data) % item_bytes == 0;
}

/// Whether an array is of NumPy's own type: its subclasses may mean something else by their memory.
bool is_of_packed_type(PyObject* array);

/// Calls use(items, view) with those of an array of NumPy's own type; false: they are misaligned, not next to each
/// other, or of no type of ours, or bool but neither 0 nor 1.
template <class Use>
bool with_items_of(PyObject* array, const Use& use) {
  if (!is_of_packed_type(array)) return false;
  const shown all(array, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT);
  packed_items items;
  if (all.is_there) items.dtype = dtype_of_format(all.view.format, all.view.itemsize);
  if (items.dtype < 0) return false;  // such items may have no bytes
  items.data = all.view.buf;
  items.count = all.view.len / all.view.itemsize;
  if (items.dtype == MONOFOLD_BOOL && has_other_bools(items.data, items.count)) return false;
  return is_aligned(items) && use(items, all.view);
}

/// NumPy's name of a type; null: it has none.
PyObject* numpy_type(monofold_dtype dtype);

/// A new array of NumPy; null: there is none, and perhaps an exception.
PyObject* new_numpy_array(const std::int64_t* extents, int rank, monofold_dtype dtype);

/// A new array that fill(memory) fills; null: it did not, or there is none.
template <class Fill>
PyObject* filled_array(const std::int64_t* extents, int rank, monofold_dtype dtype,
                       const Fill& fill) {
  PyObject* const made = new_numpy_array(extents, rank, dtype);
  if (made == nullptr) return nullptr;
  {
    const shown memory(made, PyBUF_WRITABLE);
    if (memory.is_there && fill(memory.view.buf) == MONOFOLD_OK) return made;
  }
  Py_DECREF(made);
  return nullptr;
}

void bind_quick_arrays(nb::module_& core);

}  // namespace monofold::python
