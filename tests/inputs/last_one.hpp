#pragma once
/// tests/inputs/last_one: a fold whose answer depends on the place of an item and on the number of all.

#include <cstdint>

#include "monofold/platform/host_device.hpp"

namespace inputs {

/// The place of the last item that is 1, and how many items there are.
struct last_one {
  struct state {
    std::int64_t last, count;
  };
  static constexpr bool commutative = true;
  MONOFOLD_HD state lift(std::int32_t x, std::int64_t index) const {
    return {x != 0 ? index : std::int64_t{-1}, 1};
  }
  MONOFOLD_HD state combine(const state& l, const state& r) const {
    return {l.last > r.last ? l.last : r.last, l.count + r.count};
  }
  MONOFOLD_HD state identity() const { return {-1, 0}; }
  MONOFOLD_HD std::int64_t finish(const state& s) const { return s.count * 3 + s.last; }
};

}  // namespace inputs
