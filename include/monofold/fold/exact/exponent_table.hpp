#pragma once
/// fold/exact/exponent_table: sums of doubles of any exponents, gathered by sign and exponent.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "monofold/fold/exact/number.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/fold/exact/vectors.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::detail {

/// A sum of doubles: a cell of 64 bits for each sign and each 4 neighbouring exponents, for significands
/// that move by the lowest two bits of their exponents, and one that counts its carries: of random
/// significands one in some 300.
///
/// cost       24 KiB, of which the carries are seldom touched; `add_to` some thousand cycles
/// source     R. Neal 2015, arXiv 1505.05571 has a cell an exponent, which must be emptied often and
///            fills the first-level cache
/// tested by  tests/exact/accumulator_test.cpp
class double_table {
 public:
  /// Items that it takes before it must be given away: fewer than 2^18 carries in a cell.
  std::int64_t room() const { return most_items - items_; }
  void clear() { items_ = 0; }

#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
  /// Adds `count` <= room() items, or their magnitudes, and counts them.
  template <int bytes, bool clear_sign>
  MONOFOLD_INLINE void add(exact_counts& counts, const double* items, int count) {
    if (items_ == 0) {
      std::memset(low_, 0, sizeof(low_));
      std::memset(carries_, 0, sizeof(carries_));
    }
    items_ += count;
    counts.items += count;
    bool part_is_special = false;
    int i = 0;
    for (; i + 8 <= count; i += 8) {
      prefetch(items + i, page_bytes);
      if (i % special_part == 0) part_is_special = any_special<bytes>(items + i, count - i);
      if (part_is_special && any_special<bytes>(items + i, 8)) {
        for (int l = 0; l < 8; ++l) add_any<clear_sign>(counts, items[i + l]);
        continue;
      }
      MONOFOLD_UNROLL_8
      for (int l = 0; l < 8; ++l) {
        std::uint64_t bits = float_bits(items[i + l]);
        if constexpr (clear_sign) bits &= sign - 1;
        deposit(l % copies, bits, (bits & (leading - 1)) | leading);
      }
    }
    for (; i < count; ++i) add_any<clear_sign>(counts, items[i]);
  }
#endif

  /// own += sum of the items.
  template <class Number>
  void add_to(Number& own) const {
    if (items_ == 0) return;
    for (int d = 0; d < groups / 8; ++d) {
      // Eight groups, 4 bits apart. A cell and its carries are below 2^82: differences, shifted by
      // at most 28 and added up, stay below 2^112.
      int128 sum = 0;
      for (int j = 7; j >= 0; --j) {
        const int up = 8 * d + j;
        int128 value = 0;
        for (int c = 0; c < copies; ++c) value += cell(c, up) - cell(c, groups + up);
        sum = sum * 16 + value;
      }
      if (sum == 0) continue;
      // The unit is half of the smallest number's; below the grid there are zeros only.
      const int position = 32 * d - 1 + value_grid - Number::low_exponent;
      if (position >= 0) {
        add_at(own, sum, position);
      } else {
        add_at(own, sum >> -position, 0);
      }
    }
  }

 private:
  // Neighbours go to different cells: a load that waits for a store just before costs more than all.
  static constexpr int copies = 2;
  static constexpr int groups = 512;
  static constexpr int special_part = 256;  // items that are looked at together
  static constexpr std::int64_t most_items = std::int64_t{1} << 26;
  static constexpr std::uint64_t sign = float_format<double>::sign_bit;
  static constexpr std::uint64_t leading = std::uint64_t{1} << 52;

  MONOFOLD_INLINE void deposit(int copy, std::uint64_t bits, std::uint64_t significand) {
    const std::uint64_t value = significand << (bits >> 52 & 3);  // below 2^56
    std::uint64_t& low = low_[copy][bits >> 54];
    low += value;
    if (low < value) [[unlikely]]
      ++carries_[copy][bits >> 54];
  }
  int128 cell(int copy, int index) const {
    return int128{carries_[copy][index]} * (int128{1} << 64) + low_[copy][index];
  }
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
  /// Whether one of the first `special_part` items, or of the multiple of eight that there are, has the
  /// lowest or the highest exponent field.
  template <int bytes>
  MONOFOLD_INLINE static bool any_special(const double* items, int count) {
    using half = typename lanes<bytes>::half;
    half special = {};
    const int most = (count < special_part ? count : special_part) / 8 * 8;
    for (int i = 0; i < most; i += lanes<bytes>::doubles) {
      half x;
      std::memcpy(&x, items + i, sizeof(x));
      // Negative in the upper halves where the field is 0, or where it is 2047.
      x = (x & 0x7fffffff) - 0x00100000;
      special |= x | (0x7fdfffff - x);
    }
    const auto upper = (typename lanes<bytes>::whole)special;  // NOLINT: the bits
    std::int64_t any = 0;
    for (int l = 0; l < lanes<bytes>::doubles; ++l) any |= upper[l];
    return any < 0;
  }
#endif

  template <bool clear_sign>
  MONOFOLD_INLINE void add_any(exact_counts& counts, double x) {
    std::uint64_t bits = float_bits(x);
    if constexpr (clear_sign) bits &= sign - 1;
    const std::uint64_t size = bits & (sign - 1);
    if (size >= float_format<double>::infinity) {
      if (size > float_format<double>::infinity) {
        ++counts.nan;
        return;
      }
      (bits != size ? counts.negative_infinity : counts.positive_infinity) += 1;
    } else {
      // Units of field f are 2^(f - 1 - 1074), but those of subnormal numbers are as of field 1.
      const std::uint64_t fraction = bits & (leading - 1);
      deposit(0, bits, fraction + (size >= leading ? leading : fraction));
      if (bits == sign) ++counts.minus_zeros;
    }
  }

  std::int64_t items_ = 0;
  std::uint64_t low_[copies][2 * groups];
  std::uint32_t carries_[copies][2 * groups];
};

struct no_table {
  template <class Number>
  void add_to(Number&) const {}
};

/// Tables are for doubles, their magnitudes and products that are doubles. Levels hold every narrow item.
template <class Term>
inline constexpr bool has_table_v = false;
template <>
inline constexpr bool has_table_v<value_term<double>> = true;
template <>
inline constexpr bool has_table_v<magnitude_term<double>> = true;
template <class Term>
using exponent_table = std::conditional_t<has_table_v<Term>, double_table, no_table>;

}  // namespace monofold::detail
