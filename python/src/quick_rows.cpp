#include "python/src/quick_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "python/src/answers.hpp"
#include "python/src/array.hpp"
#include "python/src/dlpack.hpp"
#include "python/src/exchange.hpp"
#include "python/src/gather.hpp"
#include "python/src/quick_arrays.hpp"
#include "runtime/answers.hpp"
#include "runtime/axis_reducer.hpp"
#include "runtime/segment_reducer.hpp"

namespace monofold::python {

namespace {

constexpr int most_axes = 8;

bool is_readable(const Py_buffer& view) {
  const auto bytes = static_cast<std::size_t>(view.itemsize);
  if (view.len == 0 || view.len > piece_bytes || view.ndim < 1 || view.ndim > most_axes ||
      reinterpret_cast<std::uintptr_t>(view.buf) % bytes != 0) {
    return false;
  }
  return std::all_of(view.strides, view.strides + view.ndim,
                     [&](Py_ssize_t step) { return step % view.itemsize == 0; });
}

/// The axes of a call, from 0 on in rising order.
struct axis_list {
  std::int64_t axes[most_axes];
  int count = 0;

  bool has(int axis) const { return std::find(axes, axes + count, axis) != axes + count; }
};

/// The extents of the answers; how many there are.
int extents_of(const Py_buffer& view, const axis_list& reduced, bool keepdims,
               std::int64_t* extents) {
  int rank = 0;
  for (int from = 0; from < view.ndim; ++from) {
    const bool is_reduced = reduced.has(from);
    if (!is_reduced || keepdims) extents[rank++] = is_reduced ? 1 : view.shape[from];
  }
  return rank;
}

/// Writes the answers of rows of marked items; rows lie one after the other.
monofold_status fill_marked(quick_call& call, const Py_buffer& view, monofold_dtype dtype,
                            const char* marks, std::int64_t num_rows, const row_arrays& out) {
  alignas(8) char kept[items_without_lock * 8];
  std::memcpy(kept, view.buf, static_cast<std::size_t>(view.len));
  const std::int64_t count = view.len / view.itemsize;
  return call.shorts().fill_rows(dtype, out, [&](const auto& reducer, auto& keeper) {
    const marked_rows rows(kept, view.itemsize, marks, num_rows, count / num_rows);
    runtime::segment_reducer(reducer,
                             {kept, count, rows.starts.data(), rows.stops.data(), num_rows})
        .fold(keeper);
    if (out.indices != nullptr && keeper.code() == status::ok) rows.count_others(out.indices, 1);
  });
}

monofold_status fill(quick_call& call, const Py_buffer& view, monofold_dtype dtype,
                     const axis_list& reduced, const char* marks, monofold_dtype answer_dtype,
                     void* answers) {
  std::int64_t extents[most_axes], strides[most_axes];
  std::int64_t num_rows = 1;
  for (int i = 0; i < view.ndim; ++i) {
    extents[i] = view.shape[i];
    strides[i] = view.strides[i] / view.itemsize;
    if (!reduced.has(i)) num_rows *= extents[i];
  }
  const row_arrays out(call.code(0), answer_dtype, answers);
  if (marks != nullptr) return fill_marked(call, view, dtype, marks, num_rows, out);
  if (view.len / view.itemsize < items_without_lock) {
    const auto numbers = [](const std::int64_t* first, int count) {
      return axis_numbers(std::span<const std::int64_t>(first, static_cast<std::size_t>(count)));
    };
    return call.shorts().fill_rows(dtype, out, [&](const auto& rows, auto& keeper) {
      runtime::reduce_rows(rows, view.buf,
                           rows_of(numbers(extents, view.ndim), numbers(strides, view.ndim),
                                   numbers(reduced.axes, reduced.count)),
                           keeper);
    });
  }
  const monofold_options options = call.options_now();
  monofold_status how = MONOFOLD_INTERNAL;
  Py_BEGIN_ALLOW_THREADS how = monofold_reduce_axis_into(
      view.buf, dtype, view.ndim, extents, strides, reduced.axes, reduced.count, call.code(0),
      &options, answer_dtype, out.values, nullptr, out.indices, num_rows, nullptr);
  Py_END_ALLOW_THREADS return how;
}

/// An axis from 0 on; -1: it is none, or no integer.
std::int64_t place_of(PyObject* axis, std::int64_t rank) {
  if (!PyLong_CheckExact(axis)) return -1;
  int is_beyond = 0;
  std::int64_t place = PyLong_AsLongLongAndOverflow(axis, &is_beyond);
  if (place < 0) place += rank;
  return is_beyond == 0 && place >= 0 && place < rank ? place : -1;
}

/// False: they are none.
bool read_axes(PyObject* axis, int rank, axis_list& to) {
  if (axis == nullptr || axis == Py_None) {
    for (; to.count < rank; ++to.count) to.axes[to.count] = to.count;
    return true;
  }
  const bool are_several = PyTuple_CheckExact(axis) != 0;
  const Py_ssize_t count = are_several ? PyTuple_Size(axis) : 1;
  if (count > rank) return false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    const std::int64_t place = place_of(are_several ? PyTuple_GetItem(axis, i) : axis, rank);
    if (place < 0 || to.has(static_cast<int>(place))) return false;
    to.axes[to.count++] = place;
  }
  std::sort(to.axes, to.axes + to.count);
  return true;
}

}  // namespace

