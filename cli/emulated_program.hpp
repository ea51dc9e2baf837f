#pragma once
/// cli/emulated_program: the program beside this one that has the emulated device.

#include <string>
#include <vector>

namespace monofold::cli {

/// Its path; empty where it is not there.
std::string emulated_program();

/// Goes on as that program, with these arguments.
///
/// errors     returns only where it could not start: throws device_error
[[noreturn]] void become_emulated_program(const std::vector<std::string>& words);

}  // namespace monofold::cli
