#pragma once
/// runtime/c_outputs: arrays of one type that calls of monofold.h write answers into.

#include <cstddef>
#include <cstdint>

#include "monofold/platform/dtype.hpp"
#include "monofold/platform/status.hpp"
#include "runtime/c_boundary.hpp"
#include "runtime/typed_answers.hpp"

namespace monofold::runtime::c_boundary {

/// A request for rows, each an array of its own.
inline request request_of_rows(monofold_dtype dtype, monofold_operation operation,
                               const monofold_options* options) {
  request what = make_request(dtype, &operation, 1, options);
  if (what.ops.front() == operation::dot) refuse();
  return what;
}

/// The type that answers to one of the operations are asked for in, which they can be converted to.
inline dtype value_type_for(const request& what, operation op, monofold_dtype value_dtype) {
  if (value_dtype < MONOFOLD_BOOL || value_dtype > MONOFOLD_FLOAT64) refuse();
  const auto type = static_cast<dtype>(value_dtype);
  if (!is_convertible(answer_type(op, what), type)) throw error(status::unsupported);
  return type;
}

inline void check_aligned(const void* array, std::size_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(array) % bytes != 0) refuse();
}

/// The caller's arrays, but for those that the operation does not fill.
inline typed_arrays arrays_of(operation op, dtype type, void* values, void* seconds,
                              std::int64_t* indices, std::int64_t width) {
  const bool has_indices = is_ranked(op) || op == operation::argmin || op == operation::argmax;
  if (!is_pair(op)) seconds = nullptr;
  if (!has_indices) indices = nullptr;
  const auto bytes = static_cast<std::size_t>(monofold::info(type).size_bytes);
  check_aligned(values, bytes);
  check_aligned(seconds, bytes);
  check_aligned(indices, sizeof(std::int64_t));
  return {type, values, seconds, indices, width};
}

/// The same, of which there is one where there are rows.
inline typed_arrays arrays_for(const request& what, operation op, monofold_dtype value_dtype,
                               void* values, void* seconds, std::int64_t* indices,
                               std::int64_t num_rows) {
  const typed_arrays out = arrays_of(op, value_type_for(what, op, value_dtype), values, seconds,
                                     indices, is_ranked(op) ? what.k : 1);
  const bool is_any = out.values != nullptr || out.seconds != nullptr || out.indices != nullptr;
  if (!is_any && num_rows > 0) refuse();
  return out;
}

}  // namespace monofold::runtime::c_boundary
