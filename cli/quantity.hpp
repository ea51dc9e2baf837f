#pragma once
/// cli/quantity: whole numbers on the command line, with K M G, and large ones made readable.

#include <cstdint>
#include <string>
#include <string_view>

namespace monofold::cli {

/// A whole number. Errors name the option, which is `option`, and what it wants.
///
/// errors     `usage_error`: not a whole number, or below `least`
std::int64_t parse_integer(std::string_view option, std::string_view text, std::int64_t least);

/// The same with an optional K, M, G or T behind it (powers of 1000) or Ki, Mi, Gi, Ti (of 1024), in
/// either case and with or without a B at the end: 256M, 100k, 2GiB.
std::int64_t parse_quantity(std::string_view option, std::string_view text, std::int64_t least);

/// 1234567890 as "1.23 GB".
std::string bytes_text(double num_bytes);

/// Seconds as "12 s", "3 min 20 s" or "2 h 5 min".
std::string seconds_text(double seconds);

}  // namespace monofold::cli
