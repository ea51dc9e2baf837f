#include "cli/group_report.hpp"

#include <fmt/core.h>

#include "cli/answer_text.hpp"
#include "cli/joined.hpp"
#include "cli/json.hpp"
#include "cli/output.hpp"
#include "cli/table.hpp"

namespace monofold::cli {
namespace {

using runtime::answer;
using runtime::operation;

// Whether a part is shown: beside an index not its item, but in JSON.
bool is_shown(operation op, const std::string& part) {
  return !(is_position(op) && part == "value");
}

// The names of the columns of an answer: that of its operation, and where it has several parts theirs too.
std::vector<std::string> column_names(operation op) {
  const std::string name(runtime::info(op).name);
  if (op == operation::minmax) return {"min", "max"};
  if (op == operation::softmax_denominator) return {name + "_max", name + "_sum"};
  if (is_list(op)) return {name, name + "_index"};
  return {name};
}

}  // namespace

void group_report::add(const std::vector<std::string_view>& key, std::int64_t count,
                       const std::vector<answer>& answers) {
  switch (command_.form) {
    case output_form::json: return add_json(key, count, answers);
    case output_form::csv: text_ += csv_line(cells(key, answers)); return;
    case output_form::text: table_.push_back(cells(key, answers)); return;
  }
}

std::string group_report::finish() {
  if (command_.form == output_form::json) return std::move(text_);
  if (command_.form == output_form::csv) return csv_line(header()) + text_;
  table_.insert(table_.begin(), header());
  std::vector<align> columns(key_names_.size(), align::left);
  columns.push_back(align::right);
  return aligned_table(table_, columns);
}

group_report::row group_report::header() const {
  row names;
  const bool as_csv = command_.form == output_form::csv;
  for (const std::string& name : key_names_) names.push_back(as_csv ? name : escaped_name(name));
  for (const operation op : command_.what.ops) {
    for (const std::string& name : column_names(op)) names.push_back(name);
  }
  return names;
}

group_report::row group_report::cells(const std::vector<std::string_view>& key,
                                      const std::vector<answer>& answers) const {
  row out;
  const bool as_csv = command_.form == output_form::csv;
  for (const std::string_view field : key) {
    out.push_back(as_csv ? std::string(field) : escaped_name(std::string(field)));
  }
  const number_form form =
      command_.base == number_base::hex ? number_form::hex : number_form::decimal;
  for (const answer& from : answers) {
    for (const answer_part& part : parts_of(from, type_, form)) {
      if (is_shown(from.op, part.name)) out.push_back(joined(part.texts, " "));
    }
  }
  return out;
}

void group_report::add_json(const std::vector<std::string_view>& key, std::int64_t count,
                            const std::vector<answer>& answers) {
  const number_form form =
      command_.base == number_base::hex ? number_form::json_hex : number_form::json;
  json_object by;
  for (std::size_t i = 0; i < key.size(); ++i) by.add(key_names_[i], key[i]);
  text_ +=
      fmt::format("{{\"op\":{},\"file\":{},\"by\":{},\"dtype\":\"{}\"", json_text(command_.label),
                  json_text(command_.files[0]), by.text(), info(type_).name);
  const bool counted = answers.size() > 1 || answers[0].op != operation::count;
  std::string count_text = std::to_string(count);
  for (const answer& from : answers) {
    if (counted && from.op == operation::count)
      count_text = parts_of(from, type_, form)[0].texts[0];
  }
  text_ += ",\"count\":" + count_text;
  if (answers.size() == 1) {
    text_ += ',' + json_parts(parts_of(answers[0], type_, form));
  } else {
    for (const answer& from : answers) {
      if (from.op != operation::count) text_ += ',' + json_answer(from, type_, form);
    }
  }
  text_ += "}\n";
}

}  // namespace monofold::cli
