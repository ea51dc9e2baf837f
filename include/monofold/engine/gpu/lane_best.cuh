#pragma once
/// engine/gpu/lane_best: the smallest (or largest) key among a lane's items of a tile.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "monofold/engine/gpu/load.cuh"
#include "monofold/fold/extrema.hpp"
#include "monofold/level/lanes.cuh"
#include "monofold/level/slot_array.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::detail {

// Hardware comparisons follow IEEE 754-2019: -0 below +0, and NaN wins (minimum, maximum) or loses
// (minimumNumber, maximumNumber), which is what order keys do.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define MONOFOLD_PICK(name, registers, type)                                                  \
  template <bool smallest, bool nan_wins>                                                     \
  MONOFOLD_GPU type pick_##name(type a, type b) {                                             \
    type out;                                                                                 \
    if constexpr (smallest && nan_wins) {                                                     \
      asm("min.NaN." #name " %0, %1, %2;" : "=" registers(out) : registers(a), registers(b)); \
    } else if constexpr (smallest) {                                                          \
      asm("min." #name " %0, %1, %2;" : "=" registers(out) : registers(a), registers(b));     \
    } else if constexpr (nan_wins) {                                                          \
      asm("max.NaN." #name " %0, %1, %2;" : "=" registers(out) : registers(a), registers(b)); \
    } else {                                                                                  \
      asm("max." #name " %0, %1, %2;" : "=" registers(out) : registers(a), registers(b));     \
    }                                                                                         \
    return out;                                                                               \
  }
MONOFOLD_PICK(f32, "f", float)
MONOFOLD_PICK(f16x2, "r", std::uint32_t)
MONOFOLD_PICK(bf16x2, "r", std::uint32_t)
#undef MONOFOLD_PICK
#endif

/// Whether one instruction compares two items at once. On the emulated device the same code runs.
template <class Item>
inline constexpr bool takes_halves_v =
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    std::is_integral_v<Item> && sizeof(Item) <= 2 && !std::is_same_v<Item, bool>;
#else
    false;
#endif

/// The smaller (or larger) halves of two words as integers of 16 bits, upper and lower ones apart.
template <bool smallest, bool is_signed>
MONOFOLD_GPU std::uint32_t pick_halves(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  std::uint32_t out;
  if constexpr (smallest && is_signed) {
    asm("min.s16x2 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));
  } else if constexpr (smallest) {
    asm("min.u16x2 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));
  } else if constexpr (is_signed) {
    asm("max.s16x2 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));
  } else {
    asm("max.u16x2 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));
  }
  return out;
#else
  using half = std::conditional_t<is_signed, std::int16_t, std::uint16_t>;
  const auto pick = [](std::uint32_t x, std::uint32_t y) {
    const bool is_less = static_cast<half>(x) < static_cast<half>(y);
    return static_cast<std::uint16_t>(is_less == smallest ? x : y);
  };
  return pick(a, b) | static_cast<std::uint32_t>(pick(a >> 16, b >> 16)) << 16;
#endif
}

/// Calls visit(word) for all words of a lane in a whole, held tile, except the first one.
template <class Tile, class Visit>
MONOFOLD_GPU void visit_words_behind_first(const Tile& tile, const Visit& visit) {
  MONOFOLD_UNROLL
  for (int k = 0; k < Tile::rows; ++k) {
    const bytes16 raw = tile.raw(k);
    MONOFOLD_UNROLL
    for (int v = k == 0 ? 1 : 0; v < 4; ++v) visit(raw.word[v]);
  }
}

/// The better key of two items, each of which begins at a half of the word.
template <class Fold, class Item>
MONOFOLD_GPU typename Fold::key better_half(std::uint32_t word) {
  using bits = std::conditional_t<sizeof(Item) == 1, std::uint8_t, std::uint16_t>;
  const auto low = Fold::key_of(bits_as<Item>(static_cast<bits>(word)));
  const auto high = Fold::key_of(bits_as<Item>(static_cast<bits>(word >> 16)));
  return Fold::better(high, low) ? high : low;
}

/// The best key among a lane's items in a whole, held tile, of integers of one or two bytes.
///
/// Bytes are compared as the upper bytes of halves; the lower bytes do not change which upper byte is better. Those at
/// odd places are upper bytes already, those at even places are shifted up by a byte.
template <class Fold, class Tile>
MONOFOLD_GPU typename Fold::key best_of_halves(const Tile& tile) {
  using item = typename Tile::item;
  constexpr auto pick = [](std::uint32_t a, std::uint32_t b) {
    return pick_halves<Fold::picks_smallest, std::is_signed_v<item>>(a, b);
  };
  constexpr bool are_bytes = sizeof(item) == 1;
  std::uint32_t own = tile.raw(0).word[0];
  std::uint32_t moved = own << 8;
  visit_words_behind_first(tile, [&](std::uint32_t word) {
    own = pick(own, word);
    if constexpr (are_bytes) moved = pick(moved, word << 8);
  });
  if constexpr (are_bytes) own = pick(own, moved) >> 8;
  return better_half<Fold, item>(own);
}

/// The best of `own` and the keys of 16 bytes of items, by comparing keys.
template <class Fold, class Item, int count>
MONOFOLD_GPU typename Fold::key best_of(typename Fold::key own,
                                        const slot_array<Item, count>& items) {
  MONOFOLD_UNROLL
  for (int v = 0; v < count; ++v) {
    const auto k = Fold::key_of(items[v]);
    own = Fold::better(k, own) ? k : own;
  }
  return own;
}

/// The best of `own` and the keys of a lane's items in a whole, held tile, by comparing keys.
template <class Fold, class Tile>
MONOFOLD_GPU typename Fold::key best_of_tile(typename Fold::key own, const Tile& tile) {
  MONOFOLD_UNROLL
  for (int k = 0; k < Tile::rows; ++k) own = best_of<Fold>(own, tile.template get<true>(k));
  return own;
}

/// Whether `coarse_best` finds out from high words, in less time than by keys, that a tile has no better item.
template <class Fold>
inline constexpr bool has_coarse_best_v =
    Fold::keys::has_nan&& std::is_same_v<typename Fold::key, std::int64_t>;

/// The high word of the best double so far. At first it is one that every item may improve.
template <class Fold>
class coarse_best {
 public:
  MONOFOLD_GPU void set(const typename Fold::key& key) {
    high_ = static_cast<std::int32_t>(bits_as<std::uint64_t>(Fold::item_of(key)) >> 32);
    if (Fold::picks_smallest && key == Fold::best) high_ = -1;  // nothing improves it
  }

  /// Whether some of a lane's doubles in a whole, held tile may be better. It is false only where none is.
  ///
  /// cost       two or three comparisons of words for each item, which searches for both extrema share. A NaN always
  ///            counts as possibly better; so does a number with the same high word
  template <class Tile>
  MONOFOLD_GPU bool may_improve(const Tile& tile) const {
    // The largest pattern as a signed word is that of the largest item that is not negative, the largest as an
    // unsigned one that of the smallest item that is negative.
    std::int32_t most = -0x7fffffff - 1;
    std::uint32_t most_below = 0;
    std::uint32_t least = ~std::uint32_t{0};  // of magnitudes
    MONOFOLD_UNROLL
    for (int r = 0; r < Tile::rows; ++r) {
      MONOFOLD_UNROLL
      for (int w = 1; w < 4; w += 2) {
        const std::uint32_t high = tile.raw(r).word[w];
        const auto as_signed = static_cast<std::int32_t>(high);
        const std::uint32_t size = high & 0x7fffffffu;
        most = as_signed > most ? as_signed : most;
        most_below = high > most_below ? high : most_below;
        least = size < least ? size : least;
      }
    }
    // No better item goes unseen, as patterns of one sign are in the order of their magnitudes. Smallest: an x
    // without sign bit is below the best b only if b has none either, and then least <= high(x) <= high(b); an x
    // with it is below b only if high(x) >= high(b) as unsigned words, or if b has no sign bit. Largest: an x
    // without it needs high(x) >= high(b), or a b with it; an x with it needs a b with it and a magnitude at
    // most b's. NaN have 0x7ff00000 or more as signed words, or 0xfff00000 or more as unsigned ones: the bounds
    // of the last terms, and no b that is a number has a larger word. True without need only costs time.
    // Bits and sums of conditions, not choices: lanes stay together.
    const auto own = static_cast<std::uint32_t>(high_);
    if constexpr (Fold::picks_smallest) {
      const bool is_closer = static_cast<std::int32_t>(least) <= high_;  // to 0, from above
      const std::uint32_t from = own > 0x80000000u ? own : 0x80000000u;
      return is_closer | (most_below >= from) | (most >= 0x7ff00000);
    } else {
      const bool is_closer = (least | 0x80000000u) <= own;  // from below
      return is_closer | (most >= (high_ > 0 ? high_ : 0)) | (most_below >= 0xfff00000u);
    }
  }

 private:
  std::int32_t high_ = Fold::picks_smallest ? 0x7fffffff : -1;
};

/// Whether devices compare doubles as fast as floats, or nearly so. On the emulated device the same code runs.
inline constexpr bool has_quick_doubles =
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000
    true;
#else
    false;
#endif

/// sum + 0 * x, which is NaN where x is not finite.
MONOFOLD_GPU double add_nothing_of(double x, double sum) {
#if defined(__CUDA_ARCH__)
  return __fma_rn(x, 0.0, sum);
#else
  return x * 0.0 + sum;
#endif
}

/// Calls visit(i, item) for the items of a lane in a whole, held tile, by their numbers.
template <class Tile, class Visit>
MONOFOLD_GPU void visit_items(const Tile& tile, const Visit& visit) {
  MONOFOLD_UNROLL
  for (int k = 0; k < Tile::rows; ++k) {
    const auto chunk = tile.template get<true>(k);
    MONOFOLD_UNROLL
    for (int v = 0; v < Tile::chunk_items; ++v) visit(k * Tile::chunk_items + v, chunk[v]);
  }
}

/// The best key among a lane's items in a whole, held tile.
template <class Fold, class Tile>
MONOFOLD_GPU typename Fold::key best_in_lane(const Tile& tile) {
  using item = typename Tile::item;
  [[maybe_unused]] constexpr bool smallest = Fold::picks_smallest;
  [[maybe_unused]] constexpr bool nan_wins = Fold::nan_below == smallest;
  if constexpr (takes_halves_v<item>) {
    return best_of_halves<Fold>(tile);
  } else
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
      if constexpr (std::is_same_v<item, float>) {
    float own = tile.template get<true>(0)[0];
    MONOFOLD_UNROLL
    for (int k = 0; k < Tile::rows; ++k) {
      const auto items = tile.template get<true>(k);
      MONOFOLD_UNROLL
      for (int v = k == 0 ? 1 : 0; v < 4; ++v) own = pick_f32<smallest, nan_wins>(own, items[v]);
    }
    return Fold::key_of(own);
  } else if constexpr (std::is_same_v<item, float16> || std::is_same_v<item, bfloat16>) {
    std::uint32_t own = tile.raw(0).word[0];
    visit_words_behind_first(tile, [&](std::uint32_t word) {
      if constexpr (std::is_same_v<item, float16>) {
        own = pick_f16x2<smallest, nan_wins>(own, word);
      } else {
        own = pick_bf16x2<smallest, nan_wins>(own, word);
      }
    });
    return better_half<Fold, item>(own);
  } else
#endif
  {
    return best_of_tile<Fold>(Fold::key_of(tile.template get<true>(0)[0]), tile);
  }
}

/// The best key among a lane's doubles in a whole, held tile, by comparing doubles where all are finite.
///
/// shape      chains: how many a lane has; a comparison waits for the one before of its chain, and each takes registers
/// cost       four instructions an item, two of which the units for doubles run; keys take nine. Infinities and NaN
///            take both ways
template <class Fold, int chains, class Tile>
MONOFOLD_GPU typename Fold::key best_of_doubles(const Tile& tile) {
  const auto better_of = [](double x, double own) {
    return (Fold::picks_smallest ? x < own : own < x) ? x : own;
  };
  slot_array<double, chains> best;
  slot_array<double, chains> nothing;
  visit_items(tile, [&](int i, double x) {
    const int c = i % chains;
    best[c] = i < chains ? x : better_of(x, best[c]);
    nothing[c] = add_nothing_of(x, i < chains ? 0.0 : nothing[c]);
  });
  double own = best[0];
  double rest = nothing[0];
  MONOFOLD_UNROLL
  for (int c = 1; c < chains; ++c) {
    own = better_of(best[c], own);
    rest += nothing[c];
  }
  if (!(rest == 0)) return best_of_tile<Fold>(Fold::key_of(own), tile);
  if (own == 0) {  // as are zeros of the other sign, which keys tell apart
    constexpr double better_zero = Fold::picks_smallest ? -0.0 : 0.0;
    visit_items(tile, [&](int, double x) {
      if (bits_as<std::uint64_t>(x) == bits_as<std::uint64_t>(better_zero)) own = x;
    });
  }
  return Fold::key_of(own);
}

/// `best_in_lane` where each tile is searched: doubles are compared as such. What is seldom called takes fewer
/// instructions by keys.
///
/// source     on an H200, maxima of float64 take 0.72 to 0.99 of the time by keys from 4 KiB to 64 MiB, of 1 KiB 1.04
template <class Fold, int chains = 4, class Tile>
MONOFOLD_GPU typename Fold::key quick_best_in_lane(const Tile& tile) {
  if constexpr (std::is_same_v<typename Tile::item, double> && has_quick_doubles) {
    return best_of_doubles<Fold, chains>(tile);
  } else {
    return best_in_lane<Fold>(tile);
  }
}

/// One or the other of these two.
template <class Fold, bool is_quick, class Tile>
MONOFOLD_GPU typename Fold::key best_in_lane_of(const Tile& tile) {
  if constexpr (is_quick) {
    return quick_best_in_lane<Fold>(tile);
  } else {
    return best_in_lane<Fold>(tile);
  }
}

/// The offset in a whole tile of a lane's first item for which is_wanted(bits of the item) is true; tile_items if
/// there is none.
template <class Bits, class Tile, class Wanted>
MONOFOLD_GPU int first_of_lane(const Tile& tile, const Wanted& is_wanted) {
  int first = Tile::tile_items;
  // From the last to the first.
  MONOFOLD_UNROLL
  for (int k = Tile::rows - 1; k >= 0; --k) {
    const auto chunk = tile.template get<true>(k);
    MONOFOLD_UNROLL
    for (int v = Tile::chunk_items - 1; v >= 0; --v) {
      if (is_wanted(bits_as<Bits>(chunk[v]))) first = tile.template chunk_offset<true>(k) + v;
    }
  }
  return first;
}

/// The same for the first byte that equals `pattern`, by looking at four bytes at a time.
template <class Tile>
MONOFOLD_GPU int first_byte_in_lane(const Tile& tile, std::uint8_t pattern) {
  const std::uint32_t wanted = pattern * 0x01010101u;
  int first = Tile::tile_items;
  std::uint32_t zeros = 0;  // their highest bits; the lowest one is right
  MONOFOLD_UNROLL
  for (int k = Tile::rows - 1; k >= 0; --k) {
    const bytes16 raw = tile.raw(k);
    MONOFOLD_UNROLL
    for (int w = 3; w >= 0; --w) {
      const std::uint32_t other = raw.word[w] ^ wanted;
      const std::uint32_t here = (other - 0x01010101u) & ~other & 0x80808080u;
      if (here != 0) {
        first = tile.template chunk_offset<true>(k) + 4 * w;
        zeros = here;
      }
    }
  }
  return zeros != 0 ? first + lowest_lane(zeros) / 8 : first;
}

/// The offset in a whole tile of a lane's first item with key `best`, or of its first NaN if that is the key of a NaN;
/// tile_items if there is none.
///
/// shape      the same key in all lanes
template <class Fold, class Tile>
MONOFOLD_GPU int first_in_lane(const Tile& tile, const typename Fold::key& best) {
  using bits = std::make_unsigned_t<typename Fold::key>;
  if constexpr (Fold::keys::has_nan) {
    if (Fold::is_nan_key(best)) {
      constexpr auto from = static_cast<bits>(Fold::keys::infinity + 1);
      return first_of_lane<bits>(tile, [](bits own) {
        const auto past = static_cast<bits>((own & Fold::keys::low_bits) - from);
        return past < Fold::keys::nan_patterns;
      });
    }
  }
  // Patterns are compared, not keys.
  const auto wanted = bits_as<bits>(Fold::item_of(best));
  if constexpr (sizeof(bits) == 1) {
    return first_byte_in_lane(tile, wanted);
  } else {
    return first_of_lane<bits>(tile, [wanted](bits own) { return own == wanted; });
  }
}

}  // namespace monofold::detail
