#pragma once
/// cli/reduce_axes: reduces axes of the array in a file.

#include "cli/command.hpp"

namespace monofold::cli {

/// Runs a command with --axis, and returns its exit code.
///
/// errors     `usage_error`: an axis that the array does not have, or one twice; a result too long for a table
/// tested by  tests/cli/tool_axis_test.py
int reduce_axes(const reduce_command& what);

}  // namespace monofold::cli