PyObject* reduce_rows_there(quick_call& call, const row_types& types, PyObject* array,
                            PyObject* axis) {
  array_there items;
  const bool is_axis = PyLong_CheckExact(axis) || PyTuple_CheckExact(axis);
  if (!is_axis || !look_at_there(array, items)) return nullptr;
  const dl_tensor& tensor = items.tensor;
  const monofold_dtype dtype = known_dtype(tensor.type);
  axis_list reduced;
  if (dtype < 0 || types.of(dtype) < 0 || tensor.rank > most_axes ||
      !read_axes(axis, tensor.rank, reduced) || reduced.count == 0) {
    return nullptr;
  }
  std::int64_t strides[most_axes], kept[most_axes], step = 1, num_rows = 1;
  int num_kept = 0;
  for (std::int32_t i = 0; i < tensor.rank; ++i) {
    if (reduced.has(i)) continue;
    kept[num_kept++] = tensor.extents[i];
    num_rows *= tensor.extents[i];
  }
  for (std::int32_t i = tensor.rank; i-- > 0;) {
    strides[i] = tensor.strides != nullptr ? tensor.strides[i] : step;
    step *= tensor.extents[i];
  }
  const char* const first = static_cast<const char*>(tensor.data) + tensor.byte_offset;
  if (step == 0 || reinterpret_cast<std::uintptr_t>(first) % bytes_of(dtype) != 0) return nullptr;
  const monofold_dtype answer_dtype = types.of(dtype);
  void* memory = nullptr;
  nb::object made = new_array_beside(items, kept, num_kept,
                                     row_arrays::dtype_of(call.code(0), answer_dtype), memory);
  if (!made.is_valid()) {
    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_Exception)) PyErr_Clear();
    return nullptr;
  }
  const row_arrays out(call.code(0), answer_dtype, memory);
  const monofold_options options = call.options_now();
  monofold_status how = MONOFOLD_INTERNAL;
  Py_BEGIN_ALLOW_THREADS how = monofold_reduce_axis_on_device(
      first, dtype, tensor.rank, tensor.extents, strides, reduced.axes, reduced.count, call.code(0),
      &options, answer_dtype, out.values, nullptr, out.indices, num_rows, items.stream, nullptr);
  Py_END_ALLOW_THREADS return how == MONOFOLD_OK ? made.release().ptr() : nullptr;
}

