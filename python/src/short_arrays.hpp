#pragma once
/// python/src/short_arrays: one operation on arrays of a few tiles, where making a reducer is half of the time.

#include <array>
#include <atomic>
#include <cstdint>

#include "monofold/monofold.h"
#include "runtime/row_reducer.hpp"

namespace monofold::python {

/// A reducer of rows for each type of item, made when the first array of the type comes and used by all others.
///
/// sync       any number of threads
class short_arrays {
 public:
  short_arrays(monofold_operation operation, const monofold_options& options)
      : operation_(operation), options_(options) {}
  short_arrays(const short_arrays&) = delete;
  short_arrays& operator=(const short_arrays&) = delete;
  ~short_arrays();

  /// The bits of monofold_reduce; false: there is no answer, or it is not for this class to find it.
  bool reduce(const void* items, monofold_dtype dtype, std::int64_t count,
              monofold_result* result) noexcept;

 private:
  const runtime::row_reducer& reducer_of(monofold_dtype dtype);

  monofold_operation operation_;
  monofold_options options_;
  std::array<std::atomic<const runtime::row_reducer*>, MONOFOLD_FLOAT64 + 1> made_{};
};

}  // namespace monofold::python
