#pragma once
/// bench/gpu/mixed: random bits that depend on an index alone (splitmix64).

#include <cstdint>

namespace bench {

__device__ inline std::uint64_t mixed(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace bench
