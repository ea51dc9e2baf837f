#pragma once
/// platform/encoding: values as bytes that are the same on every machine.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "monofold/platform/bits.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/status.hpp"

namespace monofold {

/// Collects bytes.
class byte_writer {
 public:
  byte_writer() : bytes_(most_states_bytes) {}

  void put(std::span<const unsigned char> bytes) {
    if (bytes.empty()) return;
    if (bytes.size() > bytes_.size() - used_) grow(used_ + bytes.size());
    std::memcpy(bytes_.data() + used_, bytes.data(), bytes.size());
    used_ += bytes.size();
  }
  const std::vector<unsigned char>& bytes() {
    drop_rest();
    return bytes_;
  }
  /// The same, for who wants nothing else of it.
  std::vector<unsigned char> take() && {
    drop_rest();
    return std::move(bytes_);
  }

 private:
  static constexpr std::size_t most_states_bytes = 512;

  void grow(std::size_t least) {
    std::vector<unsigned char> larger(2 * least);
    std::memcpy(larger.data(), bytes_.data(), used_);
    bytes_.swap(larger);
  }
  void drop_rest() {
    bytes_.erase(bytes_.begin() + static_cast<std::ptrdiff_t>(used_), bytes_.end());
  }

  std::vector<unsigned char> bytes_;  // of which the first ones are used
  std::size_t used_ = 0;
};

/// Hands out bytes that somebody else holds.
///
/// shape      version: of the format that they were written in, see platform/sealed
/// errors     throws `error` malformed_state where there are fewer than asked for
class byte_reader {
 public:
  static constexpr std::uint32_t newest = ~std::uint32_t{0};

  explicit byte_reader(std::span<const unsigned char> bytes, std::uint32_t version = newest)
      : rest_(bytes), version_(version) {}

  std::span<const unsigned char> take(std::size_t count) {
    if (count > rest_.size()) throw error(status::malformed_state, "it ends too early");
    const auto front = rest_.first(count);
    rest_ = rest_.subspan(count);
    return front;
  }
  std::size_t size() const { return rest_.size(); }
  std::uint32_t version() const { return version_; }

