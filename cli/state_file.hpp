#pragma once
/// cli/state_file: saved reducers as files.

#include <string>
#include <vector>

#include "runtime/reducer.hpp"

namespace monofold::cli {

/// A saved reducer from a file, of which `num_bytes` takes the length.
///
/// errors     `input_error`: the file cannot be read, or is none or a damaged one (platform/sealed)
/// tested by  tests/cli/tool_states_test.py
runtime::reducer read_state(const std::string& file, std::int64_t& num_bytes);

/// Writes a file whole or not at all: under another name first, unless it is a pipe or a device.
///
/// errors     `output_error`, with the name
void write_state(const std::string& file, const std::vector<unsigned char>& bytes);

}  // namespace monofold::cli
