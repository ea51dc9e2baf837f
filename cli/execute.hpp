#pragma once
/// cli/execute: carries a command out and gives its exit code.

#include <functional>
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace monofold::cli {

/// The reduction of files: rows on standard output, a line on standard error for each that failed.
int execute(const reduce_command& what);

int execute(const print_command& what);
int execute(const merge_command& what);
int execute(const info_command& what);
int execute(const verify_command& what);
int execute(const bench_command& what);
int execute(const generate_command& what);
int execute(const ladder_command& what);

/// The exit code that work gives, or that what it throws means, after a line on standard error.
int code_of(const std::function<int()>& work);

/// Everything from the words of the command line to the exit code.
int execute_words(const std::vector<std::string>& words);

}  // namespace monofold::cli