 private:
  std::span<const unsigned char> rest_;
  std::uint32_t version_;
};

namespace detail {

struct any_field {
  template <class T>
  operator T() const;  // never defined: only for what a compiler accepts
};

template <class T, class... Fields>
consteval int count_fields() {
  if constexpr (requires { T{Fields{}..., any_field{}}; }) {
    return count_fields<T, Fields..., any_field>();
  } else {
    return static_cast<int>(sizeof...(Fields));
  }
}

/// Calls `visit` on each member of a struct without constructors, up to eight.
template <class T, class Visit>
void for_each_field(T& value, const Visit& visit) {
  constexpr int count = count_fields<std::remove_const_t<T>>();
  static_assert(count >= 1 && count <= 8, "a struct of one to eight members");
  const auto each = [&](auto&... field) { (visit(field), ...); };
  if constexpr (count == 1) {
    auto& [a] = value;
    each(a);
  } else if constexpr (count == 2) {
    auto& [a, b] = value;
    each(a, b);
  } else if constexpr (count == 3) {
    auto& [a, b, c] = value;
    each(a, b, c);
  } else if constexpr (count == 4) {
    auto& [a, b, c, d] = value;
    each(a, b, c, d);
  } else if constexpr (count == 5) {
    auto& [a, b, c, d, e] = value;
    each(a, b, c, d, e);
  } else if constexpr (count == 6) {
    auto& [a, b, c, d, e, f] = value;
    each(a, b, c, d, e, f);
  } else if constexpr (count == 7) {
    auto& [a, b, c, d, e, f, g] = value;
    each(a, b, c, d, e, f, g);
  } else {
    auto& [a, b, c, d, e, f, g, h] = value;
    each(a, b, c, d, e, f, g, h);
  }
}

template <class T>
inline constexpr bool is_vector_v = false;
template <class T>
inline constexpr bool is_vector_v<std::vector<T>> = true;

/// Limbs next to each other, which on a little-endian machine are their own encoding.
template <class T>
inline constexpr bool is_limbs_v = std::endian::native == std::endian::little&& requires(T value) {
  value.limb[0];
  requires sizeof(value) == sizeof(value.limb);
};

template <class T>
inline constexpr bool is_whole_v =
    std::is_integral_v<T> || std::is_same_v<T, int128> || std::is_same_v<T, uint128>;

/// Visits what a value is made of: by its own `each_field`, the elements of an array, or members.
template <class T, class Visit>
void for_each_part(T& value, const Visit& visit) {
  using bare = std::remove_const_t<T>;
  if constexpr (requires { bare::each_field(value, visit); }) {
    bare::each_field(value, visit);
  } else if constexpr (requires { value.limb[0]; }) {
    for (auto& limb : value.limb) visit(limb);
  } else if constexpr (std::is_same_v<bare, float16> || std::is_same_v<bare, bfloat16>) {
    visit(value.bits);
  } else {
    static_assert(std::is_aggregate_v<bare>,
                  "this has no encoding: numbers, std::vector and structs of them have one, and "
                  "what has a static each_field(self, visit)");
    for_each_field(value, visit);
  }
}

}  // namespace detail

/// Appends a value: numbers with their least byte first, floats by their bits, structs member by
/// member without padding, vectors by their length in 64 bits and their elements.
template <class T>
void encode(byte_writer& out, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    encode(out, static_cast<std::uint8_t>(value ? 1 : 0));
  } else if constexpr (detail::is_whole_v<T> && std::endian::native == std::endian::little) {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    out.put(bytes);
  } else if constexpr (detail::is_whole_v<T>) {
    auto rest = static_cast<uint128>(value);
    unsigned char bytes[sizeof(T)];
    for (unsigned char& byte : bytes) {
      byte = static_cast<unsigned char>(rest & 0xff);
      rest >>= 8;
    }
    out.put(bytes);
  } else if constexpr (std::is_same_v<T, float>) {
    encode(out, bits_as<std::uint32_t>(value));
  } else if constexpr (std::is_same_v<T, double>) {
    encode(out, bits_as<std::uint64_t>(value));
  } else if constexpr (detail::is_vector_v<T>) {
    encode(out, static_cast<std::uint64_t>(value.size()));
    for (const auto& element : value) encode(out, element);
  } else if constexpr (detail::is_limbs_v<T>) {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    out.put(bytes);
  } else {
    detail::for_each_part(value, [&](const auto& part) { encode(out, part); });
  }
}

/// Reads what `encode` wrote of a value of this type. Where its parts had another meaning once, it has a
/// `was_read_from(version)`.
///
/// errors     throws `error` malformed_state: too few bytes, or bytes that no value has
template <class T>
void decode(byte_reader& in, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    std::uint8_t byte = 0;
    decode(in, byte);
    if (byte > 1) throw error(status::malformed_state, "neither true nor false");
    value = byte == 1;
  } else if constexpr (detail::is_whole_v<T> && std::endian::native == std::endian::little) {
    std::memcpy(&value, in.take(sizeof(T)).data(), sizeof(T));
  } else if constexpr (detail::is_whole_v<T>) {
    uint128 whole = 0;
    const auto bytes = in.take(sizeof(T));
    for (std::size_t i = bytes.size(); i-- > 0;) whole = whole << 8 | bytes[i];
    value = static_cast<T>(whole);
  } else if constexpr (std::is_same_v<T, float>) {
    std::uint32_t bits = 0;
    decode(in, bits);
    value = bits_as<float>(bits);
  } else if constexpr (std::is_same_v<T, double>) {
    std::uint64_t bits = 0;
    decode(in, bits);
    value = bits_as<double>(bits);
  } else if constexpr (detail::is_vector_v<T>) {
    std::uint64_t count = 0;
    decode(in, count);
    // No element has less than a byte: a length that cannot be takes no memory.
    if (count > in.size()) throw error(status::malformed_state, "it ends too early");
    value.clear();
    value.resize(static_cast<std::size_t>(count));
    for (auto& element : value) decode(in, element);
  } else if constexpr (detail::is_limbs_v<T>) {
    std::memcpy(&value, in.take(sizeof(T)).data(), sizeof(T));
  } else {
    detail::for_each_part(value, [&](auto& part) { decode(in, part); });
    if constexpr (requires { value.was_read_from(in.version()); }) {
      value.was_read_from(in.version());
    }
  }
}

/// The value of this type that comes next.
template <class T>
T decoded(byte_reader& in) {
  T value{};
  decode(in, value);
  return value;
}

}  // namespace monofold
