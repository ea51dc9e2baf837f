// The text reader. Four bytes choose the options, the rest is the text. Three readings must agree:
// at once, in pieces, and without the short cuts for plain numbers; what they accept is compared
// with the text split in the obvious way.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/readers.hpp"
#include "cli/text_parse.hpp"
#include "cli/text_table.hpp"
#include "tests/cli/dribble.hpp"
#include "tests/fuzz/properties.hpp"

namespace {

using fuzz::reading;
using fuzz::require;
using monofold::dtype;
using monofold::cli::header_rule;
using monofold::cli::read_options;

constexpr std::array<const char*, 4> extensions{"", ".csv", ".tsv", ".txt"};
constexpr std::array<const char*, 7> column_names{nullptr, nullptr, "1", "2", "3", "x", "b c"};
// Some occur in numbers.
constexpr std::array<char, 10> delimiters{'\0', '\0', ',', ';', '\t', ' ', '|', '-', '.', '5'};
constexpr std::array<header_rule, 4> header_rules{header_rule::detect, header_rule::detect,
                                                  header_rule::present, header_rule::absent};
constexpr std::array<const char*, 6> missing_tokens{nullptr, nullptr, "NA", "", "nan", "-9"};

struct choices {
  std::string extension;
  read_options options;
};

choices choose(std::string_view bytes) {
  const auto pick = [&](std::size_t i, const auto& list) {
    return list[static_cast<std::uint8_t>(bytes[i]) % list.size()];
  };
  choices out;
  out.options.type = pick(0, monofold::dtypes).type;
  out.options.format = monofold::cli::file_format::text;  // else a guess, and messages say so
  out.extension = pick(1, extensions);
  if (const char* column = pick(2, column_names)) out.options.column = column;
  if (const char delimiter = pick(3, delimiters)) out.options.delimiter = delimiter;
  // The same bytes again: every seventh and every tenth of them is another.
  const auto seventh = static_cast<std::uint8_t>(bytes[2]) / column_names.size();
  out.options.header = header_rules[seventh % header_rules.size()];
  const auto tenth = static_cast<std::uint8_t>(bytes[3]) / delimiters.size();
  if (const char* token = missing_tokens[tenth % missing_tokens.size()]) {
    out.options.missing.emplace_back(token);
  }
  return out;
}

reading read(monofold::cli::descriptor file, const choices& how) {
  return fuzz::read_all([&] {
    return open_text(std::make_unique<monofold::cli::byte_stream>(std::move(file)), how.extension,
                     how.options);
  });
}

void check_place(const std::string& message, std::string_view text) {
  if (!message.starts_with("line ")) {
    const bool known = message.starts_with("found ") || message.starts_with("column ") ||
                       message.starts_with("the text is UTF-16");
    require(known, "a message says where", message);
    return;
  }
  const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
  const std::int64_t line = fuzz::require_number_after(message, "line ", 1);
  require(line <= lines, "the line is in the text", message);
  const std::string place = message.substr(0, message.find(": "));
  for (const std::string_view word : {", column ", ", character "}) {
    if (place.find(word) == std::string::npos) continue;
    const std::int64_t number = fuzz::require_number_after(place, word, 1);
    require(number <= static_cast<std::int64_t>(text.size()) + 1, "the place is in the text");
  }
}

std::vector<std::string> split(std::string_view text, std::string_view separators, bool runs) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (separators.find(c) == std::string_view::npos) {
      parts.back() += c;
    } else if (!runs || !parts.back().empty()) {
      parts.emplace_back();
    }
  }
  if (runs && parts.back().empty()) parts.pop_back();
  return parts;
}

// The column of a table without quotes, the name in it too, if there is one.
std::vector<std::string> column_of(std::string_view text, char delimiter, const choices& how) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& line : split(text, "\n", false)) {
    const bool blank = line.find_first_not_of(" \t\r\v\f") == std::string::npos;
    if (rows.empty() && blank) continue;
    const bool by_blanks = delimiter == monofold::cli::blank_delimiter;
    std::vector<std::string> row =
        by_blanks ? split(line, " \t\r", true) : split(line, {&delimiter, 1}, false);
    for (std::string& field : row) field = monofold::cli::trimmed(field);
    if (row.empty() || row == std::vector<std::string>{""}) continue;
    rows.push_back(std::move(row));
  }
  if (rows.empty()) return {};
  std::size_t column = 0;
  if (const std::optional<std::string>& wanted = how.options.column) {
    const auto named = std::find(rows[0].begin(), rows[0].end(), *wanted);
    const bool digit = (*wanted)[0] >= '1' && (*wanted)[0] <= '3';
    const auto number = static_cast<std::size_t>((*wanted)[0] - '1');
    const bool counted = digit && number < rows[0].size();
    column = counted ? number : static_cast<std::size_t>(named - rows[0].begin());
  }
  std::vector<std::string> fields;
  for (const auto& row : rows) {
    require(row.size() == rows[0].size() && column < row.size(), "rows are as long as the first");
    fields.push_back(row[column]);
  }
  return fields;
}

