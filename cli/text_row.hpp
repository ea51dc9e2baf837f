#pragma once
/// cli/text_row: where the fields of one row of a table are (RFC 4180, or separated by blanks).

#include <cstdint>
#include <string>
#include <string_view>

namespace monofold::cli {

/// Separates fields by any number of spaces and tabs.
inline constexpr char blank_delimiter = ' ';

struct text_row {
  enum class outcome { whole, incomplete, text_after_quote };
  outcome result = outcome::incomplete;
  const char* end = nullptr;     // behind the newline
  std::string_view after_quote;  // up to the next blank or delimiter
  std::int64_t num_fields = 0;
  std::int64_t num_lines = 0;  // quoted fields may hold newlines
  bool blank = false;          // nothing but blanks
};

constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

constexpr std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// The text of a field: what `scan_row` hands out, with doubled quotes made single.
inline std::string unquoted(std::string_view raw, bool doubled_quotes) {
  std::string text(raw);
  if (!doubled_quotes) return text;
  std::size_t out = 0;
  for (std::size_t i = 0; i < raw.size(); ++i, ++out) {
    text[out] = raw[i];
    i += raw[i] == '"';  // inside quotes a quote never stands alone
  }
  text.resize(out);
  return text;
}

/// What becomes of blanks at the ends of a quoted field, inside its quotes.
enum class quoted_blanks { left_out, kept };

/// Walks over the fields of the row at `first` and calls
/// `visit(index, text, doubled_quotes)` for each, without the blanks around it. `*last` is a newline
/// that is not part of the text; a row that reaches it is incomplete.
template <quoted_blanks blanks = quoted_blanks::left_out, class Visitor>
text_row scan_row(const char* first, const char* last, char delimiter, Visitor&& visit) {
  text_row row;
  const bool by_blanks = delimiter == blank_delimiter;
  const auto skips = [&](char c) { return is_space(c) && (by_blanks || c != delimiter); };
  const auto ends = [&](char c) { return c == '\n' || (by_blanks ? is_space(c) : c == delimiter); };
  row.num_lines = 1;
  row.blank = true;
  const char* at = first;
  for (;;) {
    while (skips(*at)) ++at;
    if (by_blanks && *at == '\n') break;
    if (*at == '"') {
      bool doubled = false;
      const char* begin = ++at;
      for (;; ++at) {
        row.num_lines += *at == '\n' && at != last;
        if (at >= last) return row;
        if (*at != '"') continue;
        if (at + 1 >= last) return row;
        if (at[1] != '"') break;
        doubled = true;
        ++at;
      }
      const std::string_view inside(begin, static_cast<std::size_t>(at - begin));
      visit(row.num_fields, blanks == quoted_blanks::kept ? inside : trimmed(inside), doubled);
      row.blank = false;
      const char* quote_end = ++at;
      while (skips(*at)) ++at;
      if (!ends(*at) && !(by_blanks && at != quote_end)) {
        const char* surplus_end = at;
        while (!ends(*surplus_end) && !is_space(*surplus_end)) ++surplus_end;
        if (surplus_end >= last) return row;  // a message shows all of it
        row.result = text_row::outcome::text_after_quote;
        row.after_quote = {at, surplus_end};
        return row;
      }
    } else {
      const char* begin = at;
      while (!ends(*at)) ++at;
      const std::string_view text = trimmed({begin, at});
      row.blank = row.blank && text.empty() && *at == '\n';
      visit(row.num_fields, text, false);
    }
    ++row.num_fields;
    if (*at == '\n') break;
    if (!by_blanks) ++at;
  }
  if (at >= last) return row;
  row.result = text_row::outcome::whole;
  row.end = at + 1;
  return row;
}

}  // namespace monofold::cli
