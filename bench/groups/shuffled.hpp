#pragma once
/// bench/groups/shuffled: the numbers below a count in a random order.

#include <cstdint>

#include "monofold/platform/host_device.hpp"

namespace bench {

/// The i-th of them, each of which comes once.
///
/// shape      0 <= i < count
MONOFOLD_HD constexpr std::uint64_t shuffled(std::uint64_t i, std::uint64_t count) {
  int bits = 2;
  while (count > std::uint64_t{1} << bits) ++bits;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  // Each step permutes the numbers of so many bits; those from `count` on are passed over.
  do {
    for (int round = 0; round < 3; ++round) {
      i = (i * 0xbf58476d1ce4e5b9u + 0x94d049bb133111ebu) & mask;
      i ^= i >> (bits + 1) / 2;
    }
  } while (i >= count);
  return i;
}

}  // namespace bench
