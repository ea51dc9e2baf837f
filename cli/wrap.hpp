#pragma once
/// cli/wrap: text in lines of 80 columns.

#include <cstddef>
#include <string>
#include <string_view>

namespace monofold::cli {

/// Lines of at most 80 columns, each with `indent` blanks before it.
std::string filled(std::string_view text, std::size_t indent);

/// A word on the left, its meaning on the right from `column` on, filled.
std::string entry_text(std::string_view word, std::string_view meaning, std::size_t column);

}  // namespace monofold::cli
