/// runtime/c_axis: the call of monofold.h that reduces axes.

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/axis_reducer.hpp"
#include "runtime/c_boundary.hpp"

namespace runtime = monofold::runtime;
using monofold::runtime::operation;
using namespace monofold::runtime::c_boundary;  // NOLINT: this file is a call of it

namespace {

monofold::axis_numbers numbers_of(const int64_t* numbers, int32_t count) {
  if (count < 0 || count > monofold::max_axes || (numbers == nullptr && count > 0)) refuse();
  return std::span<const std::int64_t>(numbers, static_cast<std::size_t>(count));
}

/// The answer of a row, as `monofold_reduce` gives it.
runtime::answer answer_of_row(const runtime::axis_answers& all, std::int64_t row) {
  runtime::answer out{all.arrays.front().op};
  for (const runtime::answer_array& part : all.arrays) {
    if (part.name == "index") {
      out.indices.push_back(std::get<std::int64_t>(part.at(row)));
    } else {
      out.values.push_back(part.at(row));
    }
  }
  return out;
}

}  // namespace

monofold_status monofold_reduce_axis(const void* items, monofold_dtype dtype, int32_t rank,
                                     const int64_t* extents, const int64_t* strides,
                                     const int64_t* axes, int32_t num_axes,
                                     monofold_operation operation, const monofold_options* options,
                                     int64_t capacity, monofold_result* results,
                                     int64_t* num_results) noexcept {
  return guarded([&]() -> monofold_status {
    const runtime::request what = make_request(dtype, &operation, 1, options);
    if (is_ranked(what.ops.front()) || what.ops.front() == runtime::operation::dot) refuse();
    const monofold::axis_numbers sizes = numbers_of(extents, rank);
    const monofold::array_view<char> packed(nullptr, sizes);
    check_items(items, what.type, packed.size());
    if (num_results == nullptr) refuse();
    const runtime::axis_request array{
        items, sizes, strides != nullptr ? numbers_of(strides, rank) : packed.strides(),
        numbers_of(axes, num_axes)};
    *num_results = monofold::rows_of(array.extents, array.strides, array.axes).num_rows;
    if (*num_results > capacity || (results == nullptr && *num_results > 0)) refuse();
    const runtime::axis_answers all = runtime::reduce_axis(what, array);
    if (all.failed_row >= 0) {
      *num_results = all.failed_row;
      return static_cast<monofold_status>(all.failed.front().code);
    }
    for (std::int64_t row = 0; row < all.num_rows; ++row) {
      results[row] = to_c(answer_of_row(all, row));
    }
    return MONOFOLD_OK;
  });
}
