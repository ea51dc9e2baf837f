#pragma once
/// engine/rolling_keys: the smallest of neighbouring integer keys.

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "monofold/engine/detail/heap_array.hpp"
#include "monofold/fold/exact/vectors.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/instruction_set.hpp"

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

#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
/// keys[i] = the smaller of keys[i] and keys[i + apart], for `count` of them.
template <int bytes, class Key>
MONOFOLD_INLINE void join_neighbours_on(Key* keys, std::int64_t count, std::int64_t apart) {
  using vector = std::conditional_t<sizeof(Key) == 4, typename lanes<bytes>::half,
                                    typename lanes<bytes>::whole>;
  constexpr std::int64_t width = bytes / sizeof(Key);
  std::int64_t i = 0;
  for (; i + width <= count; i += width) {
    vector own, next;
    std::memcpy(&own, keys + i, bytes);
    std::memcpy(&next, keys + i + apart, bytes);
    own = next < own ? next : own;
    std::memcpy(keys + i, &own, bytes);
  }
  for (; i < count; ++i) keys[i] = keys[i + apart] < keys[i] ? keys[i + apart] : keys[i];
}

template <class Key>
__attribute__((noinline)) void join_neighbours_portable(Key* keys, std::int64_t count,
                                                        std::int64_t apart) {
  join_neighbours_on<16>(keys, count, apart);
}
#if defined(__x86_64__) && !defined(__CUDACC__)
#define MONOFOLD_KEYS_X86 1
template <class Key>
__attribute__((target("avx2"), noinline)) void join_neighbours_avx2(Key* keys, std::int64_t count,
                                                                    std::int64_t apart) {
  join_neighbours_on<32>(keys, count, apart);
}
#endif
#endif

template <class Key>
void join_neighbours(Key* keys, std::int64_t count, std::int64_t apart) {
#if defined(MONOFOLD_KEYS_X86)
  if (instruction_set_in_use() != instruction_set::baseline) {
    return join_neighbours_avx2(keys, count, apart);
  }
#endif
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
  join_neighbours_portable(keys, count, apart);
#else
  for (std::int64_t i = 0; i < count; ++i) {
    keys[i] = keys[i + apart] < keys[i] ? keys[i + apart] : keys[i];
  }
#endif
}

/// Windows up to this are joined of ranges of 1, 2, 4, .. keys, by vectors: log2 of the window times. Longer ones take
/// three comparisons a key, one by one.
inline constexpr std::int64_t most_doubled = 1024;

/// The smallest of each `window` neighbours among `count` keys, left where the first of them is.
///
/// cost       no more than three comparisons a key, or log2 of the window in vectors
/// source     van Herk 1992, Pattern Recognition Letters 13(7); Gil, Werman 1993, IEEE PAMI 15(5)
template <class Key>
void find_smallest(Key* keys, std::int64_t count, std::int64_t window) {
  if (window <= most_doubled) {
    std::int64_t length = 1;
    for (; 2 * length <= window; length *= 2) {
      join_neighbours(keys, count - 2 * length + 1, length);
    }
    if (length < window) join_neighbours(keys, count - window + 1, window - length);
    return;
  }
  // A window is a suffix of one block of `window` keys and a prefix of the next one.
  const std::int64_t last = count - window;
  for (std::int64_t at = 0; at <= last; at += window) {
    for (std::int64_t i = at + window - 1; i-- > at;) {
      keys[i] = keys[i + 1] < keys[i] ? keys[i + 1] : keys[i];
    }
    Key prefix = std::numeric_limits<Key>::max();
    for (std::int64_t i = at + 1; i < at + window && i <= last; ++i) {
      const Key next = keys[i + window - 1];
      prefix = next < prefix ? next : prefix;
      keys[i] = prefix < keys[i] ? prefix : keys[i];
    }
  }
}

}  // namespace monofold::detail
