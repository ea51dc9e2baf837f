#pragma once
/// python/src/scans: beginnings of rows, which a signal can stop.

#include <cstdint>
#include <exception>

#include "monofold/monofold.h"

namespace monofold::python {

/// What monofold_scan is called with.
struct scan_call {
  const void* items;
  monofold_dtype dtype;
  std::int64_t num_rows;
  std::int64_t count;
  bool with_empty;
  monofold_operation operation;
  const monofold_options& options;
  monofold_dtype value_dtype;
  void* values;
  void* seconds;
  std::int64_t* indices;
};

/// As monofold_scan, but that signals are looked at meanwhile; `raised` is what a handler raises: the call has then
/// stopped.
///
/// sync       without the interpreter's lock
monofold_status scan_watched(const scan_call& call, std::int64_t* failed,
                             std::exception_ptr& raised) noexcept;

}  // namespace monofold::python
