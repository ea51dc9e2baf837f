#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/array_source.hpp"
#include "cli/quote.hpp"
#include "cli/readers.hpp"
#include "cli/text_buffer.hpp"
#include "cli/text_parse.hpp"
#include "cli/text_rounding.hpp"
#include "cli/text_table.hpp"

namespace monofold::cli {
namespace {

constexpr std::int64_t chunk_items = 128 << 10;  // 1 MiB of doubles: they are reduced while cached

constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// What `parse_prefix` may take. A field ends at its delimiter even where a number would go on.
constexpr bool occurs_in_numbers(char c) {
  return std::string_view("+-.0123456789eE").find(c) != std::string_view::npos;
}

class text_source final : public source {
 public:
  text_source(std::unique_ptr<byte_stream> stream, const std::string& extension,
              const read_options& options)
      : text_(std::move(stream)),
        type_(options.type.value_or(dtype::float64)),
        missing_(options.missing),
        rounding_(options.type ? rounding_watch::state::off : rounding_watch::state::on),
        guessed_(options.type && !format_said(extension, options)),
        items_(make_buffer(chunk_items * info(type_).size_bytes)) {
    number_missing_ = std::any_of(missing_.begin(), missing_.end(),
                                  [&](const std::string& token) { return is_numeric(token); });
    skip_byte_order_mark();
    read_first_row(extension, options);
  }

  dtype type() const override { return type_; }
  std::optional<std::int64_t> count() const override { return std::nullopt; }
  std::optional<std::int64_t> total_bytes() const override { return std::nullopt; }
  std::int64_t consumed_bytes() const override { return text_.taken_bytes(); }
  std::int64_t missing_count() const override { return missing_count_; }
  std::vector<std::string> remarks() const override {
    std::vector<std::string> out;
    if (guessed_) out.emplace_back("read as text, as it looks; --format raw reads its bytes");
    if (const auto rounded = rounding_.remark()) out.push_back(*rounded);
    return out;
  }

  chunk next() override {
    const std::int64_t count = visit_dtype(type_, [this]<class T>() { return parse<T>(); });
    return {items_.get(), count};
  }

 private:
  // Parses until the buffer of items is full or the text has ended.
  template <class T>
  std::int64_t parse() {
    auto* begin = static_cast<T*>(items_.get());
    T* out = begin;
    T* const out_end = begin + chunk_items;
    for (;;) {
      out = layout_.table ? parse_rows(out, out_end) : parse_tokens(out, out_end);
      if (out == out_end || !more()) return out - begin;
    }
  }

  // Numbers between blanks. Stops where the items are full, or at a token that may go on behind the
  // window.
  template <class T>
  T* parse_tokens(T* out, T* const out_end) {
    const char* at = text_.begin();
    const char* const last = text_.end();
    const bool plain = !number_missing_;
    while (out != out_end) {
      for (; at != last && is_blank(*at); ++at) {
        if (*at != '\n') continue;
        ++line_;
        before_line_ = 0;
        line_begin_ = at + 1;
      }
      if (at == last) break;
      const char* end = plain ? parse_prefix(at, last, *out) : at;
      if (end == at || end == last || !is_blank(*end)) {
        end = at;
        while (!is_blank(*end)) ++end;
        if (end == last) break;
        const std::string_view token(at, end);
        if (!is_missing(token)) {
          const text_fault fault = parse_number(token, *out);
          if (fault != text_fault::none) fail_token(at, token, fault);
          rounding_.look(at, end);
          ++out;
        }
      } else {
        rounding_.look(at, end);
        ++out;
      }
      at = end;
      any_token_ = true;
    }
    // The window moves; how far the line had come is remembered as a count.
    before_line_ += at - line_begin_;
    text_.consume(at);
    line_begin_ = at;
    return out;
  }

  // Rows of a table. The common row has no quotes: its column is parsed where it is found, and only
  // delimiters are counted behind it. Any other row is scanned as a whole.
  template <class T>
  T* parse_rows(T* out, T* const out_end) {
    const char* at = text_.begin();
    const char* const last = text_.end();
    const bool plain = !number_missing_ && layout_.delimiter != blank_delimiter &&
                       !occurs_in_numbers(layout_.delimiter);
    while (out != out_end && at != last) {
      const char* end = plain ? parse_plain_row(at, last, *out) : at;
      if (end != at) {
        ++out;
        ++line_;
      } else {
        bool kept = false;
        end = parse_any_row(at, last, *out, kept);
        if (end == at) break;
        out += kept;
      }
      at = end;
    }
    text_.consume(at);
    return out;
  }

  // The end of the row, or `first` if it is not as simple as that.
  template <class T>
  const char* parse_plain_row(const char* first, const char* last, T& out) {
    const char delimiter = layout_.delimiter;
    const char* at = first;
    const auto skips = [&](char c) { return is_space(c) && c != delimiter; };
    for (std::int64_t i = 0; i < layout_.column; ++i, ++at) {
      while (skips(*at)) ++at;
      if (*at == '"') return first;
      while (*at != delimiter && *at != '\n') ++at;
      if (*at == '\n') return first;
    }
    while (skips(*at)) ++at;
    const char* end = parse_prefix(at, last, out);
    if (end == at) return first;
    rounding_.look(at, end);
    while (skips(*end)) ++end;
    std::int64_t left = layout_.num_columns - layout_.column - 1;
    for (; *end == delimiter; --left) {
      ++end;
      while (skips(*end)) ++end;
      if (*end == '"') return first;
      while (*end != delimiter && *end != '\n') ++end;
    }
    return *end == '\n' && end < last && left == 0 ? end + 1 : first;
  }

