#pragma once
/// runtime/c_boundary: between the types of monofold.h and those of the runtime, for its calls.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <variant>

#include "monofold/monofold.h"
#include "monofold/platform/dtype.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/shape/keys.hpp"
#include "runtime/gpu/devices.hpp"
#include "runtime/operation.hpp"
#include "runtime/reducer.hpp"

namespace monofold::runtime::c_boundary {

template <class Enum>
constexpr bool same(Enum ours, std::int32_t theirs) {
  return static_cast<std::int32_t>(ours) == theirs;
}
// The two ends and the irregular middle: the numbers between are consecutive on both sides.
static_assert(same(dtype::boolean, MONOFOLD_BOOL) && same(dtype::uint8, MONOFOLD_UINT8) &&
              same(dtype::float16, MONOFOLD_FLOAT16) && same(dtype::float64, MONOFOLD_FLOAT64));
static_assert(same(status::ok, MONOFOLD_OK) && same(status::nan_found, MONOFOLD_NAN_FOUND) &&
              same(status::invalid_argument, MONOFOLD_INVALID_ARGUMENT) &&
              same(status::unsupported, MONOFOLD_UNSUPPORTED) &&
              same(status::device_unavailable, MONOFOLD_DEVICE_UNAVAILABLE) &&
              same(status::out_of_memory, MONOFOLD_OUT_OF_MEMORY) &&
              same(status::internal, MONOFOLD_INTERNAL) &&
              same(status::malformed_state, MONOFOLD_MALFORMED_STATE));
static_assert(same(operation::count, MONOFOLD_COUNT) && same(operation::std, MONOFOLD_STD) &&
              same(operation::minmax, MONOFOLD_MINMAX) && same(operation::top, MONOFOLD_TOP) &&
              same(operation::bottom, MONOFOLD_BOTTOM) &&
              same(operation::nonzero, MONOFOLD_NONZERO) &&
              same(operation::norminf, MONOFOLD_NORMINF) && same(operation::dot, MONOFOLD_DOT) &&
              same(operation::bit_and, MONOFOLD_BIT_AND) &&
              same(operation::nan, MONOFOLD_COUNT_NAN) &&
              same(operation::mean_square, MONOFOLD_MEAN_SQUARE) &&
              same(operation::logsumexp, MONOFOLD_LOGSUMEXP) &&
              same(operation::softmax_denominator, MONOFOLD_SOFTMAX_DENOMINATOR));
static_assert(same(nan_policy::omit, MONOFOLD_NAN_OMIT) &&
              same(nan_policy::raise, MONOFOLD_NAN_RAISE));
static_assert(same(key_order::sorted, MONOFOLD_BY_KEY) &&
              same(key_order::first, MONOFOLD_BY_FIRST));

/// reducer::settle of a state: between calls that change nothing, of which none runs now.
monofold_status settle(monofold_state* state) noexcept;

/// Calls `body`, which returns a status or throws. This is the boundary: nothing passes it.
template <class Body>
monofold_status guarded(const Body& body) noexcept {
  try {
    return body();
  } catch (const error& failure) {
    return static_cast<monofold_status>(failure.code());
  } catch (const std::bad_alloc&) {
    return MONOFOLD_OUT_OF_MEMORY;
  } catch (const std::length_error&) {  // of a vector that no memory holds
    return MONOFOLD_OUT_OF_MEMORY;
  } catch (...) {
    return MONOFOLD_INTERNAL;
  }
}

[[noreturn]] inline void refuse() { throw error(status::invalid_argument); }

inline bool is_ranked(operation op) { return op == operation::top || op == operation::bottom; }

inline monofold_options options_or_defaults(const monofold_options* options) {
  return options != nullptr ? *options : monofold_options MONOFOLD_OPTIONS_INIT;
}

inline request make_request(monofold_dtype dtype, const monofold_operation* operations,
                            std::int32_t num_operations, const monofold_options* options) {
  const monofold_options how = options_or_defaults(options);
  if (dtype < MONOFOLD_BOOL || dtype > MONOFOLD_FLOAT64) refuse();
  if (operations == nullptr || num_operations < 1) refuse();
  if (how.nan < MONOFOLD_NAN_PROPAGATE || how.nan > MONOFOLD_NAN_RAISE) refuse();
  request what;
  what.type = static_cast<monofold::dtype>(dtype);
  for (std::int32_t i = 0; i < num_operations; ++i) {
    if (operations[i] < MONOFOLD_COUNT || operations[i] > MONOFOLD_SOFTMAX_DENOMINATOR) refuse();
    what.ops.push_back(static_cast<operation>(operations[i]));
  }
  what.nan = static_cast<nan_policy>(how.nan);
  what.ddof = how.ddof;
  what.k = how.k;
  what.plain = how.plain != 0;
  what.num_threads = how.num_threads;
  return what;
}

/// Whether items lie where a GPU reads them.
inline bool is_on_device(monofold_place place) {
  if (place < MONOFOLD_HOST || place > MONOFOLD_MANAGED) refuse();
  if (place != MONOFOLD_HOST && find_gpus().devices.empty()) {
    throw error(status::device_unavailable);
  }
  return place != MONOFOLD_HOST;
}

/// Throws where items that are said to lie in memory of a GPU do not.
inline void check_device_items(const void* items, std::int64_t count) {
  if (count > 0 && !is_device_memory(items)) refuse();
}

/// Throws where `count` items of the type cannot lie at `items`.
inline void check_items(const void* items, dtype type, std::int64_t count) {
  const auto item_bytes = static_cast<std::uintptr_t>(monofold::info(type).size_bytes);
  if (count < 0 || count > PTRDIFF_MAX / static_cast<std::int64_t>(item_bytes)) refuse();
  if (items == nullptr && count > 0) refuse();
  if (reinterpret_cast<std::uintptr_t>(items) % item_bytes != 0) refuse();
}

inline monofold_number no_number() {
  monofold_number out{};
  out.type = MONOFOLD_NUMBER_NONE;
  return out;
}

inline monofold_number to_c(const number& value) {
  monofold_number out = no_number();
  std::visit(
      [&out]<class T>(T held) {
        if constexpr (std::is_same_v<T, bool>) {
          out.type = MONOFOLD_NUMBER_BOOL;
          out.as.boolean = held;
        } else if constexpr (std::is_same_v<T, std::int64_t>) {
          out.type = MONOFOLD_NUMBER_INT64;
          out.as.int64 = held;
        } else if constexpr (std::is_same_v<T, std::uint64_t>) {
          out.type = MONOFOLD_NUMBER_UINT64;
          out.as.uint64 = held;
        } else if constexpr (std::is_same_v<T, float>) {
          out.type = MONOFOLD_NUMBER_FLOAT32;
          out.as.float32 = held;
        } else {
          out.type = MONOFOLD_NUMBER_FLOAT64;
          out.as.float64 = held;
        }
      },
      value);
  return out;
}

inline monofold_result to_c(const answer& answer) {
  monofold_result out{static_cast<monofold_status>(answer.code), no_number(), no_number(), -1,
                      answer.first_nan};
  if (!answer.values.empty()) out.value = to_c(answer.values[0]);
  if (is_pair(answer.op) && answer.values.size() == 2) {
    out.second = to_c(answer.values[1]);
  }
  if (!answer.indices.empty()) out.index = answer.indices[0];
  return out;
}

/// Nothing here throws: the caller's arrays are written whole or not at all.
inline monofold_status write_ranked(const answer& answer, monofold_number* values,
                                    std::int64_t* indices, std::int64_t* first_nan) {
  if (first_nan != nullptr) *first_nan = answer.first_nan;
  std::transform(answer.values.begin(), answer.values.end(), values,
                 [](const number& value) { return to_c(value); });
  std::copy(answer.indices.begin(), answer.indices.end(), indices);
  return static_cast<monofold_status>(answer.code);
}

}  // namespace monofold::runtime::c_boundary
