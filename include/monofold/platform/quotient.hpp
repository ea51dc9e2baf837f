#pragma once
/// platform/quotient: quotients of many numbers by one, without a division.

#include <cstdint>

#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Divides numbers below 2^31 by one number, 1 to 2^31 - 1, by a product.
///
/// source     Granlund, Montgomery 1994, "Division by invariant integers using multiplication"; a division takes several
///            times as long
/// tested by  tests/platform/quotient_test.cpp
struct short_divisor {
  std::uint32_t factor = std::uint32_t{1} << 31;
  std::int32_t shift = 31;

  MONOFOLD_HD static constexpr short_divisor of(std::int64_t number) {
    if (number == 1) return {};
    int bits = 1;  // 2^bits is not below the number
    while (bits < 31 && std::int64_t{1} << bits < number) ++bits;
    const auto own = static_cast<std::uint64_t>(number);
    return {static_cast<std::uint32_t>(((std::uint64_t{1} << (31 + bits)) + own - 1) / own),
            31 + bits};
  }
  MONOFOLD_HD constexpr std::uint32_t quotient_of(std::uint32_t i) const {
    return static_cast<std::uint32_t>(std::uint64_t{i} * factor >> shift);
  }
};

}  // namespace monofold::detail
