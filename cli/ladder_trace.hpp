#pragma once
/// cli/ladder_trace: plays rungs on the emulated device, and writes the page and the JSON of it.

#include <string>

#include "cli/command.hpp"

namespace monofold::cli {

/// A line on standard output for each run, unless a file is standard output itself.
///
/// errors     `usage_error`: a rung cannot be played so; `device_error`: the library is not here;
///            `output_error`
/// tested by  tests/cli/tool_trace_test.py
int trace_rungs(const ladder_command& what);

/// Whether write_traces can; else why it cannot.
bool can_trace(std::string& why);

/// Writes the trace of every rung, NAME.html, into a folder, which is made where there is none.
///
/// errors     `output_error`; `device_error`: the library is not here
/// tested by  tests/cli/tool_report_test.py
void write_traces(const std::string& folder);

}  // namespace monofold::cli
