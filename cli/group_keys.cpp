#include "cli/group_keys.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "cli/keyed_text.hpp"
#include "cli/text_parse.hpp"
#include "cli/text_row.hpp"

namespace monofold::cli {
namespace {

constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

// Words in the order of the numbers, one word a number: NaN come last.
std::uint64_t word_of(std::int64_t number) { return static_cast<std::uint64_t>(number) ^ sign_bit; }
std::uint64_t word_of(std::uint64_t number) { return number; }
std::uint64_t word_of(double number) {
  if (std::isnan(number)) return std::numeric_limits<std::uint64_t>::max();
  if (number == 0) return sign_bit;
  const auto bits = std::bit_cast<std::uint64_t>(number);
  return (bits & sign_bit) != 0 ? ~bits : bits | sign_bit;
}

// The words of texts that all are numbers of a type; nothing: some are not.
template <class T>
std::vector<std::uint64_t> words_of(const std::vector<std::string_view>& texts) {
  std::vector<std::uint64_t> words;
  for (const std::string_view own : texts) {
    const std::string_view text = trimmed(own);  // of quoted ones
    T value;
    const char* const end = text.data() + text.size();
    if (text.empty() || (parse_prefix(text.data(), end, value) != end &&
                         parse_number(text, value) != text_fault::none)) {
      return {};
    }
    words.push_back(word_of(value));
  }
  return words;
}

// Plain numbers have no sign but -, no exponent and no zeros that could be left out, and are not -0. Two of them whose
// texts differ have different values: float64 tells decimal numbers of up to 15 digits apart.
template <class T>
bool is_plain(std::string_view text) {
  constexpr std::ptrdiff_t most_digits = std::is_integral_v<T> ? 20 : 15;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool minus = text.starts_with('-');
  text.remove_prefix(minus);
  const auto point = std::find(text.begin(), text.end(), '.');
  const bool has_point = point != text.end();
  if (point == text.begin() || (text[0] == '0' && point - text.begin() > 1)) return false;
  if (has_point ? !('1' <= text.back() && text.back() <= '9') : minus && text == "0") return false;
  const auto digits = std::count_if(text.begin(), text.end(), is_digit);
  return digits == std::ssize(text) - has_point && digits <= most_digits;
}

}  // namespace

group_keys::group_keys(const std::deque<std::string>& keys, std::size_t num_columns, key_rule rule,
                       group_rank rank)
    : order_(keys.size()) {
  std::vector<std::vector<std::string_view>> texts(num_columns);
  for (const std::string& key : keys) {
    const std::vector<std::string_view> fields = key_fields(key, num_columns);
    for (std::size_t c = 0; c < num_columns; ++c) texts[c].push_back(fields[c]);
  }
  for (auto& own : texts) columns_.push_back(column_of(std::move(own), rule));
  std::iota(order_.begin(), order_.end(), 0U);
  if (rank == group_rank::first && !may_join_) return;
  std::sort(order_.begin(), order_.end(), [&](auto a, auto b) { return before(a, b); });
  if (may_join_) join_equals();
  if (rank == group_rank::first) std::sort(order_.begin(), order_.end());
}

group_keys::column group_keys::column_of(std::vector<std::string_view> texts, key_rule rule) {
  column out;
  const auto try_type = [&]<class T>(T) {
    out.words = words_of<T>(texts);
    if (out.words.empty()) return false;
    may_join_ = may_join_ || !std::all_of(texts.begin(), texts.end(), is_plain<T>);
    return true;
  };
  if (rule == key_rule::text ||
      (!try_type(std::int64_t()) && !try_type(std::uint64_t()) && !try_type(double()))) {
    out.texts = std::move(texts);
  }
  return out;
}

bool group_keys::before(std::uint32_t a, std::uint32_t b) const {
  for (const column& own : columns_) {
    if (!own.words.empty()) {
      if (own.words[a] != own.words[b]) return own.words[a] < own.words[b];
    } else if (const int order = own.texts[a].compare(own.texts[b]); order != 0) {
      return order < 0;
    }
  }
  return a < b;
}

bool group_keys::are_same(std::uint32_t a, std::uint32_t b) const {
  return std::all_of(columns_.begin(), columns_.end(), [&](const column& own) {
    return own.words.empty() ? own.texts[a] == own.texts[b] : own.words[a] == own.words[b];
  });
}

// Keys that are one follow each other where they are sorted, the first one first.
void group_keys::join_equals() {
  std::vector<std::uint32_t> firsts(order_.size());
  std::vector<std::uint32_t> kept;
  for (const std::uint32_t key : order_) {
    if (kept.empty() || !are_same(kept.back(), key)) kept.push_back(key);
    firsts[key] = kept.back();
  }
  if (kept.size() == order_.size()) return;
  order_ = std::move(kept);
  first_equals_ = std::move(firsts);
}

}  // namespace monofold::cli
