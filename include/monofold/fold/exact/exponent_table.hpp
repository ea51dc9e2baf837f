#pragma once
/// fold/exact/exponent_table: sums of doubles of any exponents, gathered by sign and exponent.

#include <cstdint>
#include <cstring>

#include "monofold/fold/exact/cascade.hpp"
#include "monofold/fold/exact/number.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::detail {

/// Of doubles: two cells for each sign and each 8 neighbouring exponents, for the 32 lower and 28
/// upper bits of a significand that moves by the lowest three bits of its exponent. An item costs a
/// shift and two additions, and no carry runs.
///
/// cost       16 KiB; `give_to` some thousand cycles
/// source     R. Neal 2015, arXiv 1505.05571 has a cell an exponent, which must be emptied often and
///            fills the first-level cache
/// tested by  tests/exact/run_test.cpp
class double_table {
 public:
  /// Items that it takes before it must be given away: below 2^58 in a cell.
  std::int64_t room() const { return most_items - items_; }
  void clear() { items_ = 0; }

#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
  /// Adds `count` <= room() items, or their magnitudes, and counts them.
  template <int bytes, bool clear_sign>
  MONOFOLD_INLINE void add(exact_counts& counts, const double* items, int count) {
    if (items_ == 0) {
      std::memset(low_, 0, sizeof(low_));
      std::memset(high_, 0, sizeof(high_));
    }
    items_ += count;
    counts.items += count;
    int i = 0;
    for (; i + 8 <= count; i += 8) {
      if (any_odd<bytes>(items + i)) {
        for (int l = 0; l < 8; ++l) add_any<clear_sign>(counts, items[i + l]);
        continue;
      }
      counts.other = 1;
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
  void give_to(Number& own) const {
    if (items_ == 0) return;
    for (int d = 0; d < groups / 4; ++d) {
      // Four groups, 8 bits apart. Halves are below 2^58: their differences, too, shifted by at most
      // 56 and added up, stay below 2^117.
      int128 sum = 0;
      for (int j = 3; j >= 0; --j) {
        const int up = 4 * d + j;
        const int down = groups + up;
        std::int64_t low = 0, high = 0;
        for (int c = 0; c < copies; ++c) {
          low += low_[c][up] - low_[c][down];
          high += high_[c][up] - high_[c][down];
        }
        sum = sum * 256 + (int128{high} * (std::int64_t{1} << 32) + low);
      }
      if (sum == 0) continue;
      // The unit is half of the smallest number's; all in the first group is even.
      const int position = 32 * d - 1 + value_grid - Number::low_exponent;
      if (position >= 0) {
        add_at(own, sum, position);
      } else {
        add_at(own, sum / 2, 0);
      }
    }
  }

 private:
  // Neighbours go to different cells: a load that waits for a store just before costs more than all.
  static constexpr int copies = 2;
  static constexpr int groups = 256;
  static constexpr std::int64_t most_items = std::int64_t{1} << 26;
  static constexpr std::uint64_t sign = float_format<double>::sign_bit;
  static constexpr std::uint64_t leading = std::uint64_t{1} << 52;

  MONOFOLD_INLINE void deposit(int copy, std::uint64_t bits, std::uint64_t significand) {
    const std::uint64_t value = significand << (bits >> 52 & 7);  // below 2^60
    low_[copy][bits >> 55] += static_cast<std::int64_t>(value & 0xffffffffu);
    high_[copy][bits >> 55] += static_cast<std::int64_t>(value >> 32);
  }
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
  /// Whether one of eight items has the lowest or the highest exponent field.
  template <int bytes>
  MONOFOLD_INLINE static bool any_odd(const double* items) {
    using half = typename lanes<bytes>::half;
    half odd = {};
    MONOFOLD_UNROLL_8
    for (int v = 0; v < lanes<bytes>::vectors; ++v) {
      half x;
      std::memcpy(&x, items + v * lanes<bytes>::doubles, sizeof(x));
      // Negative in the upper halves where the field is 0, or where it is 2047.
      x = (x & 0x7fffffff) - 0x00100000;
      odd |= x | (0x7fdfffff - x);
    }
    const auto upper = (typename lanes<bytes>::whole)odd;  // NOLINT: the bits
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
    }
    if (bits != sign) counts.other = 1;
  }

  std::int64_t items_ = 0;
  std::int64_t low_[copies][2 * groups];
  std::int64_t high_[copies][2 * groups];
};

/// Of float32 and bfloat16: a cell for each sign and exponent, for fractions and, above them, how
/// many they are: so many leading ones. An item costs one addition.
///
/// cost       16 KiB
/// tested by  tests/exact/run_test.cpp
template <class Item>
class narrow_table {
  using format = float_format<Item>;

