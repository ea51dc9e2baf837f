#pragma once
/// cli/text_table: how a text is laid out, told from its first row and what the user said.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/source.hpp"
#include "cli/text_row.hpp"

namespace monofold::cli {

/// Two layouts: numbers separated by blanks and newlines, however many stand in a line; or a table,
/// one column of which is read.
struct text_layout {
  bool table = false;
  char delimiter = blank_delimiter;
  std::int64_t column = 0;  // which one is read, from 0
  std::int64_t num_columns = 1;
  bool header = false;             // the first row holds the names
  std::string name;                // of the column, if there is a header
  std::vector<std::int64_t> by{};  // the columns of --by, and what they are called
  std::vector<std::string> by_names{};
};

/// The separator of the first line: the one asked for, else the one of the extension, else a comma
/// or a tab outside quotes, else blanks (a comma in a file named .csv).
char delimiter_of(std::string_view line, const std::string& extension, const read_options& options);

/// True if the text is to be read as a table: the user named a column or a delimiter or said that
/// there is a header, the extension is .csv or .tsv, or the first line has commas or tabs.
bool is_table(char delimiter, const std::string& extension, const read_options& options);

/// The first row of a table.
struct first_row {
  std::vector<std::string> fields;
  std::vector<bool> numeric;  // field i is a number, or text that stands for a missing one
  /// Which fields of the next row are numbers; empty if there is none. Called where it matters.
  std::function<std::vector<bool>()> next_row;
};

/// Finds the column, and whether the first row is a header. It is, unless `options.header` decides,
/// where the column was asked for by name; where its field is no number; or where some field is no
/// number and the one below it is. An empty field has no say, since data may begin with one: the
/// field of the column then counts as a name only beside one that is neither empty nor a number.
///
/// errors     `input_error`: no such column, a name that two columns have, or several columns and
///            none named; each message lists the columns
/// tested by  tests/cli/text_source_test.cpp
text_layout table_layout(char delimiter, const first_row& row, const read_options& options);

}  // namespace monofold::cli
