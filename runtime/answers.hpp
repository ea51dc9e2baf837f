#pragma once
/// runtime/answers: from what a fold's finish returns to an answer of the runtime.

#include <type_traits>

#include "monofold/fold/fold.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/status.hpp"
#include "runtime/member.hpp"

namespace monofold::runtime {

template <class T>
number to_number(const T& value) {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, double>) {
    return value;
  } else if constexpr (std::is_same_v<T, odd_double>) {
    return value.value;
  } else if constexpr (is_floating_v<T>) {
    return static_cast<float>(value);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<std::int64_t>(value);
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

inline answer failed(operation op, status code) {
  answer out{op};
  out.code = code;
  return out;
}

/// One number, or why there is none.
template <class T>
answer one_number(operation op, const result<T>& value) {
  if (!value) return failed(op, value.code());
  answer out{op};
  out.values.push_back(to_number(*value));
  return out;
}

template <class T>
answer one_number(operation op, const T& value) {
  return one_number(op, result<T>(value));
}

/// The same, left where an answer was: its memory is used again.
template <class T>
void set_number(answer& out, operation op, const T& value) {
  out.op = op;
  out.code = status::ok;
  out.values.assign_one(to_number(value));
  out.indices.clear();
  out.first_nan = -1;
}

/// The number of NaN and where the first one is.
template <class Found>
answer nan_answer(operation op, const Found& found) {
  answer out = one_number(op, found.count);
  out.first_nan = found.first;
  return out;
}

}  // namespace monofold::runtime
