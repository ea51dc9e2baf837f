#pragma once
/// cli/quote: a piece of the input made short and harmless, to be shown in a message.

#include <string>
#include <string_view>

namespace monofold::cli {

/// The text in single quotes. Control characters and bytes that are not UTF-8 are escaped (\n,
/// \x1b), so that a file cannot steer the terminal; of more than 40 characters the first 40 stay,
/// followed by "...".
std::string quote(std::string_view text);

}  // namespace monofold::cli