 public:
  /// Items that it takes before it must be given away: 2^19 fractions of 23 bits stay below 2^44,
  /// and so many are counted above.
  std::int64_t room() const { return most_items - items_; }
  void clear() { items_ = 0; }

  /// Adds `count` <= room() finite items, or their magnitudes; counts nothing.
  template <bool clear_sign>
  MONOFOLD_INLINE void add(const Item* items, int count) {
    if (items_ == 0) {
      for (std::uint64_t& c : cell_) c = 0;
    }
    items_ += count;
    const auto deposit = [&](int copy, const Item& x) __attribute__((always_inline)) {
      std::uint32_t bits = float_bits(x);
      if constexpr (clear_sign) bits &= format::sign_bit - 1;
      cell_[copy * 2 * fields + (bits >> format::fraction_bits)] += one + (bits & (leading - 1));
    };
    int i = 0;
    for (; i + copies <= count; i += copies) {
      MONOFOLD_UNROLL_8
      for (int c = 0; c < copies; ++c) deposit(c, items[i + c]);
    }
    for (; i < count; ++i) deposit(0, items[i]);
  }

  /// own += sum of the items.
  template <class Number>
  void give_to(Number& own) const {
    if (items_ == 0) return;
    for (int first = 0; first < fields; first += 32) {
      // 32 exponents: differences are below 2^46, shifted by at most 31.
      int128 sum = 0;
      for (int f = first + 31; f >= first; --f) {
        // The subnormal numbers have no leading one, and the unit of field 1: twice that of field 0.
        const std::int64_t value = f > 0 ? value_of(f, true) : 2 * value_of(f, false);
        sum = sum * 2 + value;
      }
      if (sum == 0) continue;
      const int position = first - 1 + format::least_exponent - Number::low_exponent;
      if (position >= 0) {
        add_at(own, sum, position);
      } else {
        add_at(own, sum >> -position, 0);  // the bits below the grid are zeros
      }
    }
  }

 private:
  // Neighbours go to different cells: a load that waits for a store just before costs more than all.
  static constexpr int copies = 4;
  static constexpr int fields = 1 << format::exponent_bits;
  static constexpr std::uint32_t leading = std::uint32_t{1} << format::fraction_bits;
  static constexpr std::uint64_t one = std::uint64_t{1} << 44;
  static constexpr std::int64_t most_items = std::int64_t{1} << 19;

  std::int64_t value_of(int field, bool normal) const {
    std::int64_t value = 0;
    for (int part = 0; part < 2 * copies; ++part) {
      const bool negative = part % 2 != 0;
      const std::uint64_t c = cell_[part * fields + field];
      const auto count = static_cast<std::int64_t>(c / one);
      const std::int64_t size =
          static_cast<std::int64_t>(c % one) + (normal ? count * std::int64_t{leading} : 0);
      value += negative ? -size : size;
    }
    return value;
  }

  std::int64_t items_ = 0;
  std::uint64_t cell_[copies * 2 * fields];
};

struct no_table {
  template <class Number>
  void give_to(Number&) const {}
};

template <class Item>
struct table_of {
  using type = no_table;  // float16 fits one level; products go to digits
};
template <>
struct table_of<double> {
  using type = double_table;
};
template <>
struct table_of<float> {
  using type = narrow_table<float>;
};
template <>
struct table_of<bfloat16> {
  using type = narrow_table<bfloat16>;
};
template <class Item>
using exponent_table = typename table_of<Item>::type;

}  // namespace monofold::detail
