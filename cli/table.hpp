#pragma once
/// cli/table: rows of text with columns under each other.

#include <string>
#include <vector>

namespace monofold::cli {

enum class align { left, right };

/// Two blanks between columns, none at the end of a line. Columns past the end of `columns` are like
/// its last.
std::string aligned_table(const std::vector<std::vector<std::string>>& rows,
                          const std::vector<align>& columns);

}  // namespace monofold::cli
