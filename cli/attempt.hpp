#pragma once
/// cli/attempt: work on a file that may fail for reasons that lie in it.

#include <string>

#include "cli/failure.hpp"
#include "cli/output.hpp"
#include "cli/source.hpp"

namespace monofold::cli {

/// Does the work; where the file keeps it from an answer, complains about it. The exit code.
template <class Work>
int attempt(const std::string& file, const Work& work) {
  try {
    work();
    return exit_code::ok;
  } catch (const input_error& error) {
    complain_about(file, error.what());
    return exit_code::input;
  } catch (const no_result_error& error) {
    complain_about(file, error.what());
    return exit_code::no_result;
  }
}

}  // namespace monofold::cli
