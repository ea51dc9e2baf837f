#pragma once
/// runtime/gpu/rows/widened_items: items of a type chosen at run time as numbers of one type: all have one kernel.

#include <cstdint>

#include "monofold/platform/dtype.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/rounded.hpp"

namespace monofold::runtime {

// Both are indexed as pointers are.

/// Floating-point items as doubles.
class doubles_from {
 public:
  doubles_from(const void* first, dtype type) : first_(first), type_(type) {}

  MONOFOLD_HD double operator[](std::int64_t i) const {
    i += offset_;
    switch (type_) {
      case dtype::float16: return as_double(static_cast<const float16*>(first_)[i]);
      case dtype::bfloat16: return as_double(static_cast<const bfloat16*>(first_)[i]);
      case dtype::float32: return as_double(static_cast<const float*>(first_)[i]);
      default: return static_cast<const double*>(first_)[i];
    }
  }
  MONOFOLD_HD friend doubles_from operator+(doubles_from from, std::int64_t distance) {
    from.offset_ += distance;
    return from;
  }

 private:
  const void* first_;
  std::int64_t offset_ = 0;
  dtype type_;
};

/// Integers as words of 64 bits, signed ones with their sign in all bits above their own.
class words_from {
 public:
  words_from(const void* first, dtype type)
      : first_(first), bytes_(static_cast<std::int32_t>(monofold::info(type).size_bytes)) {
    if (is_signed(type)) sign_ = std::uint64_t{1} << (8 * bytes_ - 1);
  }
  static bool is_signed(dtype type) { return type >= dtype::int8 && type <= dtype::int64; }

  MONOFOLD_HD std::uint64_t operator[](std::int64_t i) const {
    return (bits_of(i + offset_) ^ sign_) - sign_;
  }
  MONOFOLD_HD friend words_from operator+(words_from from, std::int64_t distance) {
    from.offset_ += distance;
    return from;
  }

 private:
  MONOFOLD_HD std::uint64_t bits_of(std::int64_t i) const {
    switch (bytes_) {
      case 1: return static_cast<const std::uint8_t*>(first_)[i];
      case 2: return static_cast<const std::uint16_t*>(first_)[i];
      case 4: return static_cast<const std::uint32_t*>(first_)[i];
      default: return static_cast<const std::uint64_t*>(first_)[i];
    }
  }

  const void* first_;
  std::int64_t offset_ = 0;
  std::uint64_t sign_ = 0;
  std::int32_t bytes_;
};

}  // namespace monofold::runtime