namespace {

/// How many bytes of answers wait until all of them are there.
constexpr Py_ssize_t most_waiting = 4096;

/// Fills the caller's array, or leaves it as it is; null: that.
PyObject* fill_out(quick_call& call, const Py_buffer& view, monofold_dtype dtype,
                   const axis_list& reduced, const char* marks, monofold_dtype answer_dtype,
                   const asked_rows& asked) {
  const shown out(asked.out, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE | PyBUF_FORMAT);
  std::int64_t extents[most_axes];
  const int rank = extents_of(view, reduced, asked.keepdims, extents);
  if (!out.is_there || out.view.len > most_waiting ||
      dtype_of_format(out.view.format, out.view.itemsize) !=
          row_arrays::dtype_of(call.code(0), answer_dtype) ||
      !std::equal(extents, extents + rank, out.view.shape, out.view.shape + out.view.ndim)) {
    return nullptr;
  }
  alignas(16) std::byte answers[most_waiting];
  if (fill(call, view, dtype, reduced, marks, answer_dtype, answers) != MONOFOLD_OK) {
    return nullptr;
  }
  std::memcpy(out.view.buf, answers, static_cast<std::size_t>(out.view.len));
  return Py_NewRef(asked.out);
}

/// A number of a type as Python's.
PyObject* number_at(const std::byte* from, monofold_dtype dtype) {
  return visit_dtype(static_cast<monofold::dtype>(dtype), [&]<class T>() {
    T held;
    std::memcpy(&held, from, sizeof held);
    return to_python(runtime::c_boundary::to_c(runtime::to_number(held))).release().ptr();
  });
}

bool has_other_bools_in(const Py_buffer& view, monofold_dtype dtype) {
  if (dtype != MONOFOLD_BOOL) return false;
  if (PyBuffer_IsContiguous(&view, 'A') != 0) return has_other_bools(view.buf, view.len);
  return has_other_bools(layout{static_cast<const char*>(view.buf),
                                dtype,
                                false,
                                MONOFOLD_HOST,
                                {view.shape, view.shape + view.ndim},
                                {view.strides, view.strides + view.ndim}});
}

/// Whether these say which of few items in rows side by side there are.
bool are_marks(const Py_buffer& mask, const Py_buffer& view, const axis_list& reduced) {
  const bool are_last = reduced.count == 0 || reduced.axes[0] == view.ndim - reduced.count;
  return are_last && view.len / view.itemsize < items_without_lock &&
         PyBuffer_IsContiguous(&view, 'C') != 0 &&
         dtype_of_format(mask.format, mask.itemsize) == MONOFOLD_BOOL &&
         std::equal(view.shape, view.shape + view.ndim, mask.shape, mask.shape + mask.ndim);
}

}  // namespace

PyObject* reduce_rows_quickly(quick_call& call, const row_types& types, PyObject* array,
                              const asked_rows& asked) {
  const shown items(array, PyBUF_STRIDES | PyBUF_FORMAT);
  if (!items.is_there) return nullptr;
  const monofold_dtype dtype = dtype_of_format(items.view.format, items.view.itemsize);
  if (dtype < 0 || !is_readable(items.view) || has_other_bools_in(items.view, dtype))
    return nullptr;
  const monofold_dtype answer_dtype = types.of(dtype, asked.told);
  axis_list reduced;
  if (answer_dtype < 0 || !read_axes(asked.axis, items.view.ndim, reduced)) return nullptr;
  const shown mask(asked.where != nullptr ? asked.where : array, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT);
  const char* marks = nullptr;
  if (asked.where != nullptr) {
    if (!mask.is_there || !are_marks(mask.view, items.view, reduced)) return nullptr;
    marks = static_cast<const char*>(mask.view.buf);
  }
  if (asked.out != nullptr) {
    return fill_out(call, items.view, dtype, reduced, marks, answer_dtype, asked);
  }
  if (!asked.keepdims && (asked.axis == nullptr || asked.axis == Py_None)) {
    alignas(8) std::byte number[8];
    const monofold_status how = fill(call, items.view, dtype, reduced, marks, answer_dtype, number);
    return how == MONOFOLD_OK ? number_at(number, answer_dtype) : nullptr;
  }
  std::int64_t extents[most_axes];
  const int rank = extents_of(items.view, reduced, asked.keepdims, extents);
  return filled_array(  // null: the long way names what is wrong
      extents, rank, row_arrays::dtype_of(call.code(0), answer_dtype), [&](void* answers) {
        return fill(call, items.view, dtype, reduced, marks, answer_dtype, answers);
      });
}

}  // namespace monofold::python
