#include "cli/text_parse.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <system_error>

#include "cli/quote.hpp"

namespace monofold::cli {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes a sign off a token: true for minus.
bool take_sign(std::string_view& token) {
  const bool minus = token.starts_with('-');
  if (minus || token.starts_with('+')) token.remove_prefix(1);
  return minus;
}

bool equals_any_case(std::string_view token, std::string_view lower) {
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
  return std::equal(token.begin(), token.end(), lower.begin(), lower.end(), same);
}

// A decimal number without its sign: 0.DIGITS * 10^point, the first and the last digit not zero;
// a zero has no digits.
struct decimal {
  std::string digits;
  std::int64_t point = 0;
};

// `token` is a number that from_chars has accepted, without a sign.
decimal normalised(std::string_view token) {
  const std::size_t mark = std::min(token.find_first_of("eE"), token.size());
  decimal out;
  bool after_point = false;
  for (const char c : token.substr(0, mark)) {
    if (c == '.') {
      after_point = true;
      continue;
    }
    if (out.digits.empty() && c == '0') {
      out.point -= after_point;
      continue;
    }
    out.digits += c;
    out.point += !after_point;
  }
  while (out.digits.ends_with('0')) out.digits.pop_back();
  if (mark < token.size()) {
    std::string_view exponent = token.substr(mark + 1);
    const bool minus = take_sign(exponent);
    // An exponent beyond 10^17 outweighs every count of digits that fits in memory.
    std::int64_t value = 0;
    for (const char c : exponent) {
      value = std::min<std::int64_t>(value * 10 + (c - '0'), 100'000'000'000'000'000);
    }
    out.point += minus ? -value : value;
  }
  return out;
}

// Below 0, 0, above 0: the text is smaller than, equal to, larger than `value` > 0.
int compare(std::string_view token, double value) {
  const decimal text = normalised(token);
  // 767 digits are enough to write any double exactly.
  std::array<char, 800> buffer;
  const auto printed = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                     std::chars_format::scientific, 770);
  const decimal number = normalised(std::string_view(buffer.data(), printed.ptr));
  if (text.point != number.point) return text.point < number.point ? -1 : 1;
  return text.digits.compare(number.digits);
}

// Magnitudes only. from_chars answers result_out_of_range for what is too large and for what is
// too small; the decimal point tells them apart.
template <class Float>
text_fault parse_magnitude(std::string_view token, Float& out) {
  const char* last = token.data() + token.size();
  const auto [end, code] = std::from_chars(token.data(), last, out);
  if (end != last || code == std::errc::invalid_argument) return text_fault::not_a_number;
  if (code == std::errc::result_out_of_range) {
    const decimal text = normalised(token);
    if (text.point > 0 && !text.digits.empty()) return text_fault::out_of_range;
    out = 0;
  }
  return text_fault::none;
}

// Letters reach from_chars only if they are one of the three words: it takes "nan(1)" as well.
bool begins_number(std::string_view token) {
  if (token.empty()) return false;
  if (is_digit(token[0]) || token[0] == '.') return true;
  return equals_any_case(token, "inf") || equals_any_case(token, "infinity") ||
         equals_any_case(token, "nan");
}

// float16 and bfloat16: p bits of precision, least normal exponent e. The double nearest to the
// text is rounded to p bits; that is one rounding too many only where the double lies exactly
// between two neighbours, and there the text itself is asked on which side it is.
template <class Small>
text_fault parse_small(std::string_view token, std::uint16_t& bits) {
  constexpr bool half = std::is_same_v<Small, float16>;
  constexpr int p = half ? 11 : 8;
  constexpr int e = half ? -14 : -126;
  constexpr std::uint32_t infinity = half ? 0x7c00u : 0x7f80u;
  double value = 0;
  if (const text_fault fault = parse_magnitude(token, value); fault != text_fault::none) {
    return fault;
  }
  if (std::isnan(value)) bits = static_cast<std::uint16_t>(infinity | infinity >> 1);
  if (std::isinf(value)) bits = static_cast<std::uint16_t>(infinity);
  if (!std::isfinite(value)) return text_fault::none;
  const int exponent = value == 0 ? e : std::max(std::ilogb(value), e);
  if (exponent > 200) return text_fault::out_of_range;
  // The value in units of the last place; scaling by a power of two is exact here.
  const double scaled = std::ldexp(value, p - 1 - exponent);
  double whole = std::floor(scaled);
  const double rest = scaled - whole;
  const int side = rest == 0.5 ? compare(token, value) : (rest < 0.5 ? -1 : 1);
  if (side > 0 || (side == 0 && std::fmod(whole, 2) == 1)) whole += 1;
  // Normal: the exponent field is one less than written, the implicit bit in `whole` adds the one.
  // Rounding up to a power of two carries into the field, which is right too.
  const auto field = static_cast<std::uint32_t>(exponent - e) << (p - 1);
  const std::uint32_t all = field + static_cast<std::uint32_t>(whole);
  if (all >= infinity) return text_fault::out_of_range;
  bits = static_cast<std::uint16_t>(all);
  return text_fault::none;
}

text_fault parse_boolean(std::string_view token, bool& out) {
  out = token == "1" || equals_any_case(token, "true");
  if (out || token == "0" || equals_any_case(token, "false")) return text_fault::none;
  return text_fault::not_a_number;
}

template <class Integer>
text_fault parse_integer(std::string_view token, Integer& out) {
  const bool minus = take_sign(token);
  if (token.empty() || !std::all_of(token.begin(), token.end(), is_digit)) {
    return text_fault::not_a_number;
  }
  std::uint64_t magnitude = 0;
  const auto [end, code] = std::from_chars(token.data(), token.data() + token.size(), magnitude);
  // The largest magnitude below zero is one more than above; an unsigned type has only -0.
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<Integer>::max());
  const std::uint64_t bound = !minus ? most : (std::is_signed_v<Integer> ? most + 1 : 0);
  if (code != std::errc() || magnitude > bound) return text_fault::out_of_range;
  out = static_cast<Integer>(minus ? 0 - magnitude : magnitude);
  return text_fault::none;
}

}  // namespace

