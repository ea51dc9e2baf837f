#pragma once
/// platform/status: what can go wrong in a reduction, as codes, and a value that may be missing.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "monofold/platform/host_device.hpp"

namespace monofold {

/// The numeric values are part of the C interface (monofold.h) and never change.
enum class status : std::int32_t {
  ok = 0,
  empty_input = 1,         // the fold has no identity and there was no item (or too few)
  integer_overflow = 2,    // the exact result does not fit the result type
  nan_found = 3,           // NaN under the policy `raise`
  invalid_argument = 4,    // a null pointer with items, a negative count, k out of range, ...
  unsupported = 5,         // this operation is not defined for this element type
  device_unavailable = 6,  // the asked engine is not there
  out_of_memory = 7,
  internal = 8,
  malformed_state = 9,  // bytes that are no saved state, or a damaged one
};

/// One line that says what the code means.
constexpr const char* describe(status code) {
  switch (code) {
    case status::ok: return "ok";
    case status::empty_input: return "no result: too few items for this operation";
    case status::integer_overflow:
      return "no result: the exact value does not fit a 64-bit integer";
    case status::nan_found: return "no result: the data has NaN";
    case status::invalid_argument: return "invalid argument";
    case status::unsupported: return "operation not defined for this element type";
    case status::device_unavailable: return "the asked device is not available";
    case status::out_of_memory: return "out of memory";
    case status::malformed_state: return "not a saved state";
    case status::internal: break;
  }
  return "internal error";
}

/// Thrown by `result<T>::value()` and by the calls that return a bare value.
class error : public std::runtime_error {
 public:
  explicit error(status code) : std::runtime_error(describe(code)), code_(code) {}
  error(status code, const std::string& detail)
      : std::runtime_error(std::string(describe(code)) + ": " + detail), code_(code) {}

  status code() const noexcept { return code_; }

 private:
  status code_;
};

/// A value, or the status that says why there is none.
///
/// errors     `value()` throws `error` with the status when there is no value
template <class T>
class result {
 public:
  using value_type = T;

  /// None yet: room for one that a kernel leaves.
  MONOFOLD_CALLS_USER
  MONOFOLD_HD_CALL constexpr result() : code_(status::empty_input) {}
  constexpr result(T value) : value_(std::move(value)) {}  // NOLINT: a value is a result
  MONOFOLD_HD_CALL constexpr result(T value)  // NOLINT: the same, for what a device can copy
      requires std::is_trivially_copyable_v<T> : value_(value) {}
  MONOFOLD_CALLS_USER
  MONOFOLD_HD_CALL constexpr result(status code) : code_(code) {}  // NOLINT: so is a failure

  MONOFOLD_HD_CALL constexpr bool has_value() const noexcept { return code_ == status::ok; }
  MONOFOLD_HD_CALL constexpr explicit operator bool() const noexcept { return has_value(); }
  MONOFOLD_HD_CALL constexpr status code() const noexcept { return code_; }

  constexpr const T& value() const {
    if (!has_value()) throw error(code_);
    return value_;
  }
  MONOFOLD_HD_CALL constexpr const T& operator*() const { return value_; }
  MONOFOLD_HD_CALL constexpr const T* operator->() const { return &value_; }
  constexpr T value_or(T fallback) const { return has_value() ? value_ : std::move(fallback); }

 private:
  T value_{};
  status code_ = status::ok;
};

}  // namespace monofold
