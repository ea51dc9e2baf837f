#include <fmt/core.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/execute.hpp"
#include "cli/failure.hpp"
#include "cli/json.hpp"
#include "cli/ladder_pages.hpp"
#include "cli/ladder_report.hpp"
#include "cli/ladder_trace.hpp"
#include "cli/output.hpp"
#include "cli/output_file.hpp"
#include "cli/quantity.hpp"
#include "cli/table.hpp"
#include "ladder/device.hpp"
#include "ladder/pages.hpp"
#include "ladder/run_rungs.hpp"
#include "runtime/gpu/devices.hpp"
#include "runtime/gpu/load_device_library.hpp"

namespace monofold::cli {
namespace {

using ladder::rung_row;

constexpr std::int64_t items_on_gpu = 100'000'000;
constexpr std::int64_t items_on_emulated = 16'384;  // some seconds

/// A device that runs rungs.
struct ladder_device {
  bool is_gpu;
  std::string name;
  ladder::rung_runner_maker make;
};

/// Finds a device; where there is none, `why` says so.
std::optional<ladder_device> find_device(runtime::device_kind kind, std::string& why) {
  const bool is_gpu = kind == runtime::device_kind::gpu;
  std::string name = "emulated";
  if (is_gpu) {
    const runtime::gpu_devices& found = runtime::find_devices(kind);
    why = found.why_none;
    if (found.devices.empty()) return {};
    name = found.devices.front().name;
  }
  const auto make = reinterpret_cast<ladder::rung_runner_maker>(
      runtime::ladder_symbol(kind, ladder::rung_runner_symbol, ladder::ladder_version_symbol, why));
  if (make == nullptr) return {};
  return ladder_device{is_gpu, name, make};
}

ladder_device choose_device(const std::string& asked) {
  std::string no_gpu;
  if (asked != "emulated") {
    if (const auto gpu = find_device(runtime::device_kind::gpu, no_gpu)) return *gpu;
    if (asked == "gpu") throw device_error("--device gpu: " + no_gpu);
  }
  std::string no_emulated;
  if (const auto emulated = find_device(runtime::device_kind::emulated, no_emulated)) {
    return *emulated;
  }
  if (asked == "emulated") throw device_error("--device emulated: " + no_emulated);
  throw device_error(fmt::format("ladder: no device: {}, and {}", no_gpu, no_emulated));
}

std::string json_row(const ladder_command& what, const rung_row& row, const ladder_device& where) {
  const ladder::rung& facts = ladder::info(row.which);
  json_object line;
  line.add("name", facts.name)
      .add("level", ladder::name_of(facts.who))
      .add("order", ladder::name_of(facts.keeps))
      .add("operator", ladder::name_of(row.op))
      .add("dtype", ladder::name_of(what.type))
      .add("n", row.n);
  if (!row.refused.empty()) return line.add("refused", row.refused).text() + '\n';
  line.add("ok", row.ok);
  if (!row.failed.empty()) line.add("failed", row.failed);
  line.add("launches", row.launches)
      .add("seconds", row.seconds)
      .add("gbps", row.gbps)
      .add("read_limit_gbps", row.read_limit_gbps)
      .add("share", row.read_limit_gbps > 0 ? row.gbps / row.read_limit_gbps : 0.0)
      .add("device", where.name);
  return line.text() + '\n';
}

std::vector<std::string> table_row(const rung_row& row) {
  const ladder::rung& facts = ladder::info(row.which);
  return {
      std::string(facts.name),
      std::string(ladder::name_of(facts.keeps)),
      std::string(ladder::name_of(row.op)),
      std::to_string(row.n),
      row.ok ? "ok" : "WRONG",
      std::to_string(row.launches),
      rung_time(row.seconds),
      rung_speed(row.gbps),
      row.read_limit_gbps > 0 ? fmt::format("{:.1f} %", 100 * row.gbps / row.read_limit_gbps) : "",
      row.gain > 0 ? fmt::format("x {:.2f}", row.gain) : ""};
}

std::string text_of(const ladder_command& what, const std::vector<rung_row>& rows,
                    const ladder_device& where, std::int64_t n) {
  std::vector<std::vector<std::string>> lines{
      {"rung", "order", "op", "n", "check", "launches", "time", "GB/s", "of read", "gain"}};
  std::string refused;
  for (const rung_row& row : rows) {
    if (row.refused.empty()) {
      lines.push_back(table_row(row));
    } else {
      refused += fmt::format("{}: {}\n", ladder::info(row.which).name, row.refused);
    }
  }
  std::string out = fmt::format("{} items of {} on {}\n\n", n, ladder::name_of(what.type),
                                where.is_gpu ? where.name : "the emulated device");
  if (!where.is_gpu) {
    out +=
        "Times are those of the emulation, which checks every access; they say nothing of a "
        "GPU.\n\n";
  }
  out += aligned_table(
      lines, {align::left, align::left, align::left, align::right, align::left, align::right});
  return refused.empty() ? out : out + "\nRefused:\n" + refused;
}

int run_rungs(const ladder_command& what) {
  const ladder_device where = choose_device(what.device);
  const std::int64_t usual = where.is_gpu ? items_on_gpu : items_on_emulated;
  ladder::rungs_request asked{where.make, what.num_items.value_or(usual), what.type, what.op,
                              what.only};
  std::vector<rung_row> rows;
  const bool json = what.form == output_form::json;
  ladder::run_rungs(asked, [&](const rung_row& row) {
    if (json) write_out(json_row(what, row, where));
    rows.push_back(row);
  });
  int code = exit_code::usage;  // nothing could run
  for (const rung_row& row : rows) {
    if (!row.failed.empty()) {
      complain(fmt::format("ladder: {}: {}", ladder::info(row.which).name, row.failed));
    }
    if (row.refused.empty() && code == exit_code::usage) code = exit_code::ok;
    if (row.refused.empty() && !row.ok) code = exit_code::internal;
  }
  if (json) return code;
  if (code != exit_code::usage) {
    write_out(text_of(what, rows, where, asked.n));
    return code;
  }
  for (const rung_row& row : rows) {
    complain(fmt::format("ladder: {}: {}", ladder::info(row.which).name, row.refused));
  }
  return code;
}

/// What a report shows: rows of this machine's GPU, or where there is none the recorded ones.
struct report_rows {
  std::string rows;
  std::string recorded;  // why
  bool ok = true;
};

report_rows rows_to_report(const ladder_command& what) {
  report_rows out;
  const auto gpu = find_device(runtime::device_kind::gpu, out.recorded);
  if (!gpu) {
    if (what.device == "gpu") throw device_error("--device gpu: " + out.recorded);
    if (what.num_items || what.op || what.type != ladder::element_type::int32) {
      throw device_error(fmt::format(
          "--report: {}; recorded rows are of sums of int32: leave --n, --op and --dtype out",
          out.recorded));
    }
    out.rows = ladder::golden_rows();
    if (out.rows.empty())
      throw device_error("--report: " + out.recorded + ", and no recorded rows");
    return out;
  }
  const ladder::rungs_request asked{
      gpu->make, what.num_items.value_or(items_on_gpu), what.type, what.op, {}};
  ladder::run_rungs(asked, [&](const rung_row& row) {
    out.rows += json_row(what, row, *gpu);
    out.ok = out.ok && (row.ok || !row.refused.empty());
  });
  return out;
}

int report_rungs(const ladder_command& what) {
  const report_rows found = rows_to_report(what);
  const std::string& file = what.report_page;
  std::string why_no_traces;
  std::string traces;  // beside the page, called like it
  if (file != "-" && can_trace(why_no_traces)) {
    traces = std::filesystem::path(file).stem().string() + "-traces";
  }
  const std::string page = ladder_report_page({found.rows, found.recorded, traces});
  replace_file(file, [&](output_file& out) { out.write(page.data(), page.size()); });
  if (file == "-") return found.ok ? exit_code::ok : exit_code::internal;
  write_out(fmt::format("{}: {} rungs, {}\n", shown_name(file), ladder::rungs.size(),
                        found.recorded.empty() ? "measured" : "recorded: " + found.recorded));
  if (traces.empty()) {
    complain(fmt::format("no traces: {}", why_no_traces));
  } else {
    const std::string folder = std::filesystem::path(file).replace_filename(traces).string();
    write_traces(folder);
    write_out(fmt::format("{}: {} traces\n", shown_name(folder), ladder::rungs.size()));
  }
  return found.ok ? exit_code::ok : exit_code::internal;
}

}  // namespace

int execute(const ladder_command& what) {
  switch (what.show) {
    case ladder_output::page: write_out(ladder_page_text(ladder::info(*what.only))); break;
    case ladder_output::markdown: write_out(ladder_markdown()); break;
    case ladder_output::trace: return trace_rungs(what);
    case ladder_output::report: return report_rungs(what);
    case ladder_output::rows: return run_rungs(what);
  }
  return exit_code::ok;
}

}  // namespace monofold::cli
