#pragma once
/// runtime/gpu/rows/widened_items: integers of a type chosen at run time as numbers of one type: all have one kernel.

#include <cstdint>

#include "monofold/platform/dtype.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::runtime {

/// Integers as words of 64 bits, signed ones with their sign in all bits above their own; indexed as a pointer is.
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
