#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "cli/execute.hpp"
#include "cli/failure.hpp"
#include "cli/operation_pages.hpp"
#include "cli/output.hpp"
#include "cli/report.hpp"
#include "cli/result_text.hpp"
#include "cli/source.hpp"
#include "cli/state_file.hpp"
#include "runtime/request_rules.hpp"
#include "runtime/saved_request.hpp"

namespace monofold::cli {
namespace {

using runtime::reducer;
using clock = std::chrono::steady_clock;

// The operations as somebody would have named them.
std::string label_of(const runtime::request& what) {
  const auto& stats = runtime::stats_operations;
  if (std::equal(what.ops.begin(), what.ops.end(), stats.begin(), stats.end())) {
    return std::string(stats_name);
  }
  return names_of(what);
}

// Items whose indices begin at 0 follow those before them; others must begin where they do.
void add(reducer& total, const reducer& next) {
  const std::int64_t end = total.first_index() + total.count();
  if (next.first_index() != 0 && next.first_index() != end) {
    throw input_error(
        fmt::format("begins with item {}, and item {} comes next", next.first_index(), end));
  }
  if (next.first_index() == end) {
    total.merge(next);
  } else {
    total.append(next);
  }
}

// Joins two states, or takes one out of the other.
void join(reducer& total, const reducer& next, const merge_command& what) {
  if (!runtime::is_same_reduction(total.what(), next.what())) {
    throw input_error(fmt::format("holds {}, and {} {}", text_of(next.what()),
                                  shown_name(what.files.front()), text_of(total.what())));
  }
  try {
    if (what.subtracts) {
      total.subtract(next);
    } else {
      add(total, next);
    }
  } catch (const error& wrong) {
    if (wrong.code() == status::unsupported) {
      throw input_error(fmt::format("{} cannot be subtracted", text_of(next.what())));
    }
    if (wrong.code() != status::invalid_argument) throw;
    throw input_error(wrong.what());
  }
}

}  // namespace

int execute(const merge_command& what) {
  const clock::time_point start = clock::now();
  report_row row;
  row.file = "merged";
  std::optional<reducer> total;
  for (const std::string& file : what.files) {
    try {
      std::int64_t num_bytes = 0;
      reducer next = read_state(file, num_bytes);
      row.bytes += num_bytes;
      if (total) {
        join(*total, next, what);
      } else {
        total = std::move(next);
      }
    } catch (const input_error& wrong) {
      complain_about(file, wrong.what());
      return exit_code::input;
    }
  }
  if (!what.save_state.empty()) write_state(what.save_state, total->save());
  const runtime::request& asked = total->what();
  row.type = asked.type;
  row.count = total->count();
  row.answers = total->finish();
  const std::string why = why_no_result(row.answers, asked, row.count);
  if (!why.empty()) {
    complain(why);
    return exit_code::no_result;
  }
  row.seconds = std::chrono::duration<double>(clock::now() - start).count();
  report shown({label_of(asked), asked.ops, what.form, what.base, true, "cpu"});
  write_out(shown.add(row));
  write_out(shown.finish());
  return exit_code::ok;
}

}  // namespace monofold::cli
