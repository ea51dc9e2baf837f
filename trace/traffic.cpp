#include "trace/traffic.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace monofold::trace {

int sectors_of(const emulation::warp_step& access) {
  std::set<std::size_t> sectors;
  for (const auto& lane : access.lanes) {
    for (std::size_t at = lane.at / 32; at * 32 < lane.at + access.bytes; ++at) sectors.insert(at);
  }
  return static_cast<int>(sectors.size());
}

int bank_conflicts_of(const emulation::warp_step& access) {
  // 128 bytes a phase is what the banks give.
  const int lanes_a_phase = access.bytes <= 4 ? 32 : access.bytes <= 8 ? 16 : 8;
  int conflicts = 0;
  for (int first = 0; first < 32; first += lanes_a_phase) {
    std::array<std::set<std::size_t>, 32> words;
    for (const auto& lane : access.lanes) {
      if (lane.lane < first || lane.lane >= first + lanes_a_phase) continue;
      // A lane of more than 16 bytes asks for them one after the other: the first stand for all.
      const std::size_t bytes = std::min<std::size_t>(access.bytes, 16);
      for (std::size_t at = lane.at / 4; at * 4 < lane.at + bytes; ++at) words[at % 32].insert(at);
    }
    std::size_t most = 1;
    for (const auto& bank : words) most = std::max(most, bank.size());
    conflicts += static_cast<int>(most) - 1;
  }
  return conflicts;
}

}  // namespace monofold::trace
