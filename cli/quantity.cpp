#include "cli/quantity.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>

#include "cli/failure.hpp"
#include "cli/quote.hpp"

namespace monofold::cli {
namespace {

[[noreturn]] void fail(std::string_view option, std::string_view text, std::int64_t least,
                       std::string_view form) {
  throw usage_error(fmt::format("{}: expected a whole number of at least {}{}, found {}", option,
                                least, form, quote(text)));
}

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

// What a suffix multiplies by; 0: there is no such suffix.
std::int64_t factor_of(std::string_view suffix) {
  constexpr std::string_view letters = "KMGT";
  if (!suffix.empty() && upper(suffix.back()) == 'B') suffix.remove_suffix(1);
  if (suffix.empty()) return 1;
  const std::size_t power = letters.find(upper(suffix.front()));
  if (power == std::string_view::npos || suffix.size() > 2) return 0;
  if (suffix.size() == 2 && upper(suffix[1]) != 'I') return 0;
  const std::int64_t base = suffix.size() == 2 ? 1024 : 1000;
  std::int64_t factor = base;
  for (std::size_t i = 0; i < power; ++i) factor *= base;
  return factor;
}

}  // namespace

std::int64_t parse_integer(std::string_view option, std::string_view text, std::int64_t least) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  if (code != std::errc() || stop != end || value < least) fail(option, text, least, "");
  return value;
}

std::int64_t parse_quantity(std::string_view option, std::string_view text, std::int64_t least) {
  constexpr std::string_view form = " (K, M, G may follow)";
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  if (code != std::errc()) fail(option, text, least, form);
  const std::int64_t factor =
      factor_of(std::string_view(stop, static_cast<std::size_t>(end - stop)));
  const bool fits = factor != 0 && value <= std::numeric_limits<std::int64_t>::max() / factor;
  if (!fits || value < 0 || value * factor < least) fail(option, text, least, form);
  return value * factor;
}

std::string bytes_text(double num_bytes) {
  constexpr std::array<std::string_view, 5> units{"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (num_bytes >= 1000 && unit + 1 < units.size()) {
    num_bytes /= 1000;
    ++unit;
  }
  if (unit == 0) return fmt::format("{:.0f} B", num_bytes);
  return fmt::format("{:.3g} {}", num_bytes, units[unit]);
}

std::string seconds_text(double seconds) {
  const auto whole = std::int64_t{std::llround(seconds)};
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace monofold::cli
