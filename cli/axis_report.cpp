#include "cli/axis_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>

#include "cli/joined.hpp"
#include "cli/json.hpp"
#include "cli/npy_writer.hpp"
#include "cli/number_text.hpp"
#include "cli/output.hpp"
#include "cli/output_file.hpp"
#include "cli/table.hpp"

namespace monofold::cli {
namespace {

using runtime::answer_array;
using runtime::operation;

constexpr std::size_t piece_bytes = 1 << 20;  // of text and of records, written at a time

number_form form_of(const reduce_command& command) {
  const bool hex = command.base == number_base::hex;
  if (command.form == output_form::json) return hex ? number_form::json_hex : number_form::json;
  return hex ? number_form::hex : number_form::decimal;
}

std::string text_of(const answer_array& part, std::int64_t i, number_form form, dtype type) {
  return number_text(part.at(i), form, part.name.starts_with("ind") ? dtype::int64 : type, part.op);
}

// The numbers of a row, behind each other.
std::string texts_of(const answer_array& part, std::int64_t row, number_form form, dtype type,
                     std::string_view separator) {
  std::vector<std::string> texts;
  for (std::int64_t i = 0; i < part.width; ++i) {
    texts.push_back(text_of(part, row * part.width + i, form, type));
  }
  return joined(texts, separator);
}

// The index is the answer of argmin and argmax; the item is told where it is asked for alone, by JSON and CSV.
bool is_shown(const answer_array& part, bool with_items) {
  const bool finds = part.op == operation::argmin || part.op == operation::argmax;
  return with_items || !finds || part.name != "value";
}

std::vector<const answer_array*> shown_parts(const axis_report& report, bool with_items) {
  std::vector<const answer_array*> out;
  for (const answer_array& part : report.answers.arrays) {
    if (is_shown(part, with_items)) out.push_back(&part);
  }
  return out;
}

// What a part is called among all that are shown.
std::string name_of(const answer_array& part, const axis_report& report) {
  const std::string op(runtime::info(part.op).name);
  const bool is_whole = part.name == "value" || part.name == "index";
  if (report.command.what.ops.size() > 1) {
    return is_whole ? op : op + "_" + std::string(part.name);
  }
  return std::string(part.name);
}

void print_table(const axis_report& report) {
  std::vector<std::vector<std::string>> lines(1);
  for (const std::int64_t axis : report.kept) lines[0].push_back(fmt::format("axis {}", axis));
  const auto parts = shown_parts(report, false);
  for (const answer_array* part : parts) {
    const std::string name = name_of(*part, report);
    lines[0].push_back(
        name == "value" || name == "index" ? std::string(runtime::info(part->op).name) : name);
  }
  const number_form form = form_of(report.command);
  for (std::int64_t row = 0; row < report.answers.num_rows; ++row) {
    std::vector<std::string>& line = lines.emplace_back();
    for (const std::int64_t index : report.indices_of(row)) line.push_back(std::to_string(index));
    for (const answer_array* part : parts) {
      line.push_back(texts_of(*part, row, form, report.type, " "));
    }
  }
  write_out(aligned_table(lines, {align::right}));
}

std::string csv_row(const axis_report& report, const std::vector<const answer_array*>& parts,
                    std::int64_t row) {
  std::string line;
  for (const std::int64_t index : report.indices_of(row)) line += std::to_string(index) + ',';
  for (const answer_array* part : parts) {
    line += texts_of(*part, row, form_of(report.command), report.type, " ") + ',';
  }
  line.back() = '\n';
  return line;
}

std::string json_row(const axis_report& report, const std::vector<const answer_array*>& parts,
                     std::int64_t row) {
  std::vector<std::string> indices;
  for (const std::int64_t index : report.indices_of(row)) indices.push_back(std::to_string(index));
  std::string line =
      fmt::format("{{\"op\":{},\"file\":{},\"dtype\":\"{}\",\"row\":[{}],\"count\":{}",
                  json_text(report.command.label), json_text(report.command.files[0]),
                  info(report.type).name, joined(indices, ","), report.answers.row_items);
  for (const answer_array* part : parts) {
    const std::string name = name_of(*part, report);
    if (name == "count") continue;
    const std::string texts = texts_of(*part, row, form_of(report.command), report.type, ",");
    const bool is_list = part->op == operation::top || part->op == operation::bottom;
    line += fmt::format(",\"{}\":{}", name, is_list ? "[" + texts + "]" : texts);
  }
  return line + "}\n";
}

void print_rows(const axis_report& report) {
  const bool is_json = report.command.form == output_form::json;
  const auto parts = shown_parts(report, report.command.what.ops.size() == 1);
  std::string text;
  if (!is_json) {
    for (const std::int64_t axis : report.kept) text += fmt::format("axis_{},", axis);
    for (const answer_array* part : parts) text += name_of(*part, report) + ',';
    text.back() = '\n';
  }
  for (std::int64_t row = 0; row < report.answers.num_rows; ++row) {
    text += is_json ? json_row(report, parts, row) : csv_row(report, parts, row);
    if (text.size() < piece_bytes) continue;
    write_out(text);
    text.clear();
  }
  write_out(text);
}

std::size_t bytes_of_row(const answer_array& part) {
  return static_cast<std::size_t>(part.width * info(part.type).size_bytes);
}

// [('min', '<f4'), ('top', '<f4', (3,))]
std::string record_descr(const axis_report& report, const std::vector<const answer_array*>& parts) {
  std::vector<std::string> fields;
  for (const answer_array* part : parts) {
    const bool is_list = part->op == operation::top || part->op == operation::bottom;
    fields.push_back(fmt::format("('{}', '{}'{})", name_of(*part, report), npy_descr(part->type),
                                 is_list ? fmt::format(", ({},)", part->width) : ""));
  }
  return "[" + joined(fields, ", ") + "]";
}

void write_records(output_file& out, const std::vector<const answer_array*>& parts,
                   std::int64_t num_rows) {
  std::vector<unsigned char> records;
  for (std::int64_t row = 0; row < num_rows; ++row) {
    for (const answer_array* part : parts) {
      const std::size_t bytes = bytes_of_row(*part);
      const auto first =
          part->bytes.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(row) * bytes);
      records.insert(records.end(), first, first + static_cast<std::ptrdiff_t>(bytes));
    }
    if (records.size() < piece_bytes && row + 1 < num_rows) continue;
    out.write(records.data(), records.size());
    records.clear();
  }
}

}  // namespace

