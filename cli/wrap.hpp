#pragma once
/// cli/wrap: text in lines of at most so many columns.

#include <cstddef>
#include <string>
#include <string_view>

namespace monofold::cli {

inline constexpr std::size_t terminal_columns = 80;

/// Lines of at most so many columns, each with `indent` blanks before it.
std::string filled(std::string_view text, std::size_t indent,
                   std::size_t columns = terminal_columns);

/// A word on the left, its meaning on the right from `column` on, filled, for a terminal.
std::string entry_text(std::string_view word, std::string_view meaning, std::size_t column);

}  // namespace monofold::cli
