#pragma once
/// cli/bench_file: how fast each way of reading brings a file to a reduction, beside loops that only read it.

#include <string>

#include "cli/command.hpp"

namespace monofold::cli {

/// What `bench FILE` prints: all take turns, a run each, and a row has the median of its runs.
///
/// errors     `input_error`: the file cannot be read, is not of .npy or raw items, or stays in memory where
///            `what.cold` asks for the drive; `no_result_error`: the operation is not of its type
/// tested by  tests/cli/tool_bench_test.py
std::string bench_file(const bench_command& what);

}  // namespace monofold::cli
