#pragma once
/// gpu/place_hash: a fold whose answer shows the tree, and the index that each item is told.

#include <cstdint>

#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"

namespace gpu_tests {

/// Not associative: what another tree gives is another number.
struct place_hash {
  using state = std::uint32_t;
  static constexpr bool commutative = true;
  MONOFOLD_HD state lift(float x, std::int64_t index) const {
    return monofold::bits_as<std::uint32_t>(x) + static_cast<std::uint32_t>(index) * 77u;
  }
  MONOFOLD_HD state combine(state l, state r) const { return l * 1000003u + (r ^ (r >> 7)); }
};

}  // namespace gpu_tests
