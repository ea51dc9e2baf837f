#pragma once
/// cli/reduce_ranks: --mpi: ranks that each read a part of a file, and one answer.

#include "cli/command.hpp"

namespace monofold::cli {

/// shape      one file, or two of dot, that every rank opens: .npy or raw, cut where tiles begin
/// order      the answer and its bits are those of one process
/// errors     the first rank in trouble says so, through rank 0, and all ranks end with its exit code
/// tested by  tests/mpi/tool_ranks_check.py
int reduce_ranks(const reduce_command& command);

}  // namespace monofold::cli
