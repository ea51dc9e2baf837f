#pragma once
/// engine/rolling_keys: the smallest of neighbouring integer keys.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/instruction_set.hpp"
#include "monofold/platform/strict_arithmetic.hpp"

namespace monofold::detail {

/// What keys of a type are compared as.
template <class Key>
using wide_key_t = std::conditional_t<sizeof(Key) <= 4, std::int32_t, std::int64_t>;

/// The same order among signed integers.
template <class Key>
MONOFOLD_INLINE wide_key_t<Key> widened_key(Key key) {
  using wide = wide_key_t<Key>;
  if constexpr (sizeof(Key) == sizeof(wide) && std::is_unsigned_v<Key>) {
    return static_cast<wide>(key ^ (Key{1} << (8 * sizeof(Key) - 1)));
  } else {
    return static_cast<wide>(key);
  }
}
template <class Key>
MONOFOLD_INLINE Key narrowed_key(wide_key_t<Key> key) {
  if constexpr (sizeof(Key) == sizeof(key) && std::is_unsigned_v<Key>) {
    return static_cast<Key>(key) ^ (Key{1} << (8 * sizeof(Key) - 1));
  } else {
    return static_cast<Key>(key);
  }
}

template <class Key>
MONOFOLD_INLINE bool is_before(Key a, Key b, bool largest) {
  return largest ? b < a : a < b;
}

#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
/// A vector of keys, or of floats that order as `<` says.
template <int bytes, class Key>
struct key_lanes {
  typedef Key type __attribute__((vector_size(bytes), may_alias));
};

/// keys[i] = the smaller of keys[i] and keys[i + apart], or the larger, for `count` of them.
template <int bytes, bool largest, class Key>
MONOFOLD_INLINE void join_neighbours_on(Key* keys, std::int64_t count, std::int64_t apart) {
  using vector = typename key_lanes<bytes, Key>::type;
  constexpr std::int64_t width = bytes / sizeof(Key);
  std::int64_t i = 0;
  for (; i + width <= count; i += width) {
    vector own, next;
    std::memcpy(&own, keys + i, bytes);
    std::memcpy(&next, keys + i + apart, bytes);
    if constexpr (largest) {
      own = next > own ? next : own;
    } else {
      own = next < own ? next : own;
    }
    std::memcpy(keys + i, &own, bytes);
  }
  for (; i < count; ++i) {
    keys[i] = is_before(keys[i + apart], keys[i], largest) ? keys[i + apart] : keys[i];
  }
}

/// Whether `<` orders floats as the library does: there is no NaN and no -0 among them.
template <int bytes, class Real, class Bits>
MONOFOLD_INLINE bool is_ordered_on(const Real* items, std::int64_t count) {
  using vector = typename key_lanes<bytes, Bits>::type;
  constexpr std::int64_t width = bytes / sizeof(Bits);
  constexpr Bits sign = std::numeric_limits<Bits>::min();
  const vector infinity = vector{} + bits_as<Bits>(std::numeric_limits<Real>::infinity());
  vector any = {};
  const auto look = [&](const vector& x) __attribute__((always_inline)) {
    any |= ((x & ~sign) > infinity) | (x == sign);
  };
  vector x;
  std::int64_t i = 0;
  for (; i + width <= count; i += width) {
    std::memcpy(&x, items + i, bytes);
    look(x);
  }
  x = vector{};
  std::memcpy(&x, items + i, static_cast<std::size_t>(count - i) * sizeof(Bits));
  look(x);
  Bits all = 0;
  for (std::int64_t l = 0; l < width; ++l) all |= any[l];
  return all == 0;
}

template <bool largest, class Key>
__attribute__((noinline)) void join_neighbours_portable(Key* keys, std::int64_t count,
                                                        std::int64_t apart) {
  join_neighbours_on<16, largest>(keys, count, apart);
}
template <class Real, class Bits>
__attribute__((noinline)) bool is_ordered_portable(const Real* items, std::int64_t count) {
  return is_ordered_on<16, Real, Bits>(items, count);
}
#if defined(__x86_64__) && !defined(__CUDACC__)
#define MONOFOLD_KEYS_X86 1
template <bool largest, class Key>
__attribute__((target("avx2"), noinline)) void join_neighbours_avx2(Key* keys, std::int64_t count,
                                                                    std::int64_t apart) {
  join_neighbours_on<32, largest>(keys, count, apart);
}
template <class Real, class Bits>
__attribute__((target("avx2"), noinline)) bool is_ordered_avx2(const Real* items,
                                                               std::int64_t count) {
  return is_ordered_on<32, Real, Bits>(items, count);
}
#endif
#endif

template <bool largest, class Key>
void join_neighbours(Key* keys, std::int64_t count, std::int64_t apart) {
#if defined(MONOFOLD_KEYS_X86)
  if (instruction_set_in_use() != instruction_set::baseline) {
    return join_neighbours_avx2<largest>(keys, count, apart);
  }
#endif
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
  join_neighbours_portable<largest>(keys, count, apart);
#else
  for (std::int64_t i = 0; i < count; ++i) {
    keys[i] = is_before(keys[i + apart], keys[i], largest) ? keys[i + apart] : keys[i];
  }
#endif
}

/// Whether `<` orders items as the library does; of other types than float and double that is not asked.
template <class Item>
bool is_ordered(const Item* items, std::int64_t count) {
#if defined(__GNUC__) && !defined(__CUDA_ARCH__) && MONOFOLD_STRICT_DOUBLES
  if constexpr (std::is_same_v<Item, float> || std::is_same_v<Item, double>) {
    using bits = wide_key_t<Item>;
    if (const strict_arithmetic arithmetic; !arithmetic.holds()) return false;
#if defined(MONOFOLD_KEYS_X86)
    if (instruction_set_in_use() != instruction_set::baseline) {
      return is_ordered_avx2<Item, bits>(items, count);
    }
#endif
    return is_ordered_portable<Item, bits>(items, count);
  }
#endif
  static_cast<void>(items), static_cast<void>(count);
  return false;
}

/// Windows up to this are joined of ranges of 1, 2, 4, .. keys, by vectors: log2 of the window times. Longer ones take
/// three comparisons a key, one by one.
inline constexpr std::int64_t most_doubled = 1024;

/// The smallest, or largest, of each `window` neighbours among `count` keys, left where the first of them is.
///
/// cost       no more than three comparisons a key, or log2 of the window in vectors
/// source     van Herk 1992, Pattern Recognition Letters 13(7); Gil, Werman 1993, IEEE PAMI 15(5)
template <bool largest = false, class Key>
void find_smallest(Key* keys, std::int64_t count, std::int64_t window) {
  const strict_arithmetic arithmetic;  // floats that are not normal count
  if (window <= most_doubled) {
    std::int64_t length = 1;
    for (; 2 * length <= window; length *= 2) {
      join_neighbours<largest>(keys, count - 2 * length + 1, length);
    }
    if (length < window) join_neighbours<largest>(keys, count - window + 1, window - length);
    return;
  }
  // A window is a suffix of one block of `window` keys and a prefix of the next one.
  const std::int64_t last = count - window;
  for (std::int64_t at = 0; at <= last; at += window) {
    for (std::int64_t i = at + window - 1; i-- > at;) {
      keys[i] = is_before(keys[i + 1], keys[i], largest) ? keys[i + 1] : keys[i];
    }
    if (at == last) break;
    Key prefix = keys[at + window];
    for (std::int64_t i = at + 1; i < at + window && i <= last; ++i) {
      const Key next = keys[i + window - 1];
      prefix = is_before(next, prefix, largest) ? next : prefix;
      keys[i] = is_before(prefix, keys[i], largest) ? prefix : keys[i];
    }
  }
}

/// Where in each of `count` windows of items the first of the best lies, which find_smallest has left in `best`.
///
/// cost       an item is looked for from where the last one lay: each is passed once
template <class Key>
[[gnu::noinline]] void find_places(bool largest, const Key* items, const Key* best,
                                   std::int64_t count, std::int64_t window, std::int64_t* places) {
  const strict_arithmetic arithmetic;
  std::int64_t at = -1;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t last = i + window - 1;
    if (at < i) {
      at = i;
      while (items[at] != best[i]) ++at;
    } else if (is_before(items[last], items[at], largest)) {
      at = last;
    }
    places[i] = at - i;
  }
}

}  // namespace monofold::detail
