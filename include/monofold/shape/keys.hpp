#pragma once
/// shape/keys: what may be a key, which keys are one, and which of two comes first.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "monofold/platform/bits.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold {

namespace detail {

/// Few instructions, and every bit of the word moves the upper bits.
constexpr std::uint64_t mixed_word(std::uint64_t word) {
  word ^= word >> 32;
  word *= 0x9e3779b97f4a7c15u;  // 2^64 over the golden ratio (Knuth, vol. 3, 6.4)
  word ^= word >> 29;
  return word * 0xbf58476d1ce4e5b9u;  // of splitmix64
}

template <class Key>
inline constexpr bool is_byte_array_v = false;
template <class Byte, std::size_t count>
inline constexpr bool is_byte_array_v<std::array<Byte, count>> =
    sizeof(Byte) == 1 && std::is_trivially_copyable_v<Byte>&& count > 0;

template <class Key>
inline constexpr bool is_text_v =
    std::is_same_v<Key, std::string> || std::is_same_v<Key, std::string_view>;

/// Keys as words in the order of the keys, one word a key.
template <class Key>
struct key_words;

template <class Key>
requires std::is_integral_v<Key>
struct key_words<Key> {
  static constexpr std::uint64_t sign = std::is_signed_v<Key> ? std::uint64_t{1} << 63 : 0;

  MONOFOLD_HD static std::uint64_t word_of(Key key) {
    return static_cast<std::uint64_t>(key) ^ sign;
  }
  MONOFOLD_HD static Key key_of(std::uint64_t word) { return static_cast<Key>(word ^ sign); }
};

/// Negative numbers have their bits flipped, the others their sign bit; NaN come last.
template <class Key>
requires is_floating_v<Key>
struct key_words<Key> {
  using format = float_format<Key>;
  using bits = typename format::bits;
  static constexpr bits every_bit = static_cast<bits>(~bits{0});

  MONOFOLD_HD static std::uint64_t word_of(const Key& key) {
    const bits own = float_bits(key);
    const auto magnitude = static_cast<bits>(own & ~format::sign_bit);
    if (magnitude > format::infinity) return every_bit;
    if (magnitude == 0) return format::sign_bit;
    const bool negative = own != magnitude;
    return static_cast<bits>(negative ? ~own : own | format::sign_bit);
  }
  MONOFOLD_HD static Key key_of(std::uint64_t word) {
    const auto own = static_cast<bits>(word);
    if (own == every_bit) return float_from_bits<Key>(format::quiet_nan);
    const bool negative = (own & format::sign_bit) == 0;
    return float_from_bits<Key>(static_cast<bits>(negative ? ~own : own ^ format::sign_bit));
  }
};

/// The first byte is the highest.
template <class Key>
requires(is_byte_array_v<Key> && sizeof(Key) <= 8) struct key_words<Key> {
  MONOFOLD_HD static std::uint64_t word_of(const Key& key) {
    unsigned char byte[sizeof(Key)];
    std::memcpy(byte, &key, sizeof(Key));
    std::uint64_t word = 0;
    for (const unsigned char b : byte) word = word << 8 | b;
    return word;
  }
  MONOFOLD_HD static Key key_of(std::uint64_t word) {
    unsigned char byte[sizeof(Key)];
    for (std::size_t i = sizeof(Key); i-- > 0; word >>= 8) byte[i] = word & 0xff;
    Key key;
    std::memcpy(&key, byte, sizeof(Key));
    return key;
  }
};

/// What stands for a key while items are grouped.
///
/// | name | meaning |
/// |---|---|
/// | stored | a key, or where its bytes lie: copied freely |
/// | of, key_of | there and back: every -0 comes back as +0, every NaN as the quiet one |
/// | hash | the upper bits are the best |
/// | same, before | whether two keys are one, and whether one comes first in sorted order |
/// | is_word | whether what is stored is a word in the order of the keys |
template <class Key>
struct stored_key {
  using stored = std::uint64_t;
  static constexpr bool is_word = true;

  static stored of(const Key& key) { return key_words<Key>::word_of(key); }
  static Key key_of(stored own) { return key_words<Key>::key_of(own); }
  static std::uint64_t hash(stored own) { return mixed_word(own); }
  static bool same(stored a, stored b) { return a == b; }
  static bool before(stored a, stored b) { return a < b; }
};

/// Bytes that stay where they are; by bytes is also how they are ordered.
struct stored_bytes {
  const char* begin;
  std::size_t count;
  std::uint64_t hash;

  std::string_view view() const { return {begin, count}; }
};

inline std::uint64_t hash_of_bytes(const char* at, std::size_t count) {
  std::uint64_t hash = count;
  for (; count >= 8; count -= 8, at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    hash = mixed_word(hash ^ word) ^ hash >> 31;
  }
  std::uint64_t word = 0;
  std::memcpy(&word, at, count);
  return mixed_word(hash ^ word);
}

template <class Key>
requires(is_text_v<Key> || (is_byte_array_v<Key> && sizeof(Key) > 8)) struct stored_key<Key> {
  using stored = stored_bytes;
  static constexpr bool is_word = false;

  static stored of(const Key& key) {
    const auto* const begin = reinterpret_cast<const char*>(key.data());
    return {begin, key.size(), hash_of_bytes(begin, key.size())};
  }
  static Key key_of(const stored& own) {
    if constexpr (is_text_v<Key>) {
      return Key(own.view());
    } else {
      Key key;
      std::memcpy(&key, own.begin, sizeof(Key));
      return key;
    }
  }
  static std::uint64_t hash(const stored& own) { return own.hash; }
  static bool same(const stored& a, const stored& b) {
    return a.hash == b.hash && a.view() == b.view();
  }
  static bool before(const stored& a, const stored& b) { return a.view() < b.view(); }
};

/// The key that stands for all that are one with it.
template <class Key>
Key only_key(const Key& key) {
  if constexpr (is_floating_v<Key>) {
    return key_words<Key>::key_of(key_words<Key>::word_of(key));
  } else {
    return key;
  }
}

/// Whether neighbours belong to one run.
template <class Key>
bool same_key(const Key& a, const Key& b) {
  if constexpr (is_floating_v<Key>) {
    return key_words<Key>::word_of(a) == key_words<Key>::word_of(b);
  } else {
    return a == b;
  }
}

}  // namespace detail

/// What items can be grouped by: bool, integers and floats of up to 64 bits, arrays of bytes, strings.
///
/// Two keys are one where they are equal, but that all NaN are one key, and -0 is +0. Sorted, numbers
/// ascend and NaN come last; bytes and strings ascend as unsigned bytes.
template <class Key>
concept group_key = is_number_v<Key> || detail::is_byte_array_v<Key> || detail::is_text_v<Key>;

/// What runs of equal keys can be told by: the same, and whatever else can be compared.
template <class Key>
concept run_key = group_key<Key> || std::equality_comparable<Key>;

/// The order of the groups in an answer.
enum class key_order {
  sorted,  // by key
  first,   // as the first item of each group appears in the input
};

}  // namespace monofold