template <class T>
text_fault parse_number(std::string_view token, T& out) {
  if constexpr (std::is_same_v<T, bool>) {
    return parse_boolean(token, out);
  } else if constexpr (std::is_integral_v<T>) {
    return parse_integer(token, out);
  } else {
    const bool minus = take_sign(token);
    if (!begins_number(token)) return text_fault::not_a_number;
    text_fault fault = text_fault::none;
    if constexpr (std::is_floating_point_v<T>) {
      fault = parse_magnitude(token, out);
      if (minus) out = -out;
    } else {
      fault = parse_small<T>(token, out.bits);
      if (minus) out.bits = static_cast<std::uint16_t>(out.bits | 0x8000u);
    }
    return fault;
  }
}

template text_fault parse_number(std::string_view, bool&);
template text_fault parse_number(std::string_view, std::int8_t&);
template text_fault parse_number(std::string_view, std::int16_t&);
template text_fault parse_number(std::string_view, std::int32_t&);
template text_fault parse_number(std::string_view, std::int64_t&);
template text_fault parse_number(std::string_view, std::uint8_t&);
template text_fault parse_number(std::string_view, std::uint16_t&);
template text_fault parse_number(std::string_view, std::uint32_t&);
template text_fault parse_number(std::string_view, std::uint64_t&);
template text_fault parse_number(std::string_view, float16&);
template text_fault parse_number(std::string_view, bfloat16&);
template text_fault parse_number(std::string_view, float&);
template text_fault parse_number(std::string_view, double&);

std::string describe_fault(text_fault fault, dtype type, std::string_view token) {
  const std::string found = token.empty() ? "an empty field" : quote(token);
  if (fault == text_fault::out_of_range) {
    return found + " is out of range for " + std::string(info(type).name);
  }
  std::string_view expected = info(type).is_floating ? "a number" : "an integer";
  if (type == dtype::boolean) expected = "0, 1, true or false";
  return "expected " + std::string(expected) + ", found " + found;
}

}  // namespace monofold::cli
