#pragma once
/// emulation/warp_clock: which accesses of a lane came before which of another, by warp barriers.

#include <algorithm>
#include <array>
#include <cstdint>

namespace monofold::emulation::detail {

/// Time in a warp counts its barriers; it never goes back, from one block to the next either.
class warp_clock {
 public:
  std::uint32_t now() const { return now_; }

  /// A barrier of the lanes of `mask`; `every`: all lanes that the warp has.
  void sync(std::uint32_t mask, std::uint32_t every) {
    ++now_;
    if (mask == every) {
      of_all_ = now_;
      return;
    }
    row merged{};
    for_lanes(mask, [&](std::size_t lane) {
      for (std::size_t i = 0; i < 32; ++i) merged[i] = std::max(merged[i], learnt_[lane][i]);
    });
    for_lanes(mask, [&](std::size_t lane) { merged[lane] = now_; });
    for_lanes(mask, [&](std::size_t lane) {
      learnt_[lane] = merged;
      told_[lane] = now_;
    });
  }

  /// Whether `lane` comes behind what `other` did at `time`.
  bool is_behind(int lane, int other, std::uint32_t time) const {
    return of_all_ > time ||
           learnt_[static_cast<std::size_t>(lane)][static_cast<std::size_t>(other)] > time;
  }
  /// Those of `others` for which that is so.
  std::uint32_t behind(int lane, std::uint32_t others, std::uint32_t time) const {
    if (of_all_ > time) return others;
    if (told_[static_cast<std::size_t>(lane)] <= time) return 0;
    std::uint32_t out = 0;
    for_lanes(others, [&](std::size_t other) {
      if (learnt_[static_cast<std::size_t>(lane)][other] > time) out |= 1u << other;
    });
    return out;
  }

 private:
  using row = std::array<std::uint32_t, 32>;

  template <class Visit>
  static void for_lanes(std::uint32_t mask, const Visit& visit) {
    for (; mask != 0; mask &= mask - 1) visit(static_cast<std::size_t>(__builtin_ctz(mask)));
  }

  std::uint32_t now_ = 1;
  std::uint32_t of_all_ = 0;
  std::array<row, 32> learnt_{};  // [lane][other]: the last barrier that told lane of other
  row told_{};                    // the last barrier that told a lane of any, but for those of all
};

}  // namespace monofold::emulation::detail
