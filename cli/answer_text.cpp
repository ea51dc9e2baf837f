#include "cli/answer_text.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <string_view>

#include "cli/joined.hpp"
#include "cli/text_row.hpp"

namespace monofold::cli {
namespace {

using runtime::answer;
using runtime::operation;

std::vector<std::string> texts_of(const answer& from, std::size_t begin, std::size_t end,
                                  dtype type, number_form form) {
  std::vector<std::string> texts;
  for (std::size_t i = begin; i < end; ++i) {
    texts.push_back(number_text(from.values[i], form, type, from.op));
  }
  return texts;
}

std::vector<std::string> index_texts(const answer& from) {
  std::vector<std::string> texts;
  for (const std::int64_t index : from.indices) texts.push_back(std::to_string(index));
  return texts;
}

std::string json_part(const answer_part& part) {
  const std::string list = joined(part.texts, ",");
  return fmt::format("\"{}\":{}", part.name, part.is_list ? "[" + list + "]" : list);
}

std::string csv_field(const std::string& text) {
  // Blanks at its ends would not be read again.
  const bool is_plain = text.find_first_of(",\"\r\n") == text.npos && trimmed(text) == text;
  if (is_plain) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

}  // namespace

std::vector<answer_part> parts_of(const answer& from, dtype type, number_form form) {
  const std::size_t size = from.values.size();
  switch (from.op) {
    case operation::minmax:
    case operation::softmax_denominator: {
      const auto [first, second] = names_of_pair(from.op);
      return {{std::string(first), false, texts_of(from, 0, 1, type, form)},
              {std::string(second), false, texts_of(from, 1, 2, type, form)}};
    }
    case operation::argmin:
    case operation::argmax:
      return {{"value", false, texts_of(from, 0, size, type, form)},
              {"index", false, index_texts(from)}};
    case operation::top:
    case operation::bottom:
      return {{"values", true, texts_of(from, 0, size, type, form)},
              {"indices", true, index_texts(from)}};
    default: return {{"value", false, texts_of(from, 0, size, type, form)}};
  }
}

std::string one_line(const answer& from, dtype type, number_form form) {
  std::string line;
  for (const answer_part& part : parts_of(from, type, form)) {
    if (is_position(from.op) && part.name == "value") continue;
    if (part.is_list && part.name == "indices") continue;
    for (const std::string& text : part.texts) line += (line.empty() ? "" : " ") + text;
  }
  return line;
}

std::string json_parts(const std::vector<answer_part>& parts) {
  std::string out;
  for (const answer_part& part : parts) out += (out.empty() ? "" : ",") + json_part(part);
  return out;
}

std::string json_answer(const answer& from, dtype type, number_form form) {
  const std::vector<answer_part> parts = parts_of(from, type, form);
  const std::string_view name = runtime::info(from.op).name;
  if (is_position(from.op)) return fmt::format("\"{}\":{}", name, parts[1].texts[0]);
  if (parts.size() == 1) return fmt::format("\"{}\":{}", name, parts[0].texts[0]);
  return fmt::format("\"{}\":{{{}}}", name, json_parts(parts));
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string out;
  for (const std::string& field : fields)
    out += (&field == &fields[0] ? "" : ",") + csv_field(field);
  return out + '\n';
}

}  // namespace monofold::cli
