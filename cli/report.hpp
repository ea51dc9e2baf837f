#pragma once
/// cli/report: answers as a bare value, a table, JSON lines or CSV.

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "monofold/platform/dtype.hpp"
#include "runtime/reducer.hpp"

namespace monofold::cli {

/// What is known about one file, or about all of them.
struct report_row {
  std::string file;
  std::string other;  // dot: the second file
  dtype type = dtype::float64;
  std::int64_t count = 0;  // items
  std::int64_t missing = 0;
  std::vector<runtime::answer> answers;  // one for each operation, each with a value
  double seconds = 0;
  std::int64_t bytes = 0;
};

/// How all rows are shown.
struct report_style {
  std::string label;                    // as `reduce_command::label`
  std::vector<runtime::operation> ops;  // as in the answers
  output_form form = output_form::text;
  number_base base = number_base::decimal;
  bool one_file = true;
  std::string engine = "cpu";
};

/// Turns rows into text as they come.
///
/// shape      the texts of all `add` and then of `finish` make up the output. Only JSON and CSV come
///            row by row: the columns of a table are as wide as its widest row
/// tested by  tests/cli/report_test.cpp
class report {
 public:
  explicit report(report_style style) : style_(std::move(style)) {}
  std::string add(const report_row& row);
  std::string finish();

 private:
  std::string bare(const report_row& row) const;
  std::string named(const report_row& row) const;
  std::string json(const report_row& row) const;
  std::string csv(const report_row& row);
  void add_to_table(const report_row& row);

  report_style style_;
  bool csv_header_printed_ = false;
  std::vector<std::vector<std::string>> table_;
};

}  // namespace monofold::cli