// The C library rounds correctly too; it is not asked about the types that it does not know.
template <class T>
bool is_number(const std::string& token, T found) {
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, float>) {
    const T wanted = std::is_same_v<T, float> ? static_cast<T>(std::strtof(token.c_str(), nullptr))
                                              : static_cast<T>(std::strtod(token.c_str(), nullptr));
    if (std::isnan(wanted)) return std::isnan(found);
    return wanted == found && std::signbit(wanted) == std::signbit(found);
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    const char* digits = token.c_str();
    const auto wanted = std::is_signed_v<T>
                            ? static_cast<std::uint64_t>(std::strtoll(digits, nullptr, 10))
                            : std::strtoull(digits, nullptr, 10);
    return static_cast<T>(wanted) == found;
  } else {
    T wanted{};
    require(monofold::cli::parse_number(std::string_view(token), wanted) ==
                monofold::cli::text_fault::none,
            "an accepted number is a number");
    return std::memcmp(&wanted, &found, sizeof(T)) == 0;
  }
}

void check_items(std::vector<std::string> tokens, const reading& found, const choices& how) {
  const auto item_bytes = static_cast<std::size_t>(info(*how.options.type).size_bytes);
  const std::size_t num_items = found.items.size() / item_bytes;
  const std::size_t taken = num_items + static_cast<std::size_t>(found.missing);
  if (taken + 1 == tokens.size()) tokens.erase(tokens.begin());  // the name of the column
  require(taken == tokens.size(), "every number is taken once");
  const auto& missing = how.options.missing;
  std::erase_if(tokens, [&](const std::string& token) {
    return std::find(missing.begin(), missing.end(), token) != missing.end();
  });
  require(tokens.size() == num_items, "every missing token is counted");
  monofold::visit_dtype(*how.options.type, [&]<class T>() {
    for (std::size_t i = 0; i < num_items; ++i) {
      T value;
      std::memcpy(&value, found.items.data() + i * sizeof(T), sizeof(T));
      require(is_number(tokens[i], value), "items are the numbers nearest to the text", tokens[i]);
    }
  });
}

void check_accepted(std::string_view text, const reading& found, const choices& how) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  if (text.find('\0') != std::string_view::npos) return;  // the C library stops there
  std::string_view first = text;
  while (!first.empty()) {
    const std::string_view line = first.substr(0, first.find('\n'));
    if (line.find_first_not_of(" \t\r\v\f") != std::string_view::npos) break;
    first.remove_prefix(std::min(first.size(), line.size() + 1));
  }
  const char delimiter =
      monofold::cli::delimiter_of(first.substr(0, first.find('\n')), how.extension, how.options);
  if (first.empty()) {
    check_items({}, found, how);
  } else if (!monofold::cli::is_table(delimiter, how.extension, how.options)) {
    check_items(split(text, " \t\r\n\v\f", true), found, how);
  } else if (text.find('"') == std::string_view::npos) {
    check_items(column_of(text, delimiter, how), found, how);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t num_bytes) {
  if (num_bytes < 4) return 0;
  const std::string_view input = fuzz::text_of(bytes, num_bytes);
  const std::string_view text = input.substr(4);
  choices how = choose(input);

  const reading whole = read(fuzz::memory_file(text), how);
  if (whole.problem.empty()) {
    check_accepted(text, whole, how);
  } else {
    check_place(whole.problem, text);
  }
  {
    monofold::cli::dribble pieces(text, text.size() / 6 + 1);
    require(whole == read(pieces.take_reader(), how), "pieces do not matter", whole.problem);
  }
  // A number among the missing ones, and every token is looked at before it is parsed.
  const std::string never(60, '0');
  if (text.find(never) == std::string_view::npos) {
    how.options.missing.push_back(never);
    const reading slow = read(fuzz::memory_file(text), how);
    require(whole == slow, "short cuts give what the long way gives",
            whole.problem + "\n" + slow.problem);
  }
  return 0;
}
