#include "cli/ladder_trace.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/failure.hpp"
#include "cli/output.hpp"
#include "cli/output_file.hpp"
#include "ladder/pages.hpp"
#include "ladder/tracing.hpp"
#include "monofold/platform/version.hpp"
#include "runtime/gpu/load_device_library.hpp"

namespace monofold::cli {
namespace {

using ladder::trace_answer;
using ladder::trace_request;
using ladder::trace_row;

ladder::trace_maker load_trace_maker() {
  std::string why;
  void* const library = runtime::open_library(ladder::tracing_library, why);
  if (library == nullptr) {
    throw device_error(fmt::format("--trace: {} is not here{}; ./dev build emulated builds it",
                                   ladder::tracing_library, why.empty() ? "" : ": " + why));
  }
  using version_function = const char* (*)();
  const auto version =
      reinterpret_cast<version_function>(dlsym(library, ladder::tracing_version_symbol));
  if (version == nullptr || std::string_view(version()) != monofold::version) {
    throw device_error(fmt::format("--trace: {} is of another version", ladder::tracing_library));
  }
  return reinterpret_cast<ladder::trace_maker>(dlsym(library, ladder::tracing_symbol));
}

std::vector<trace_request> requests_of(const ladder_command& what) {
  std::vector<trace_request> out;
  for (std::size_t i = 0; i < what.traced.size(); ++i) {
    const ladder::page page = ladder::page_of(ladder::info(what.traced[i]).name);
    const bool is_mistaken = what.with_mistake && i + 1 == what.traced.size();
    out.push_back(
        {what.traced[i], what.trace_op, what.num_items, is_mistaken, {}, page.title, page.mistake});
  }
  // The right run of a pair is like the mistake's, so that they can be compared.
  if (what.with_mistake && out.size() == 2) out[0].like_mistake_of = out[1].which;
  return out;
}

/// Whether a wrong result is what is to be seen.
bool is_meant_to_fail(const trace_request& asked, const trace_row& row) {
  const bool minds_order = row.op == ladder::trace_operation::letters;
  return asked.is_mistaken ||
         (minds_order && ladder::info(asked.which).keeps == ladder::order::any);
}

std::string line_of(const trace_request& asked, const trace_row& row) {
  const std::string what =
      fmt::format("{}{}: {} of {}, {} steps: ", row.name, asked.is_mistaken ? ", its mistake" : "",
                  name_of(row.op), row.n, row.steps);
  if (!row.problem.empty()) return what + row.problem + '\n';
  if (row.ok) return what + row.result + '\n';
  return fmt::format("{}{}, where {} is right\n", what, row.result, row.wanted);
}

void write_text(const std::string& file, const std::string& text) {
  replace_file(file, [&](output_file& out) { out.write(text.data(), text.size()); });
}

}  // namespace

int trace_rungs(const ladder_command& what) {
  const std::vector<trace_request> asked = requests_of(what);
  trace_answer answer;
  load_trace_maker()(asked, answer);
  for (const trace_row& row : answer.rows) {
    if (!row.refused.empty())
      throw usage_error(fmt::format("--trace: {} {}", row.name, row.refused));
  }
  if (!what.trace_page.empty()) write_text(what.trace_page, answer.page);
  if (!what.trace_json.empty()) write_text(what.trace_json, answer.json);
  int code = exit_code::ok;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const trace_row& row = answer.rows[i];
    if (what.trace_page != "-" && what.trace_json != "-") write_out(line_of(asked[i], row));
    if (!row.ok && !is_meant_to_fail(asked[i], row)) code = exit_code::internal;
  }
  return code;
}

bool can_trace(std::string& why) {
  try {
    load_trace_maker();
    return true;
  } catch (const device_error& error) {
    why = error.what();
    return false;
  }
}

void write_traces(const std::string& folder) {
  const ladder::trace_maker make = load_trace_maker();
  std::error_code failed;
  std::filesystem::create_directory(folder, failed);
  if (failed) {
    throw output_error(fmt::format("{}: cannot make: {}", shown_name(folder), failed.message()),
                       false);
  }
  for (std::size_t i = 0; i < ladder::rungs.size(); ++i) {
    ladder_command one;
    one.traced = {static_cast<ladder::rung_id>(i)};
    trace_answer answer;
    make(requests_of(one), answer);
    write_text(fmt::format("{}/{}.html", folder, ladder::rungs[i].name), answer.page);
  }
}

}  // namespace monofold::cli
