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

bool is_header(std::size_t column, const first_row& row) {
  const auto is_word = [&](std::size_t i) { return !row.numeric[i] && !row.fields[i].empty(); };
  if (is_word(column)) return true;
  std::vector<std::size_t> words;
  for (std::size_t i = 0; i < row.fields.size(); ++i) {
    if (is_word(i)) words.push_back(i);
  }
  if (words.empty()) return false;
  if (!row.numeric[column]) return true;
  const std::vector<bool> below = row.next_row();
  return std::any_of(words.begin(), words.end(),
                     [&](std::size_t i) { return i < below.size() && below[i]; });
}

std::int64_t column_asked_for(const std::string& wanted, const std::vector<std::string>& fields,
                              text_layout& layout, header_rule rule) {
  if (const auto number = column_number(wanted, fields.size())) return *number;
  if (rule == header_rule::absent) {
    throw input_error("column " + quote(wanted) + " not found; without a header columns are 1 to " +
                      std::to_string(fields.size()));
  }
  layout.header = true;
  return column_named(wanted, fields);
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
  return options.column || !options.by.empty() || options.delimiter ||
         options.header == header_rule::present || extension == ".csv" || extension == ".tsv" ||
         delimiter != blank_delimiter;
}

text_layout table_layout(char delimiter, const first_row& row, const read_options& options) {
  const std::vector<std::string>& fields = row.fields;
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
    layout.column = column_asked_for(*options.column, fields, layout, options.header);
  }
  for (const std::string& name : options.by) {
    layout.by.push_back(column_asked_for(name, fields, layout, options.header));
  }
  const auto column = static_cast<std::size_t>(layout.column);
  if (options.header == header_rule::present) layout.header = true;
  if (options.header == header_rule::detect && !layout.header) {
    layout.header = is_header(column, row);
  }
  if (layout.header) layout.name = fields[column];
  for (std::size_t i = 0; i < layout.by.size(); ++i) {
    layout.by_names.push_back(layout.header ? fields[static_cast<std::size_t>(layout.by[i])]
                                            : options.by[i]);
  }
  return layout;
}

}  // namespace monofold::cli
