#pragma once
/// cli/ladder_options: from the words behind `ladder` to what is asked of the ladder.

#include "cli/command.hpp"
#include "cli/split_words.hpp"

namespace monofold::cli {

/// errors     `usage_error` with one line that names the word which is wrong
ladder_command parse_ladder(const split_command& split);

}  // namespace monofold::cli
