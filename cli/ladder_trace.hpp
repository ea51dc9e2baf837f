#pragma once
/// cli/ladder_trace: plays rungs on the emulated device, and writes the page and the JSON of it.

#include "cli/command.hpp"

namespace monofold::cli {

/// A line on standard output for each run, unless a file is standard output itself.
///
/// errors     `usage_error`: a rung cannot be played so, the page would be too large; `device_error`: the
///            library is not here; `output_error`
/// tested by  tests/cli/tool_trace_test.py
int trace_rungs(const ladder_command& what);

}  // namespace monofold::cli
