#pragma once
/// cli/text_reader: what every reader of text knows: where it stands, how it is laid out, what is wrong.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/source.hpp"
#include "cli/text_buffer.hpp"
#include "cli/text_parse.hpp"
#include "cli/text_row.hpp"
#include "cli/text_table.hpp"

namespace monofold::cli {

/// A text whose first row has been looked at; a header has been taken.
///
/// errors     `input_error`, which names the line and the column
/// tested by  tests/cli/text_source_test.cpp, tests/cli/text_header_test.cpp
class text_reader {
 protected:
  text_reader(std::unique_ptr<byte_stream> stream, const std::string& extension,
              const read_options& options);

  /// Whether a token stands for a missing number; such are counted.
  bool is_missing(std::string_view token);
  /// Throws where a row is malformed.
  void check_row(const text_row& row) const;
  /// The same where it has too many fields or too few.
  void check_columns(const text_row& row) const;
  /// More text behind the window; false at the end of it.
  bool more();
  /// The number in a field of the column, or an error that says where it stands.
  template <class T>
  T number_in(std::string_view token) const {
    T value;
    const text_fault fault = parse_number(token, value);
    if (fault != text_fault::none) fail_field(token, fault);
    return value;
  }
  [[noreturn]] void fail_token(const char* at, std::string_view token, text_fault fault) const;

  text_buffer text_;
  dtype type_;
  std::vector<std::string> missing_;
  bool guessed_;  // that it is text: nobody said so, and with --dtype it could be raw
  bool number_missing_ = false;  // one of them is a number: every token must be compared
  text_layout layout_;
  std::int64_t missing_count_ = 0;
  std::int64_t line_ = 1;
  const char* line_begin_ = nullptr;  // blanks only: the line, or the window if it began before
  std::int64_t before_line_ = 0;      // bytes of the line that have left the window
  bool any_token_ = false;

 private:
  [[noreturn]] void fail_long() const;
  [[noreturn]] void fail_field(std::string_view token, text_fault fault) const;
  void skip_byte_order_mark();
  void read_first_row(const std::string& extension, const read_options& options);
  std::vector<bool> numbers_behind(std::ptrdiff_t num_bytes);
  bool find_first_line();
  bool is_numeric(std::string_view field) const;
  bool is_number(std::string_view field) const;
};

}  // namespace monofold::cli
