#pragma once
/// cli/ladder_options: from the words behind `ladder` to what is asked of the ladder.

#include "cli/command.hpp"
#include "cli/split_words.hpp"

namespace monofold::cli {

/// The element type that a word of --dtype names.
///
/// errors     `usage_error`
dtype parse_dtype(const std::string& text);

/// errors     `usage_error` with one line that names the word which is wrong
ladder_command parse_ladder(const split_command& split);

}  // namespace monofold::cli
