#pragma once
/// cli/axis_report: answers along axes as a table, JSON lines, CSV or a .npy file.

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "monofold/platform/dtype.hpp"
#include "runtime/axis_reducer.hpp"

namespace monofold::cli {

/// More rows than this are no table.
inline constexpr std::int64_t most_table_rows = 1000;

/// What is shown.
struct axis_report {
  const reduce_command& command;
  const runtime::axis_answers& answers;
  dtype type;                      // of the items
  std::vector<std::int64_t> kept;  // the axes that the result's are, in the array

  /// The indices of a row.
  std::vector<std::int64_t> indices_of(std::int64_t row) const;

  /// Writes to standard output.
  void print() const;
  /// Writes the .npy file: the answers of one operation are an array, parts of answers are fields of a record.
  void save() const;
};

/// "(3, 0)": the row of a result in messages.
std::string row_text(const std::vector<std::int64_t>& indices);

}  // namespace monofold::cli
