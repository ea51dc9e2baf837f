#pragma once
/// cli/completion: the man page and the shells' completions, made from the lists of the tool.

#include <string>

namespace monofold::cli {

/// The completion script for "bash" or "zsh".
///
/// tested by  tests/cli/tool_test.py, which compares it with completions/
std::string completion(const std::string& shell);

/// The man page in roff; docs/man/monofold.1 is a copy.
std::string manual_page();

}  // namespace monofold::cli
