#pragma once
/// engine/gpu/segment/packed_keys: the best of items by keys, some in a word at once.

#include <cstdint>

#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// All bits of each half of a word that has its highest bit.
MONOFOLD_GPU std::uint32_t signs_of_halves(std::uint32_t word) {
#if defined(__CUDA_ARCH__)
  std::uint32_t out;
  asm("prmt.b32 %0, %1, %1, 0xbb99;" : "=r"(out) : "r"(word));
  return out;
#else
  return (word >> 15 & 0x00010001u) * 0xffffu;
#endif
}

/// The larger of each half of a word and of the sum of two others.
MONOFOLD_GPU std::uint32_t larger_halves_of_sum(std::uint32_t a, std::uint32_t b,
                                                std::uint32_t word) {
#if defined(__CUDA_ARCH__)
  return __viaddmax_u16x2(a, b, word);
#else
  const std::uint32_t low = (a + b) & 0xffffu;
  return larger_halves(((a & 0xffff0000u) + (b & 0xffff0000u)) | low, word);
#endif
}

/// How an item becomes a key, of which the largest is the best and 0 none: by bits, of which some only where the highest
/// one is set, and a number.
///
///     key = (item ^ flipped ^ (item's highest bit ? turned : 0)) + added
///
/// All hold `Word` as often as a register has room for one; of bytes, which no more than `flipped` changes, every second
/// one.
template <class Word>
struct packed_keys {
  using unit = std::conditional_t<sizeof(Word) == 8, std::uint64_t, std::uint32_t>;
  static constexpr int parts = sizeof(Word) == 1 ? 2 : 1;  // of the keys of a unit
  static constexpr int part_keys = sizeof(Word) <= 2 ? 2 : 1;
  static constexpr int unit_items = parts * part_keys;

  unit flipped;
  unit turned;
  unit added;

  MONOFOLD_GPU packed_keys(Word flipped_bits, Word turned_bits, Word number)
      : flipped(repeated(flipped_bits)), turned(repeated(turned_bits)), added(repeated(number)) {}

  /// Raises the best keys to those of a unit of items.
  MONOFOLD_GPU void see(unit items, unit (&best)[parts]) const {
    if constexpr (sizeof(Word) == 1) {
      best[0] = larger_halves(best[0], (items & 0x00ff00ffu) ^ flipped);
      best[1] = larger_halves(best[1], (items >> 8 & 0x00ff00ffu) ^ flipped);
    } else if constexpr (sizeof(Word) == 2) {
      const unit own = items ^ (signs_of_halves(items) & turned) ^ flipped;
      best[0] = larger_halves_of_sum(own, added, best[0]);
    } else {
      using integer = std::make_signed_t<Word>;
      const auto sign = static_cast<unit>(static_cast<integer>(items) >> (8 * sizeof(Word) - 1));
      join(best[0], (items ^ (sign & turned) ^ flipped) + added);
    }
  }
  MONOFOLD_GPU static void join(unit& best, unit other) {
    if constexpr (sizeof(Word) <= 2) {
      best = larger_halves(best, other);
    } else {
      best = other > best ? other : best;
    }
  }
  /// The key of item `i` of a unit.
  MONOFOLD_GPU static Word key(const unit (&best)[parts], int i) {
    if constexpr (part_keys == 1) {
      return best[0];
    } else {
      return static_cast<Word>(best[i % parts] >> 16 * (i / parts));
    }
  }

 private:
  MONOFOLD_GPU static unit repeated(Word own) {
    return part_keys == 1 ? static_cast<unit>(own) : static_cast<unit>(own) * 0x00010001u;
  }
};

}  // namespace monofold::detail
