#include "cli/execute.hpp"

#include <exception>
#include <new>
#include <variant>

#include "cli/failure.hpp"
#include "cli/output.hpp"
#include "monofold/platform/status.hpp"

namespace monofold::cli {

int execute(const print_command& what) {
  write_out(what.text);
  return exit_code::ok;
}

int execute_words(const std::vector<std::string>& words) {
  try {
    const command what = parse_command(words);
    return std::visit([](const auto& one) { return execute(one); }, what);
  } catch (const output_error& error) {
    if (error.closed) return exit_code::closed_pipe;
    complain(error.what());
    return exit_code::internal;
  } catch (const usage_error& error) {
    complain(error.what());
    return exit_code::usage;
  } catch (const device_error& error) {
    complain(error.what());
    return exit_code::device;
  } catch (const error& failed) {
    complain(failed.what());
    return failed.code() == status::device_unavailable ? exit_code::device : exit_code::internal;
  } catch (const std::bad_alloc&) {
    complain("out of memory");
    return exit_code::internal;
  } catch (const std::exception& error) {
    complain(error.what());
    return exit_code::internal;
  }
}

}  // namespace monofold::cli
