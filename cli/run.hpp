#pragma once
/// cli/run: runs a command and gives its exit code.

#include "cli/command.hpp"

namespace monofold::cli {

/// The reduction of files: rows on standard output, a line on standard error for each that failed.
int run(const reduce_command& what);

int run(const print_command& what);
int run(const merge_command& what);
int run(const info_command& what);
int run(const verify_command& what);
int run(const bench_command& what);
int run(const generate_command& what);
int run(const ladder_command& what);

/// Everything from the words of the command line to the exit code.
int run_words(const std::vector<std::string>& words);

}  // namespace monofold::cli
