#include "cli/text_reader.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cli/quote.hpp"
#include "cli/readers.hpp"

namespace monofold::cli {
namespace {

std::string count_columns(std::int64_t count) {
  return std::to_string(count) + (count == 1 ? " column" : " columns");
}

}  // namespace

text_reader::text_reader(std::unique_ptr<byte_stream> stream, const std::string& extension,
                         const read_options& options)
    : text_(std::move(stream)),
      type_(options.type.value_or(dtype::float64)),
      missing_(options.missing),
      guessed_(options.type && !format_said(extension, options)) {
  number_missing_ = std::any_of(missing_.begin(), missing_.end(),
                                [&](const std::string& token) { return is_numeric(token); });
  skip_byte_order_mark();
  read_first_row(extension, options);
}

void text_reader::check_columns(const text_row& row) const {
  if (row.num_fields == layout_.num_columns) return;
  throw input_error("line " + std::to_string(line_) + ": found " + count_columns(row.num_fields) +
                    ", expected " + std::to_string(layout_.num_columns));
}

bool text_reader::is_missing(std::string_view token) {
  const bool found = std::find(missing_.begin(), missing_.end(), token) != missing_.end();
  missing_count_ += found;
  return found;
}

void text_reader::check_row(const text_row& row) const {
  if (row.result != text_row::outcome::text_after_quote) return;
  throw input_error("line " + std::to_string(line_ + row.num_lines - 1) + ", column " +
                    std::to_string(row.num_fields + 1) +
                    ": expected the end of the field after the closing quote, found " +
                    quote(row.after_quote));
}

// False at the end of the text.
bool text_reader::more() {
  switch (text_.fill()) {
    case text_buffer::filled::more: break;
    case text_buffer::filled::full: fail_long();
    case text_buffer::filled::ended:
      if (text_.begin() == text_.end()) return false;
      // Only an open quote keeps a row from ending with the text.
      throw input_error("line " + std::to_string(line_) + ": a quoted field has no closing quote");
  }
  line_begin_ = text_.begin();
  return true;
}

void text_reader::fail_long() const {
  throw input_error("line " + std::to_string(line_) + ": longer than " +
                    std::to_string(text_buffer::window_bytes) + " bytes without an end of " +
                    (layout_.table ? "the row" : "the number"));
}

void text_reader::fail_token(const char* at, std::string_view token, text_fault fault) const {
  std::string message = "line " + std::to_string(line_) + ", character " +
                        std::to_string(before_line_ + (at - line_begin_) + 1) + ": " +
                        describe_fault(fault, type_, token);
  if (!any_token_ && !is_number(token)) {
    message += guessed_ ? "; if it is not text, say --format raw"
                        : "; if it is a header, say --header yes";
  }
  throw input_error(message);
}

void text_reader::fail_field(std::string_view token, text_fault fault) const {
  std::string place =
      "line " + std::to_string(line_) + ", column " + std::to_string(layout_.column + 1);
  if (layout_.header) place += " (" + quote(layout_.name) + ")";
  throw input_error(place + ": " + describe_fault(fault, type_, token));
}

void text_reader::skip_byte_order_mark() {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  while (text_.end() - text_.begin() < 3 && text_.fill() == text_buffer::filled::more) continue;
  const std::string_view start(text_.begin(), text_.end());
  if (start.starts_with(mark)) text_.consume(text_.begin() + mark.size());
  if (start.starts_with("\xff\xfe") || start.starts_with("\xfe\xff")) {
    throw input_error("the text is UTF-16, expected UTF-8 or ASCII");
  }
  line_begin_ = text_.begin();
}

// Tells the layout from the first line that is not blank, and takes it if it is a header.
void text_reader::read_first_row(const std::string& extension, const read_options& options) {
  while (!find_first_line()) {
    const auto result = text_.fill();
    if (result == text_buffer::filled::full) break;  // numbers in one long line, or an error below
    if (result == text_buffer::filled::ended) return;
  }
  line_begin_ = text_.begin();
  const std::string_view start(text_.begin(), text_.end());
  const char delimiter = delimiter_of(start.substr(0, start.find('\n')), extension, options);
  if (!is_table(delimiter, extension, options)) return;
  layout_.table = true;
  layout_.delimiter = delimiter;
  first_row first;
  text_row row;
  for (;;) {
    first.fields.clear();
    row = scan_row(text_.begin(), text_.end(), delimiter,
                   [&](std::int64_t, std::string_view raw, bool doubled) {
                     first.fields.push_back(unquoted(raw, doubled));
                   });
    check_row(row);
    if (row.result == text_row::outcome::whole || !more()) break;
  }
  for (const std::string& field : first.fields) {
    const bool missing = std::find(missing_.begin(), missing_.end(), field) != missing_.end();
    first.numeric.push_back(missing || is_number(field));
  }
  const std::ptrdiff_t row_bytes = row.end - text_.begin();
  first.next_row = [this, row_bytes] { return numbers_behind(row_bytes); };
  layout_ = table_layout(delimiter, first, options);
  if (layout_.header) {
    line_ += row.num_lines;
    text_.consume(text_.begin() + row_bytes);
  }
}

// Which fields are numbers in the row that comes so many bytes behind the beginning of the window,
// which stays there. Nothing is said of a row that ends behind the window, or is malformed.
std::vector<bool> text_reader::numbers_behind(std::ptrdiff_t num_bytes) {
  for (;;) {
    std::vector<bool> numeric;
    const text_row row = scan_row(text_.begin() + num_bytes, text_.end(), layout_.delimiter,
                                  [&](std::int64_t, std::string_view raw, bool doubled) {
                                    numeric.push_back(is_number(unquoted(raw, doubled)));
                                  });
    if (row.result == text_row::outcome::text_after_quote) return {};
    if (row.result == text_row::outcome::whole) {
      if (!row.blank) return numeric;
      num_bytes = row.end - text_.begin();
    } else if (text_.fill() != text_buffer::filled::more) {
      return {};
    }
  }
}

// Consumes blank lines. False if the window ends before the end of the first other line.
bool text_reader::find_first_line() {
  for (;;) {
    const char* line = text_.begin();
    const auto* end = static_cast<const char*>(
        std::memchr(line, '\n', static_cast<std::size_t>(text_.end() - line)));
    if (end == nullptr) return false;
    if (!std::all_of(line, end, is_blank)) return true;
    ++line_;
    text_.consume(end + 1);
  }
}

bool text_reader::is_numeric(std::string_view field) const {
  return visit_dtype(type_, [&]<class T>() {
    T value;
    return parse_number(field, value) != text_fault::not_a_number;
  });
}

// 1.5 is no name of a column of integers, but a mistake.
bool text_reader::is_number(std::string_view field) const {
  double value = 0;
  return is_numeric(field) || parse_number(field, value) != text_fault::not_a_number;
}

}  // namespace monofold::cli
