#include "cli/number_text.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <type_traits>

namespace monofold::cli {
namespace {

using runtime::operation;

// Operations whose answer is one of the items, in the type of the items.
bool answers_with_items(operation op) {
  switch (op) {
    case operation::min:
    case operation::max:
    case operation::minmax:
    case operation::argmin:
    case operation::argmax:
    case operation::top:
    case operation::bottom: return true;
    default: return false;
  }
}

// What a 16-bit type keeps of a number: the bits after the leading one, and the exponent of its
// smallest subnormal.
struct half_format {
  int fraction_bits;
  int least_exponent;
};
constexpr half_format float16_format{10, -24};
constexpr half_format bfloat16_format{7, -133};

// The shortest decimal that a reader which rounds to nearest turns into `value` again. Up to five
// digits are enough for 11 bits. A text on the boundary of two values is not taken: which of them it
// means depends on how the reader breaks ties.
std::string shortest_half(float value, half_format format) {
  const double exact = value;
  if (std::trunc(exact) == exact && std::fabs(exact) < 1e6) return fmt::format("{}", exact);
  int exponent = 0;
  const bool power_of_two = std::fabs(std::frexp(exact, &exponent)) == 0.5;
  const int spacing_exponent = exponent - 1 - format.fraction_bits;
  const bool subnormal = spacing_exponent <= format.least_exponent;
  const double spacing = std::ldexp(1.0, subnormal ? format.least_exponent : spacing_exponent);
  for (int digits = 1; digits < 9; ++digits) {
    const double read = std::strtod(fmt::format("{:.{}e}", exact, digits - 1).c_str(), nullptr);
    // The neighbour below a power of two is at half the distance.
    const bool below = std::fabs(read) < std::fabs(exact);
    const double reach = below && power_of_two && !subnormal ? spacing / 4 : spacing / 2;
    if (std::fabs(read - exact) < reach) return fmt::format("{}", read);
  }
  return fmt::format("{}", value);
}

std::string hex_text(double value) {
  std::array<char, 40> buffer{};  // 0x1. and 13 digits, p-1074
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::fabs(value),
                                 std::chars_format::hex)
                       .ptr;
  const std::string sign = std::signbit(value) ? "-" : "";
  return sign + "0x" + std::string(buffer.data(), end);
}

template <class Float>
std::string float_text(Float value, number_form form, dtype type, bool is_item) {
  const bool json = form == number_form::json || form == number_form::json_hex;
  const bool hex = form == number_form::hex || form == number_form::json_hex;
  if (!std::isfinite(value)) {
    const std::string_view name = std::isnan(value) ? "nan" : (value < 0 ? "-inf" : "inf");
    return json ? fmt::format("\"{}\"", name) : std::string(name);
  }
  if (hex) return json ? '"' + hex_text(value) + '"' : hex_text(value);
  if (json && value == 0 && std::signbit(value)) return "-0.0";
  if constexpr (std::is_same_v<Float, float>) {
    if (is_item && type == dtype::float16) return shortest_half(value, float16_format);
    if (is_item && type == dtype::bfloat16) return shortest_half(value, bfloat16_format);
  }
  return fmt::format("{}", value);
}

}  // namespace

std::string number_text(const runtime::number& value, number_form form, dtype type, operation op) {
  return std::visit(
      [&](auto number) {
        if constexpr (std::is_floating_point_v<decltype(number)>) {
          return float_text(number, form, type, answers_with_items(op));
        } else {
          return fmt::format("{}", number);
        }
      },
      value);
}

}  // namespace monofold::cli
