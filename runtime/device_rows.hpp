#pragma once
/// runtime/device_rows: rows and segments of arrays in memory of a GPU, reduced there, answers left there.

#include <vector>

#include "monofold/shape/axes.hpp"
#include "runtime/axis_reducer.hpp"
#include "runtime/gpu/rows/key_groups.hpp"
#include "runtime/gpu/rows/row_library.hpp"
#include "runtime/reducer.hpp"
#include "runtime/segment_reducer.hpp"
#include "runtime/typed_answers.hpp"

namespace monofold::runtime {

// The first three calls, of a request for one operation:
//
// shape      items, bounds of segments and arrays for answers in memory of a GPU, or managed memory
// order      the bits of a row are those that typed_keeper has of `row_reducer`, rounded for `out.type`
// sync       in `stream`, a cudaStream_t of the current device. Waits only where a row may be without an answer:
//            then, and only then, one is told; nothing of it is written
// errors     throws `error`: device_unavailable; unsupported: an operation or a type of answers for which there is
//            no kernel; invalid_argument: memory of the host; out_of_memory: several axes apart in memory are copied
// tested by  tests/runtime/device_rows_test.cpp, tests/runtime/gpu_test.cpp

row_failure reduce_rows_on_device(const request& what, const void* first, const array_rows& rows,
                                  const typed_arrays& out, void* stream);

/// Waits, since ends of segments may be wrong: the first such one is told with invalid_argument.
row_failure reduce_segments_on_device(const request& what, const segment_request& segments,
                                      const typed_arrays& out, void* stream);

/// As groups.reduce, for items in memory of the device of the keys.
///
/// sync       in the stream of the keys
row_failure reduce_groups_on_device(const request& what, const key_groups& groups,
                                    const void* items, const typed_arrays& out);

/// Fills the arrays of answers about an array in host memory, all of which is brought to the device; false: a row has
/// no answer, and the arrays hold anything.
///
/// errors     as above, and out_of_memory; names the operation that has no kernel
bool answer_rows_by_device(const request& what, const axis_request& array, const array_rows& rows,
                           std::vector<answer_array>& arrays);

}  // namespace monofold::runtime
