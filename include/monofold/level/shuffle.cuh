#pragma once
/// level/shuffle: how the lanes of a warp exchange values of any type.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "monofold/platform/host_device.hpp"

namespace monofold {

inline constexpr int warp_lanes = 32;  // on every CUDA device so far
inline constexpr std::uint32_t all_lanes = 0xffffffffu;

/// The lanes 0 .. count - 1.
MONOFOLD_GPU std::uint32_t first_lanes(int count) {
  return count >= warp_lanes ? all_lanes : (std::uint32_t{1} << count) - 1;
}

/// Writes of the warp's lanes to memory before it are seen by reads of its lanes after it.
MONOFOLD_GPU void sync_warp(std::uint32_t lanes = all_lanes) { __syncwarp(lanes); }

/// Whether any lane says yes.
///
/// sync       all lanes of `lanes` call it together
MONOFOLD_GPU bool any_lane(bool yes, std::uint32_t lanes = all_lanes) {
  return __any_sync(lanes, yes ? 1 : 0) != 0;
}

namespace detail {

/// A value as 32-bit words, the last of which may be partly used.
template <class T>
struct value_words {
  static_assert(std::is_trivially_copyable_v<T>, "lanes exchange trivially copyable values only");
  static constexpr int count = static_cast<int>((sizeof(T) + 3) / 4);
  // Larger ones live in local memory anyway: a loop keeps the code small.
  static constexpr bool in_registers = count <= 16;
  std::uint32_t word[count];
};

/// The words of a value: by words of 64 bits, where it has such, as nvcc leaves values of 128 bits in memory that are
/// copied from there by less.
template <class T>
MONOFOLD_GPU value_words<T> to_words(const T& value) {
  using words = value_words<T>;
  words w;
  if constexpr (sizeof(T) % 8 == 0 && words::in_registers) {
    std::uint64_t pairs[sizeof(T) / 8];
    std::memcpy(pairs, &value, sizeof(T));
    MONOFOLD_UNROLL
    for (int i = 0; i < words::count; ++i) {
      w.word[i] = static_cast<std::uint32_t>(pairs[i / 2] >> (i % 2 * 32));
    }
  } else {
    if constexpr (sizeof(T) % 4 != 0) w.word[words::count - 1] = 0;
    std::memcpy(w.word, &value, sizeof(T));
  }
  return w;
}

/// The value of words; `any`: some value, where T need not have one by default.
template <class T>
MONOFOLD_GPU T from_words(const value_words<T>& w, const T& any) {
  T out = any;
  if constexpr (sizeof(T) % 8 == 0 && value_words<T>::in_registers) {
    std::uint64_t pairs[sizeof(T) / 8];
    MONOFOLD_UNROLL
    for (int i = 0; i < value_words<T>::count; i += 2) {
      pairs[i / 2] = std::uint64_t{w.word[i + 1]} << 32 | w.word[i];
    }
    std::memcpy(static_cast<void*>(&out), pairs, sizeof(T));
  } else {
    std::memcpy(static_cast<void*>(&out), w.word, sizeof(T));
  }
  return out;
}

/// Applies `move`, a shuffle of one word (on the emulated device of all), to every word of a value.
template <class T, class Move>
MONOFOLD_GPU T move_words(const T& value, const Move& move) {
  using words = value_words<T>;
  words w = to_words(value);
#if defined(MONOFOLD_EMULATED)
  move(w.word);  // lanes take turns there, once for all words
#else
  if constexpr (words::in_registers) {
    MONOFOLD_UNROLL
    for (int i = 0; i < words::count; ++i) w.word[i] = move(w.word[i]);
  } else {
    MONOFOLD_ROLL
    for (int i = 0; i < words::count; ++i) w.word[i] = move(w.word[i]);
  }
#endif
  return from_words(w, value);
}

}  // namespace detail

/// The value of the lane `distance` above; a lane's own where that is past the last.
///
/// sync       all lanes of `lanes` call it together
template <class T>
MONOFOLD_GPU T shuffle_down(const T& value, int distance, std::uint32_t lanes = all_lanes) {
  return detail::move_words(value, [=](auto& word) {
    return __shfl_down_sync(lanes, word, static_cast<unsigned>(distance));
  });
}

/// The value of lane `source`.
///
/// sync       all lanes of `lanes` call it together, `source` among them
template <class T>
MONOFOLD_GPU T shuffle_from(const T& value, int source, std::uint32_t lanes = all_lanes) {
  return detail::move_words(value, [=](auto& word) { return __shfl_sync(lanes, word, source); });
}

}  // namespace monofold
