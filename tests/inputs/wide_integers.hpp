#pragma once
/// inputs/wide_integers: integers of 256 bits, and the same as the school book's.

#include <cstddef>
#include <cstdint>

#include "monofold/platform/wide_int.hpp"
#include "tests/inputs/random.hpp"
#include "tests/oracle/big_integer.hpp"

namespace inputs {

namespace mf = monofold;
using oracle::big_integer;

inline big_integer big(const mf::uint256& a) {
  big_integer out;
  for (int i = 3; i >= 0; --i) {
    out = out.shifted_left(64) + big_integer::from_unsigned(a.limb[i]);
  }
  return out;
}

inline mf::uint256 narrow(const big_integer& a) {  // modulo 2^256
  mf::uint256 out;
  for (std::size_t i = 0; i < 4; ++i) {
    out.limb[i] = a.digit(2 * i) | std::uint64_t{a.digit(2 * i + 1)} << 32;
  }
  return out;
}

/// A number of at most `bits` bits; long runs of ones and zeros are as likely as mixed digits.
inline mf::uint256 random_wide(generator& random, int bits) {
  mf::uint256 out;
  for (std::uint64_t& limb : out.limb) {
    const std::uint64_t kind = random() % 4;
    limb = kind == 0 ? 0 : kind == 1 ? ~std::uint64_t{0} : random();
  }
  const int width = static_cast<int>(random() % static_cast<unsigned>(bits)) + 1;
  for (int bit = width; bit < 256; ++bit) {
    out.limb[bit / 64] &= ~(std::uint64_t{1} << (bit % 64));
  }
  return out;
}

}  // namespace inputs
