#include "cli/file_steps.hpp"

#include <fmt/core.h>

#include "cli/failure.hpp"
#include "cli/fold_source.hpp"
#include "cli/machine.hpp"
#include "cli/memory_limit.hpp"
#include "cli/output.hpp"
#include "cli/result_text.hpp"

namespace monofold::cli {

std::unique_ptr<source> open_for(const reduce_command& command, const std::string& file,
                                 runtime::request& what) {
  std::unique_ptr<source> in = open_source(file, command.reading);
  what.type = in->type();
  check_defined(what);
  // Only here is it known whether the order matters. A pipe cannot be opened anew.
  if (!in->reorders() || depends_on_order(what) || file == "-" || in->fetch_items() == 0) {
    return in;
  }
  read_options stored = command.reading;
  stored.order = item_order::stored;
  return open_source(file, stored);
}

void check_pair(const source& left, const source& right, const std::string& other) {
  if (left.type() == right.type()) return;
  throw input_error(fmt::format("dot needs one element type: {}, and {} in {}",
                                info(left.type()).name, info(right.type()).name,
                                shown_name(other)));
}

void fit_threads(const reduce_command& command, runtime::request& what, const source& in) {
  const bool waits = command.reading.io == io_mode::direct && in.fetch_items() != 0;
  if (waits && what.num_threads == 0) what.num_threads = 2 * num_cores();
  if (command.memory_bytes == 0) return;
  const std::int64_t buffer_bytes = in.fetch_items() * info(in.type()).size_bytes;
  what.num_threads = threads_below(command.memory_bytes, what.num_threads, buffer_bytes);
}

report_row finished(report_row row, const runtime::reducer& done, const runtime::request& what,
                    std::int64_t offset) {
  row.count = done.count();
  row.type = what.type;
  row.answers = done.finish();
  for (runtime::answer& answer : row.answers) {
    for (std::int64_t& index : answer.indices) index -= offset;
    answer.first_nan -= offset;
  }
  const std::string why = why_no_result(row.answers, what, row.count);
  if (!why.empty()) throw no_result_error(why);
  return row;
}

}  // namespace monofold::cli
