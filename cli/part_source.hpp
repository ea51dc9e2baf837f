#pragma once
/// cli/part_source: some neighbouring items of an array in a file.

#include <cstdint>
#include <memory>

#include "cli/source.hpp"

namespace monofold::cli {

/// Items [first, first + count) of a source that can be fetched, as a source.
///
/// tested by  tests/mpi/tool_ranks_check.py
std::unique_ptr<source> part_of(std::unique_ptr<source> whole, std::int64_t first,
                                std::int64_t count);

}  // namespace monofold::cli
