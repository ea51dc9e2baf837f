#include "cli/text_table.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "cli/quote.hpp"

namespace monofold::cli {
namespace {

constexpr std::size_t most_listed = 20;

std::string list_of(const std::vector<std::string>& fields) {
  std::string list;
  for (std::size_t i = 0; i < fields.size() && i < most_listed; ++i) {
    list += (i == 0 ? "" : ", ") + std::to_string(i + 1) + " " + quote(fields[i]);
  }
  if (fields.size() > most_listed) list += ", ...";
  return list;
}

// A number counts columns from 1, but a name that is a number and no such column is a name.
std::optional<std::int64_t> column_number(const std::string& text, std::size_t num_columns) {
  std::int64_t number = 0;
  const char* last = text.data() + text.size();
  const auto [end, code] = std::from_chars(text.data(), last, number);
  if (end != last || code != std::errc()) return std::nullopt;
  if (number < 1 || number > static_cast<std::int64_t>(num_columns)) return std::nullopt;
  return number - 1;
}

std::int64_t column_named(const std::string& name, const std::vector<std::string>& fields) {
  const auto found = std::find(fields.begin(), fields.end(), name);
  if (found == fields.end()) {
    throw input_error("column " + quote(name) + " not found; the columns are " + list_of(fields));
  }
  if (std::find(found + 1, fields.end(), name) != fields.end()) {
    throw input_error("column " + quote(name) + " occurs twice; the columns are " +
                      list_of(fields));
  }
  return found - fields.begin();
}

// An empty field in the first row is no name if the rest of the row is numbers.
bool is_header(std::size_t column, const std::vector<std::string>& fields,
               const std::vector<bool>& numeric) {
  if (!fields[column].empty()) return !numeric[column];
  if (numeric[column]) return false;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!fields[i].empty() && !numeric[i]) return true;
  }
  return false;
}

}  // namespace

char delimiter_of(std::string_view line, const std::string& extension,
                  const read_options& options) {
  if (options.delimiter) return *options.delimiter;
  if (extension == ".tsv") return '\t';
  line = trimmed(line);
  bool quoted = false;
  bool tab = false;
  for (const char c : line) {
    quoted ^= c == '"';
    if (!quoted && c == ',') return ',';
    tab |= !quoted && c == '\t';
  }
  if (tab) return '\t';
  return extension == ".csv" ? ',' : blank_delimiter;
}

bool is_table(char delimiter, const std::string& extension, const read_options& options) {
  return options.column || options.delimiter || extension == ".csv" || extension == ".tsv" ||
         delimiter != blank_delimiter;
}

text_layout table_layout(char delimiter, const std::vector<std::string>& fields,
                         const std::vector<bool>& numeric, const read_options& options) {
  text_layout layout;
  layout.table = true;
  layout.delimiter = delimiter;
  layout.num_columns = static_cast<std::int64_t>(fields.size());
  if (!options.column && fields.size() > 1) {
    throw input_error("found " + std::to_string(fields.size()) +
                      " columns, expected --column to name one; the columns are " +
                      list_of(fields));
  }
  if (options.column) {
    const auto number = column_number(*options.column, fields.size());
    layout.header = !number;
    layout.column = number ? *number : column_named(*options.column, fields);
  }
  const auto column = static_cast<std::size_t>(layout.column);
  layout.header = layout.header || is_header(column, fields, numeric);
  if (layout.header) layout.name = fields[column];
  return layout;
}

}  // namespace monofold::cli