std::string row_text(const std::vector<std::int64_t>& indices) {
  std::vector<std::string> texts;
  for (const std::int64_t index : indices) texts.push_back(std::to_string(index));
  return "(" + joined(texts, ", ") + ")";
}

std::vector<std::int64_t> axis_report::indices_of(std::int64_t row) const {
  const std::vector<std::int64_t>& extents = answers.extents;
  std::vector<std::int64_t> out(extents.size());
  for (std::size_t k = extents.size(); k-- > 0; row /= extents[k]) out[k] = row % extents[k];
  return out;
}

void axis_report::print() const {
  if (command.form == output_form::text) {
    print_table(*this);
  } else {
    print_rows(*this);
  }
}

void axis_report::save() const {
  const auto parts = shown_parts(*this, false);
  replace_file(command.output, [&](output_file& out) {
    const bool is_record = parts.size() > 1;
    const std::string descr =
        is_record ? record_descr(*this, parts) : "'" + npy_descr(parts[0]->type) + "'";
    const std::string beginning = npy_beginning(descr, answers.extents);
    out.write(beginning.data(), beginning.size());
    if (is_record) {
      write_records(out, parts, answers.num_rows);
    } else {
      out.write(parts[0]->bytes.data(), parts[0]->bytes.size());
    }
  });
}

}  // namespace monofold::cli
