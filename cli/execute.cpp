#include "cli/execute.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <variant>

#include "cli/failure.hpp"
#include "cli/output.hpp"
#include "cli/rank_team.hpp"
#include "monofold/platform/status.hpp"

namespace monofold::cli {

int execute(const print_command& what) {
  write_out(what.text);
  return exit_code::ok;
}

int code_of(const std::function<int()>& work) {
  try {
    return work();
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

int execute_words(const std::vector<std::string>& words) {
  // What is wrong with the command is wrong on all ranks: one of them says it.
  std::string unsaid;
  std::optional<complaints_kept> quiet;
  const bool is_ranked = std::find(words.begin(), words.end(), "--mpi") != words.end();
  if (is_ranked && rank_said() > 0) quiet.emplace(unsaid);
  return code_of([&] {
    const command what = parse_command(words);
    return std::visit([](const auto& one) { return execute(one); }, what);
  });
}

}  // namespace monofold::cli
