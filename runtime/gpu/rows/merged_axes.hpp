#pragma once
/// runtime/gpu/rows/merged_axes: rows of several axes that memory does not walk as one, copied so that it does.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>

#include "monofold/platform/dtype.hpp"
#include "monofold/shape/axes.hpp"

namespace monofold::runtime {

/// Items in device memory of which rows have one axis.
struct merged_items {
  std::shared_ptr<void> first;
  array_rows rows;
};

/// Copies the items of an array, so that the reduced axes lie behind each other. Kept axes whose rows are nearer to each
/// other than the items of a row are stay so.
///
/// shape      some items; bytes a number of them: 1, 2, 4 or 8
/// order      items of a row keep their order, and rows their places in the result
/// sync       does not wait; the memory is given back in the order of the stream
/// errors     throws `error`: out_of_memory
/// cost       reads and writes the array once; memory for a copy of it
/// tested by  tests/runtime/device_rows_test.cpp, tests/gpu/far_axes_test.cu
merged_items merge_axes(const void* first, dtype type, const array_rows& rows, cudaStream_t stream,
                        int device);

}  // namespace monofold::runtime
