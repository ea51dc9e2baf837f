#pragma once
/// engine/gpu/exact/bin_units: what a lane has counted in its bins, in their units, modulo 2^64.

#include <cstdint>

#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// In registers.
template <int parts, int bins>
class lane_units {
 public:
  MONOFOLD_GPU explicit lane_units(std::uint64_t*) {}
  MONOFOLD_GPU std::uint64_t& at(int p, int k) { return units_[p][k]; }
  MONOFOLD_GPU std::uint64_t at(int p, int k) const { return units_[p][k]; }

 private:
  std::uint64_t units_[parts][bins] = {};
};

/// In shared memory of the warp, a word of each lane side by side.
template <int parts, int bins>
class shared_units {
 public:
  MONOFOLD_GPU explicit shared_units(std::uint64_t* units) : units_(units) {
    MONOFOLD_UNROLL
    for (int i = 0; i < parts * bins; ++i) units_[i * warp_lanes + lane_rank()] = 0;
  }
  MONOFOLD_GPU std::uint64_t& at(int p, int k) const {
    return units_[(p * bins + k) * warp_lanes + lane_rank()];
  }

 private:
  std::uint64_t* units_;
};

}  // namespace monofold::detail
