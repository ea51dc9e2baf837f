#pragma once
/// bench/scaling/nccl_peer: what a program does without this library: CUB's sum on each device, NCCL's all-reduce of
/// the sums, a copy to the host.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace bench {

class nccl_peer {
 public:
  /// For the devices 0 .. num_devices - 1, and up to so many floats on each.
  nccl_peer(int num_devices, std::size_t num_floats);
  ~nccl_peer();

  /// "nccl 2.28 + cub 3.0"
  static std::string name();
  /// The sum of `counts[i]` floats at `items[i]` on device i, over all; waits.
  double sum(const std::vector<const float*>& items, const std::vector<std::size_t>& counts);

 private:
  struct own;
  std::unique_ptr<own> own_;
};

}  // namespace bench
