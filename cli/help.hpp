#pragma once
/// cli/help: the texts of --help and --version.

#include <string>
#include <vector>

#include "cli/options.hpp"
#include "runtime/operation.hpp"

namespace monofold::cli {

std::string version_text();

/// `monofold --help`.
std::string overview_text();

/// `monofold OP,... --help`: a page for each operation, or one for stats.
std::string operations_text(const std::string& label, const std::vector<runtime::operation>& ops);

/// `monofold info --help` and so on.
std::string command_text(const command_entry& entry);

}  // namespace monofold::cli
