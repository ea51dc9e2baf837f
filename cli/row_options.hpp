#pragma once
/// cli/row_options: the options for an answer a row or a key: --axis, --by, and those that go with them.

#include "cli/command.hpp"
#include "cli/split_words.hpp"

namespace monofold::cli {

/// Reads --axis, --keepdims and --output, --by, --order, --keys and --runs.
///
/// errors     `usage_error`: no list of axes or columns, options that do not go together
/// tested by  tests/cli/tool_axis_test.py, tests/cli/tool_groups_test.py
void parse_row_options(const split_command& split, reduce_command& out);

}  // namespace monofold::cli
