#include "cli/report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include "cli/answer_text.hpp"
#include "cli/joined.hpp"
#include "cli/json.hpp"
#include "cli/number_text.hpp"
#include "cli/operation_pages.hpp"
#include "cli/output.hpp"
#include "cli/table.hpp"

namespace monofold::cli {
namespace {

using runtime::answer;
using runtime::operation;

// Column name and text of every part of every answer in one CSV row.
std::vector<std::pair<std::string, std::string>> csv_cells(const std::vector<answer>& answers,
                                                           dtype type, number_form form) {
  std::vector<std::pair<std::string, std::string>> cells;
  for (const answer& from : answers) {
    const std::string name(runtime::info(from.op).name);
    for (const answer_part& part : parts_of(from, type, form)) {
      std::string column = part.name;
      if (answers.size() > 1) {
        if (is_position(from.op) && part.name == "value") continue;
        column = part.name == "value" || part.name == "index" ? name : name + "_" + part.name;
        if (from.op == operation::count) continue;  // the column `count` of every row
      }
      cells.emplace_back(column, joined(part.texts, " "));
    }
  }
  return cells;
}

// What the key `count` of a row says: the answer of that operation, if it is one of several.
std::string count_of(const report_row& row) {
  for (const answer& from : row.answers) {
    if (from.op != operation::count || row.answers.size() == 1) continue;
    return number_text(from.values[0], number_form::decimal, row.type, from.op);
  }
  return std::to_string(row.count);
}

}  // namespace

std::string report::add(const report_row& row) {
  switch (style_.form) {
    case output_form::json: return json(row);
    case output_form::csv: return csv(row);
    case output_form::text: break;
  }
  if (!style_.one_file) {
    add_to_table(row);
    return {};
  }
  return row.answers.size() == 1 ? bare(row) : named(row);
}

std::string report::finish() {
  if (table_.empty()) return {};
  std::vector<std::string> header{"file"};
  for (const operation op : style_.ops) header.emplace_back(runtime::info(op).name);
  if (style_.ops.size() == 1 && is_list(style_.ops[0])) header.emplace_back("index");
  if (style_.ops.size() == 1 && runtime::is_pair(style_.ops[0])) {
    header = {"file"};
    for (const std::string_view name : names_of_pair(style_.ops[0])) header.emplace_back(name);
  }
  table_.insert(table_.begin(), header);
  return aligned_table(table_, {align::left, align::right});
}

std::string report::bare(const report_row& row) const {
  const answer& from = row.answers[0];
  const number_form form =
      style_.base == number_base::hex ? number_form::hex : number_form::decimal;
  if (!is_list(from.op)) return one_line(from, row.type, form) + '\n';
  std::string out;
  const auto parts = parts_of(from, row.type, form);
  for (std::size_t i = 0; i < from.values.size(); ++i) {
    out += fmt::format("{} {}\n", parts[0].texts[i], parts[1].texts[i]);
  }
  return out;
}

std::string report::named(const report_row& row) const {
  const number_form form =
      style_.base == number_base::hex ? number_form::hex : number_form::decimal;
  std::vector<std::vector<std::string>> lines;
  for (const answer& from : row.answers) {
    lines.push_back({std::string(runtime::info(from.op).name), one_line(from, row.type, form)});
  }
  if (row.missing > 0) lines.push_back({"missing", std::to_string(row.missing)});
  return aligned_table(lines, {align::left});
}

void report::add_to_table(const report_row& row) {
  const number_form form =
      style_.base == number_base::hex ? number_form::hex : number_form::decimal;
  const bool single = row.answers.size() == 1;
  const auto parts = parts_of(row.answers[0], row.type, form);
  if (single && is_list(row.answers[0].op)) {
    for (std::size_t i = 0; i < row.answers[0].values.size(); ++i) {
      table_.push_back({escaped_name(row.file), parts[0].texts[i], parts[1].texts[i]});
    }
    return;
  }
  std::vector<std::string> line{escaped_name(row.file)};
  if (single && runtime::is_pair(row.answers[0].op)) {
    line.insert(line.end(), {parts[0].texts[0], parts[1].texts[0]});
  } else {
    for (const answer& from : row.answers) line.push_back(one_line(from, row.type, form));
  }
  table_.push_back(line);
}

std::string report::json(const report_row& row) const {
  const number_form form =
      style_.base == number_base::hex ? number_form::json_hex : number_form::json;
  std::string out =
      fmt::format("{{\"op\":{},\"file\":{}", json_text(style_.label), json_text(row.file));
  if (!row.other.empty()) out += fmt::format(",\"other\":{}", json_text(row.other));
  out += fmt::format(",\"dtype\":\"{}\",\"count\":{}", info(row.type).name, count_of(row));
  if (row.missing > 0) out += fmt::format(",\"missing\":{}", row.missing);
  if (row.answers.size() == 1) {
    out += ',' + json_parts(parts_of(row.answers[0], row.type, form));
  } else {
    for (const answer& from : row.answers) {
      if (from.op != operation::count) out += ',' + json_answer(from, row.type, form);
    }
  }
  return out + fmt::format(",\"engine\":\"{}\",\"seconds\":{:.6g},\"bytes\":{}}}\n", style_.engine,
                           row.seconds, row.bytes);
}

std::string report::csv(const report_row& row) {
  const number_form form =
      style_.base == number_base::hex ? number_form::hex : number_form::decimal;
  std::vector<std::string> names{"file"};
  if (row.answers[0].op == operation::dot) names.emplace_back("other");
  names.insert(names.end(), {"dtype", "count", "missing"});
  std::vector<std::string> start{row.file};
  if (row.answers[0].op == operation::dot) start.push_back(row.other);
  start.insert(start.end(),
               {std::string(info(row.type).name), count_of(row), std::to_string(row.missing)});
  const std::vector<std::string> end{style_.engine, fmt::format("{:.6g}", row.seconds),
                                     std::to_string(row.bytes)};
  std::vector<std::vector<std::string>> rows;
  if (row.answers.size() == 1 && is_list(row.answers[0].op)) {
    names.insert(names.end(), {"value", "index"});
    const auto parts = parts_of(row.answers[0], row.type, form);
    for (std::size_t i = 0; i < row.answers[0].values.size(); ++i) {
      rows.push_back(start);
      rows.back().insert(rows.back().end(), {parts[0].texts[i], parts[1].texts[i]});
    }
  } else {
    rows.push_back(start);
    for (const auto& [name, text] : csv_cells(row.answers, row.type, form)) {
      names.push_back(name);
      rows.back().push_back(text);
    }
  }
  names.insert(names.end(), {"engine", "seconds", "bytes"});
  std::string out = csv_header_printed_ ? "" : csv_line(names);
  csv_header_printed_ = true;
  for (auto& line : rows) {
    line.insert(line.end(), end.begin(), end.end());
    out += csv_line(line);
  }
  return out;
}

}  // namespace monofold::cli
