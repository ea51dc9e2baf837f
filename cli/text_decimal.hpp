#pragma once
/// cli/text_decimal: the common short decimal number to a float or a double, fast and exact.

#include <array>
#include <bit>
#include <cfloat>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace monofold::cli {

/// The powers of ten that Float holds exactly: 5^22 < 2^53, 5^10 < 2^24.
template <class Float>
inline constexpr auto exact_powers_of_ten = [] {
  std::array<Float, std::is_same_v<Float, float> ? 11 : 23> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

/// True if the 8 bytes are all digits; then `value` is the number they write.
///
/// A digit is a byte 0x30 to 0x39, and only for those the upper half is 3 before and after 6 is
/// added. The value comes from three steps that join neighbours: 8 digits to 4 pairs to 2 fours to
/// 1 eight; no lane overflows, since 99 < 2^8, 9999 < 2^16, 99999999 < 2^32.
/// source     Lemire, "Quickly parsing eight digits", 2018
inline bool eight_digits(const char* text, std::uint64_t& value) {
  if constexpr (std::endian::native != std::endian::little) return false;
  std::uint64_t word = 0;
  std::memcpy(&word, text, sizeof word);
  constexpr std::uint64_t upper_halves = 0xf0f0f0f0f0f0f0f0u;
  constexpr std::uint64_t threes = 0x3030303030303030u;
  if ((word & upper_halves) != threes) return false;
  if (((word + 0x0606060606060606u) & upper_halves) != threes) return false;
  word -= threes;
  word = word * 10 + (word >> 8);  // the pairs are in the bytes 0, 2, 4, 6
  constexpr std::uint64_t every_fourth = 0x000000ff000000ffu;
  value = ((word & every_fourth) * (100 + (std::uint64_t{1'000'000} << 32)) +
           ((word >> 16) & every_fourth) * (1 + (std::uint64_t{10'000} << 32))) >>
          32;
  return true;
}

/// Parses the decimal number that a text begins with, if its digits and its power of ten are both
/// exact in Float: the end of it, or `first` for every other text.
///
/// accuracy   one product or quotient of two exact numbers: the nearest value, ties to even
/// source     Clinger 1990, "How to read floating point numbers accurately", the fast path
template <class Float>
const char* parse_decimal(const char* first, const char* last, Float& out) {
  static_assert(FLT_EVAL_METHOD == 0, "a wider intermediate would be a second rounding");
  constexpr std::uint64_t most_digits = std::is_same_v<Float, float> ? 1u << 24 : 1ull << 53;
  const auto& powers = exact_powers_of_ten<Float>;
  const char* at = first;
  const auto digit = [&] { return static_cast<unsigned>(*at - '0'); };
  const bool minus = at != last && *at == '-';
  at += minus;
  std::uint64_t digits = 0;
  const char* begin = at;
  for (; at != last && digit() < 10; ++at) digits = digits * 10 + digit();
  auto count = at - begin;
  std::int64_t power = 0;
  if (at != last && *at == '.') {
    begin = ++at;
    std::uint64_t eight = 0;
    while (last - at >= 8 && eight_digits(at, eight)) {
      digits = digits * 100'000'000 + eight;
      at += 8;
    }
    for (; at != last && digit() < 10; ++at) digits = digits * 10 + digit();
    power = begin - at;
    count -= power;
  }
  // 10^19 < 2^64: up to 19 digits `digits` has not wrapped.
  if (count == 0 || count > 19 || digits > most_digits) return first;
  if (at != last && (*at == 'e' || *at == 'E')) return first;
  if (power < -static_cast<std::int64_t>(powers.size() - 1)) return first;
  const Float value = static_cast<Float>(digits) / powers[static_cast<std::size_t>(-power)];
  out = minus ? -value : value;
  return at;
}

}  // namespace monofold::cli
