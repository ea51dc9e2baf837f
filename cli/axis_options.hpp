#pragma once
/// cli/axis_options: --axis and the options that go with it.

#include "cli/command.hpp"
#include "cli/split_words.hpp"

namespace monofold::cli {

/// Reads --axis, --keepdims and --output.
///
/// errors     `usage_error`: no list of axes, options that do not go together
/// tested by  tests/cli/tool_axis_test.py
void parse_axis_options(const split_command& split, reduce_command& out);

}  // namespace monofold::cli
