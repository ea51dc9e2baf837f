#pragma once
/// runtime/gpu/rows/row_library: what libmonofold finds in the library of kernels for rows, loaded at run time.
///
/// Apart from the kernels for whole arrays: who reduces no rows on a GPU need not have them. The emulated device has
/// both in one library, whose memory they share.

#include <cstdint>
#include <memory>

#include "monofold/platform/dtype.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/platform/version.hpp"
#include "monofold/shape/axes.hpp"
#include "runtime/gpu/rows/key_groups.hpp"
#include "runtime/operation.hpp"

namespace monofold::runtime {

/// What is asked about each row.
struct row_question {
  operation op;
  dtype type;
  dtype to;  // of the answers
  bool omit_nan;
  bool raise_nan;
  bool plain;
  std::int64_t ddof;
  std::int64_t k = 0;  // of top and bottom
};

/// Rows of an array in memory of a GPU, or segments of one: `starts` is not null then, and lies there too.
struct device_row_items {
  const void* first;
  array_rows rows;
  std::int64_t num_items = 0;  // of the array that has segments
  const std::int64_t* starts = nullptr;
  const std::int64_t* stops = nullptr;
  std::int64_t num_segments = 0;
};

/// Memory that the device writes; null: nobody wants it. Top and bottom write k numbers a row.
struct device_row_outputs {
  void* values;
  void* seconds;  // of pairs, such as the largest items of minmax
  std::int64_t* indices;
};

/// The first row without an answer; -1: each has one.
struct row_failure {
  status code = status::ok;
  std::int64_t row = -1;
};

/// Whether there is a kernel for it.
bool has_device_rows(const row_question& what);

/// Starts what answers a question about rows, in a stream (a cudaStream_t) of the current device.
///
/// shape      one row at least
/// order      the bits of a row are those of a `reducer` that gets its items
/// sync       does not wait, but where `waits`: it tells what failed then. Nothing of a row that failed is written
/// errors     throws `error`: invalid_argument: memory that is not the current device's, a stream that is being
///            captured; unsupported, out_of_memory, device_unavailable, internal
/// tested by  tests/runtime/device_rows_test.cpp, tests/runtime/gpu_test.cpp
row_failure start_device_rows(const row_question& what, const device_row_items& items,
                              const device_row_outputs& out, void* stream, bool waits);

/// Memory of the current device.
std::shared_ptr<void> make_device_memory(std::int64_t bytes);

struct row_library {
  const char* version = monofold::version;  // a library of another one is not used
  decltype(&runtime::has_device_rows) has_device_rows = &runtime::has_device_rows;
  decltype(&runtime::start_device_rows) start_device_rows = &runtime::start_device_rows;
  decltype(&runtime::make_device_memory) make_device_memory = &runtime::make_device_memory;
  decltype(&runtime::group_keys) group_keys = &runtime::group_keys;
};

/// The name of the function without arguments that returns a `const row_library*`.
inline constexpr char row_library_symbol[] = "monofold_row_library";

}  // namespace monofold::runtime
