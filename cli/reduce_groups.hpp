#pragma once
/// cli/reduce_groups: a reduction with --by.

#include "cli/command.hpp"

namespace monofold::cli {

/// A row on standard output for each key of the one file, or a line on standard error.
int reduce_groups(const reduce_command& command);

}  // namespace monofold::cli
