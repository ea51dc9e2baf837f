#pragma once
/// bench/harness/tool: the command-line tool, run on a file.

#include <functional>
#include <string>

#include "bench/harness/operations.hpp"
#include "bench/harness/samples.hpp"

namespace bench {

/// Runs `tool OPERATION FILE --json`, with `--io IO` where that is given. The time is the one that the tool states, which leaves out
/// the start of the process.
///
/// errors     the function throws std::runtime_error where the tool fails
std::function<outcome()> tool_call(const std::string& tool, operation op, const std::string& file,
                                   const std::string& io = "");

}  // namespace bench
