#pragma once
/// cli/group_options: --by and --order.

#include "cli/command.hpp"
#include "cli/split_words.hpp"

namespace monofold::cli {

/// Reads --by and --order.
///
/// errors     `usage_error`: no list of columns, options that do not go together
/// tested by  tests/cli/tool_groups_test.py
void parse_group_options(const split_command& split, reduce_command& out);

}  // namespace monofold::cli