  // The end of the row, or `first` if the window ends inside it.
  template <class T>
  const char* parse_any_row(const char* first, const char* last, T& out, bool& kept) {
    std::string_view raw;
    bool doubled = false;
    const auto choose = [&](std::int64_t index, std::string_view text, bool doubled_quotes) {
      if (index != layout_.column) return;
      raw = text;
      doubled = doubled_quotes;
    };
    const text_row row = scan_row(first, last, layout_.delimiter, choose);
    check_row(row);
    if (row.result == text_row::outcome::incomplete) return first;
    if (!row.blank) {
      if (row.num_fields != layout_.num_columns) {
        throw input_error("line " + std::to_string(line_) + ": found " +
                          count_columns(row.num_fields) + ", expected " +
                          std::to_string(layout_.num_columns));
      }
      const std::string token = unquoted(raw, doubled);
      kept = !is_missing(token);
      if (kept) {
        const text_fault fault = parse_number(std::string_view(token), out);
        if (fault != text_fault::none) fail_field(token, fault);
        rounding_.look(token.data(), token.data() + token.size());
      }
    }
    line_ += row.num_lines;
    return row.end;
  }

  static std::string count_columns(std::int64_t count) {
    return std::to_string(count) + (count == 1 ? " column" : " columns");
  }

  bool is_missing(std::string_view token) {
    const bool found = std::find(missing_.begin(), missing_.end(), token) != missing_.end();
    missing_count_ += found;
    return found;
  }

  void check_row(const text_row& row) const {
    if (row.result != text_row::outcome::text_after_quote) return;
    throw input_error("line " + std::to_string(line_ + row.num_lines - 1) + ", column " +
                      std::to_string(row.num_fields + 1) +
                      ": expected the end of the field after the closing quote, found " +
                      quote(row.after_quote));
  }

  // False at the end of the text.
  bool more() {
    switch (text_.fill()) {
      case text_buffer::filled::more: break;
      case text_buffer::filled::full: fail_long();
      case text_buffer::filled::ended:
        if (text_.begin() == text_.end()) return false;
        // Only an open quote keeps a row from ending with the text.
        throw input_error("line " + std::to_string(line_) +
                          ": a quoted field has no closing quote");
    }
    line_begin_ = text_.begin();
    return true;
  }

  [[noreturn]] void fail_long() const {
    throw input_error("line " + std::to_string(line_) + ": longer than " +
                      std::to_string(text_buffer::window_bytes) + " bytes without an end of " +
                      (layout_.table ? "the row" : "the number"));
  }

  [[noreturn]] void fail_token(const char* at, std::string_view token, text_fault fault) const {
    std::string message = "line " + std::to_string(line_) + ", character " +
                          std::to_string(before_line_ + (at - line_begin_) + 1) + ": " +
                          describe_fault(fault, type_, token);
    if (!any_token_ && !is_number(token)) {
      message += guessed_ ? "; if it is not text, say --format raw"
                          : "; if it is a header, say --header yes";
    }
    throw input_error(message);
  }

  [[noreturn]] void fail_field(std::string_view token, text_fault fault) const {
    std::string place =
        "line " + std::to_string(line_) + ", column " + std::to_string(layout_.column + 1);
    if (layout_.header) place += " (" + quote(layout_.name) + ")";
    throw input_error(place + ": " + describe_fault(fault, type_, token));
  }

  void skip_byte_order_mark() {
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
  void read_first_row(const std::string& extension, const read_options& options) {
    while (!find_first_line()) {
      const auto result = text_.fill();
      if (result == text_buffer::filled::full)
        break;  // numbers in one long line, or an error below
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
  // which stays there. Of a row that ends behind the window, or is malformed, nothing is said.
  std::vector<bool> numbers_behind(std::ptrdiff_t num_bytes) {
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
  bool find_first_line() {
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

  bool is_numeric(std::string_view field) const {
    return visit_dtype(type_, [&]<class T>() {
      T value;
      return parse_number(field, value) != text_fault::not_a_number;
    });
  }

  // 1.5 is no name of a column of integers, but a mistake.
  bool is_number(std::string_view field) const {
    double value = 0;
    return is_numeric(field) || parse_number(field, value) != text_fault::not_a_number;
  }

  text_buffer text_;
  dtype type_;
  std::vector<std::string> missing_;
  rounding_watch rounding_;
  bool guessed_;  // that it is text: nobody said so, and with --dtype it could be raw
  bool number_missing_ = false;  // one of them is a number: every token must be compared
  aligned_buffer items_;
  text_layout layout_;
  std::int64_t missing_count_ = 0;
  std::int64_t line_ = 1;
  const char* line_begin_ = nullptr;  // blanks only: the line, or the window if it began before
  std::int64_t before_line_ = 0;      // bytes of the line that have left the window
  bool any_token_ = false;
};

}  // namespace

std::unique_ptr<source> open_text(std::unique_ptr<byte_stream> stream, const std::string& name,
                                  const read_options& options) {
  if (options.delimiter &&
      (*options.delimiter == '"' || *options.delimiter == '\n' || *options.delimiter == '\r')) {
    throw input_error("a quote or the end of a line cannot separate columns");
  }
  return std::make_unique<text_source>(std::move(stream), extension_of(name), options);
}

}  // namespace monofold::cli
