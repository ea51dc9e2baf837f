#pragma once
/// cli/text_parse: one number in text, rounded once to the asked element type.

#include <charconv>
#include <string>
#include <string_view>
#include <type_traits>

#include "cli/text_decimal.hpp"
#include "monofold/platform/dtype.hpp"

namespace monofold::cli {

enum class text_fault { none, not_a_number, out_of_range };

/// Parses a whole token, which has no blanks around it.
///
/// floats: decimal digits with an optional sign, point and exponent, or inf, infinity, nan in any
/// case; integers: decimal digits with an optional sign; bool: 0, 1, true, false in any case.
///
/// errors     `not_a_number`; `out_of_range`: larger than the largest value of the type
/// accuracy   floats of every width: the nearest value, ties to even, rounded once from the text;
///            what is too small becomes a subnormal or a zero of its sign. Integers: exact
/// tested by  tests/cli/text_parse_test.cpp, tests/fuzz/text_fuzz.cpp
template <class T>
text_fault parse_number(std::string_view token, T& out);

/// Parses the number that a text begins with, if it is plain: the end of it, or `first` where this
/// is for `parse_number` to look at. Never accepts what `parse_number` would not.
template <class T>
const char* parse_prefix(const char* first, const char* last, T& out) {
  if constexpr (std::is_same_v<T, bool> || !std::is_arithmetic_v<T>) {
    return first;
  } else {
    if constexpr (std::is_floating_point_v<T>) {
      if (const char* end = parse_decimal(first, last, out); end != first) return end;
      // Letters are left to `parse_number`: from_chars takes "nan(1)" for a number.
      const char* digit = first + (first != last && *first == '-');
      if (digit == last || !((*digit >= '0' && *digit <= '9') || *digit == '.')) return first;
    }
    const auto [end, code] = std::from_chars(first, last, out);
    return code == std::errc() ? end : first;
  }
}

/// "expected a number, found 'abc'", or the like for the type and the fault.
std::string describe_fault(text_fault fault, dtype type, std::string_view token);

}  // namespace monofold::cli
