#include "python/src/quick_parts.hpp"

#include <cstdint>
#include <exception>

#include "python/src/gather.hpp"
#include "python/src/quick_arrays.hpp"
#include "python/src/scans.hpp"
#include "runtime/rolling_reducer.hpp"
#include "runtime/segment_reducer.hpp"

namespace monofold::python {

namespace {

/// Answers in a new array: of few by work(reducer, keeper), of others by call(out), meanwhile without the lock.
template <class Work, class Call>
PyObject* answers_of(quick_call& own, monofold_dtype items, monofold_dtype answers,
                     std::int64_t count, bool are_few, const Work& work, const Call& call) {
  const monofold_operation op = own.code(0);
  return filled_array(&count, 1, row_arrays::dtype_of(op, answers), [&](void* memory) {
    const row_arrays out(op, answers, memory);
    if (are_few) return own.shorts().fill_rows(items, out, work);
    monofold_status how = MONOFOLD_INTERNAL;
    Py_BEGIN_ALLOW_THREADS how = call(out);
    Py_END_ALLOW_THREADS return how;
  });
}

/// Calls use(first, count) with an array of places; false: it is none.
template <class Use>
bool with_places(PyObject* array, const Use& use) {
  return with_items_of(array, [&](const packed_items& items, const Py_buffer& view) {
    return items.dtype == MONOFOLD_INT64 && view.ndim == 1 &&
           use(static_cast<const std::int64_t*>(items.data), items.count);
  });
}

/// Calls use(starts, stops, count) with the bounds of segments; false: they are not as this needs them.
template <class Use>
bool with_bounds(const asked_segments& asked, const Use& use) {
  using places = const std::int64_t*;
  if (asked.offsets != Py_None) {
    return asked.starts == Py_None && asked.stops == Py_None &&
           with_places(asked.offsets, [&](places first, std::int64_t count) {
             return count > 0 && use(first, first + 1, count - 1);
           });
  }
  return with_places(asked.starts, [&](places starts, std::int64_t count) {
    return with_places(asked.stops, [&](places stops, std::int64_t num_stops) {
      return count == num_stops && use(starts, stops, count);
    });
  });
}

bool is_short_enough(const packed_items& items) {
  return items.count <= piece_bytes / bytes_of(items.dtype);
}

}  // namespace

PyObject* reduce_segments_quickly(quick_call& call, const row_types& types, const char* named,
                                  PyObject* array, const asked_segments& asked) {
  PyObject* made = nullptr;
  with_items_of(array, [&](const packed_items& items, const Py_buffer&) {
    const monofold_dtype answers = types.of(items.dtype, named);
    return answers >= 0 && is_short_enough(items) &&
           with_bounds(asked, [&](const std::int64_t* starts, const std::int64_t* stops,
                                  std::int64_t count) {
             const auto of_few = [&](const runtime::row_reducer& rows, auto& keeper) {
               const runtime::segment_reducer all(rows,
                                                  {items.data, items.count, starts, stops, count});
               if (all.bad_segment() >= 0) runtime::c_boundary::refuse();
               all.fold(keeper);
             };
             const monofold_options options = call.options_now();
             const auto of_many = [&](const row_arrays& out) {
               return monofold_reduce_segments(items.data, items.dtype, items.count, starts, stops,
                                               count, call.code(0), &options, answers, out.values,
                                               nullptr, out.indices, nullptr);
             };
             const bool are_few = items.count < items_without_lock && count < items_without_lock;
             made = answers_of(call, items.dtype, answers, count, are_few, of_few, of_many);
             return made != nullptr;
           });
  });
  return made;
}

namespace {

/// What a signal's handler has raised, as Python's error.
void set_error(const std::exception_ptr& raised) {
  try {
    std::rethrow_exception(raised);
  } catch (nb::python_error& error) {
    error.restore();
  }
}

/// Windows of `length` items; 0: those that grow.
PyObject* windows_of(quick_call& call, const row_types& types, const char* named, PyObject* array,
                     std::int64_t length) {
  PyObject* made = nullptr;
  with_items_of(array, [&](const packed_items& items, const Py_buffer& view) {
    const monofold_dtype answers = types.of(items.dtype, named);
    if (answers < 0 || !is_short_enough(items) || view.ndim != 1 || length > items.count) {
      return false;
    }
    const std::int64_t count = length == 0 ? items.count : items.count - length + 1;
    const auto type = static_cast<monofold::dtype>(answers);
    const auto of_few = [&](const runtime::row_reducer& rows, auto& keeper) {
      runtime::reduce_windows(rows, {items.data, count, length, type}, keeper);
    };
    const monofold_options options = call.options_now();
    std::exception_ptr raised;
    const auto of_many = [&](const row_arrays& out) {
      if (length == 0) {
        std::int64_t failed = -1;
        return scan_watched({items.data, items.dtype, 1, count, false, call.code(0), options,
                             answers, out.values, nullptr, out.indices},
                            &failed, raised);
      }
      return monofold_rolling(items.data, items.dtype, items.count, length, call.code(0), &options,
                              answers, out.values, nullptr, out.indices, nullptr);
    };
    const bool are_few = items.count < items_without_lock;
    made = answers_of(call, items.dtype, answers, count, are_few, of_few, of_many);
    if (raised) set_error(raised);
    return made != nullptr;
  });
  return made;
}

}  // namespace

PyObject* reduce_windows_quickly(quick_call& call, const row_types& types, const char* named,
                                 PyObject* array, PyObject* window) {
  int is_beyond = 0;
  const std::int64_t length =
      PyLong_CheckExact(window) ? PyLong_AsLongLongAndOverflow(window, &is_beyond) : 0;
  return length < 1 ? nullptr : windows_of(call, types, named, array, length);
}

PyObject* scan_quickly(quick_call& call, const row_types& types, const char* named,
                       PyObject* array) {
  return windows_of(call, types, named, array, 0);
}

}  // namespace monofold::python
