/// runtime/gpu/rows/row_library: starts what answers a question, and the table of this library of kernels.

#include "runtime/gpu/rows/row_library.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>

#include "monofold/platform/status.hpp"
#include "runtime/gpu/rows/merged_axes.hpp"
#include "runtime/gpu/rows/row_pass.hpp"
#include "runtime/gpu/rows/row_room.hpp"

namespace monofold::runtime {

namespace {

std::unique_ptr<row_pass> make_row_pass(row_question what, operation op) {
  what.op = op;
  const row_rules rules{op, what.to, what.ddof, what.omit_nan, what.raise_nan};
  for (const auto make :
       {make_float_row_pass, make_moment_row_pass, make_count_row_pass, make_integer_row_pass,
        make_norm_row_pass, make_product_row_pass, make_logsumexp_row_pass, make_extremum_row_pass,
        make_best_row_pass, make_top_row_pass}) {
    if (auto pass = make(what, rules)) return pass;
  }
  return nullptr;
}

/// Before anything is started.
void check_all_memory(const device_row_items& items, const device_row_outputs& out) {
  int device = 0;
  check_row_call(cudaGetDevice(&device), "cudaGetDevice");
  const std::int64_t num_items = items.starts != nullptr ? items.num_items : items.rows.row_items;
  if (num_items > 0) check_row_memory(items.first, "the array", device);
  check_row_memory(items.starts, "the starts' place", device);
  check_row_memory(items.stops, "the stops' place", device);
  check_row_memory(out.values, "the values' place", device);
  check_row_memory(out.seconds, "the second values' place", device);
  check_row_memory(out.indices, "the indices' place", device);
}

/// Whether the answer for a row is how many items it has, whatever they are.
bool counts_all(const row_question& what) {
  return what.op == operation::count &&
         (!monofold::info(what.type).is_floating || !(what.omit_nan || what.raise_nan));
}

/// So many rows of so many items, each of which is the first one of all.
array_rows repeated_item(const array_rows& rows) {
  axis_numbers extents, strides, axes;
  for (const std::int64_t extent : {rows.num_rows, rows.row_items}) {
    extents.push_back(extent);
    strides.push_back(0);
  }
  axes.push_back(1);
  return rows_of(extents, strides, axes);
}

/// With the place where an extremum is, if that is asked for too.
operation placed(operation op, const std::int64_t* indices) {
  if (indices == nullptr) return op;
  return op == operation::min ? operation::argmin : op == operation::max ? operation::argmax : op;
}

/// Both ends are found one after the other.
operation first_of(operation op) { return op == operation::minmax ? operation::min : op; }

}  // namespace

bool has_device_rows(const row_question& what) {
  return make_row_pass(what, first_of(what.op)) != nullptr;
}

row_failure start_device_rows(const row_question& what, const device_row_items& items,
                              const device_row_outputs& out, void* stream, bool waits) {
  check_all_memory(items, out);
  auto pass = make_row_pass(what, placed(first_of(what.op), out.indices));
  if (pass == nullptr) throw error(status::unsupported);
  row_room room(static_cast<cudaStream_t>(stream));
  device_row_items own = items;
  std::shared_ptr<void> copy;  // given back behind what reads it
  if (items.starts == nullptr && counts_all(what)) {
    own.rows = repeated_item(items.rows);
  } else if (items.starts == nullptr && items.rows.num_reduced > 1 && !pass->reads_apart(items)) {
    const merged_items merged =
        merge_axes(items.first, what.type, items.rows, room.stream(), room.device());
    copy = merged.first;
    own = {merged.first.get(), merged.rows};
  }
  const bool has_two_passes = what.op == operation::minmax;
  row_store store{
      out.values,           has_two_passes ? nullptr : out.seconds,
      out.indices,          waits ? room.failed() : nullptr,
      items.rows.row_items, items.starts,
      items.stops,          static_cast<std::int32_t>(monofold::info(what.to).size_bytes)};
  if (!has_two_passes || out.values != nullptr) pass->start(own, store, room);
  if (has_two_passes && out.seconds != nullptr) {
    pass = make_row_pass(what, placed(operation::max, out.indices));
    if (pass == nullptr) throw error(status::unsupported);
    store.values = out.seconds;
    pass->start(own, store, room);
  }
  return waits ? room.wait() : row_failure{};
}

std::shared_ptr<void> make_device_memory(std::int64_t bytes) {
  void* memory = nullptr;
  check_row_call(cudaMalloc(&memory, static_cast<std::size_t>(bytes)), "cudaMalloc");
  return {memory, [](void* own) { static_cast<void>(cudaFree(own)); }};
}

}  // namespace monofold::runtime

extern "C" __attribute__((visibility("default"))) const monofold::runtime::row_library*
monofold_row_library() {
  static const monofold::runtime::row_library own;
  return &own;
}
