#include "cli/text_rounding.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <system_error>

namespace monofold::cli {

void rounding_watch::check(std::string_view token) {
  const bool minus = token.starts_with('-');
  if (minus || token.starts_with('+')) token.remove_prefix(1);
  if (!std::all_of(token.begin(), token.end(), [](char c) { return c >= '0' && c <= '9'; })) return;
  token.remove_prefix(std::min(token.find_first_not_of('0'), token.size()));

  double nearest = 0;
  const auto read = std::from_chars(token.data(), token.data() + token.size(), nearest);
  if (read.ec != std::errc()) return;
  // All digits: the largest double has 309 of them before the point.
  std::array<char, 310> digits;
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), nearest,
                                     std::chars_format::fixed, 0);
  if (std::string_view(digits.data(), written.ptr) == token) return;

  on_ = false;
  rounded_ = true;
  std::uint64_t magnitude = 0;
  const auto whole = std::from_chars(token.data(), token.data() + token.size(), magnitude);
  if (whole.ec != std::errc()) return;
  // The least int64 is a power of two, which float64 holds.
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (magnitude <= most) {
    kept_by_ = "i64";
  } else if (!minus) {
    kept_by_ = "u64";
  }
}

std::optional<std::string> rounding_watch::remark() const {
  if (!rounded_) return std::nullopt;
  std::string text = "whole numbers beyond 2^53 were rounded to float64";
  if (!kept_by_.empty()) text += "; --dtype " + std::string(kept_by_) + " keeps them";
  return text;
}

}  // namespace monofold::cli
