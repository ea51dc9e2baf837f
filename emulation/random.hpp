#pragma once
/// emulation/random: the numbers that shuffle threads and blocks, all from one seed.

#include <cstdint>

namespace monofold::emulation {

/// The seed, from MONOFOLD_SEED at first (1 where that is not set). It and the number of a launch since
/// it was set decide the order of that launch's threads.
std::uint64_t seed();
void set_seed(std::uint64_t seed);

namespace detail {

/// source     Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators"
class random {
 public:
  explicit random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// 0 .. count - 1; the bias is below count / 2^32.
  std::uint32_t below(std::uint32_t count) {
    return static_cast<std::uint32_t>(((next() >> 32) * count) >> 32);
  }
  /// True once in `count` times.
  bool one_in(std::uint32_t count) { return below(count) == 0; }

  /// The place of one of the bits of `bits`, which is not 0.
  int bit_of(std::uint32_t bits) { return bit_of(bits, below(32)); }
  /// The same by a number below 32 that is there already.
  static int bit_of(std::uint32_t bits, std::uint32_t turn) {
    const std::uint32_t turned = (bits >> turn) | (turn == 0 ? 0 : bits << (32 - turn));
    return static_cast<int>((static_cast<std::uint32_t>(__builtin_ctz(turned)) + turn) % 32);
  }

 private:
  std::uint64_t state_;
};

}  // namespace detail

}  // namespace monofold::emulation
