#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/failure.hpp"
#include "cli/ladder_pages.hpp"
#include "cli/output.hpp"
#include "cli/quantity.hpp"
#include "cli/run.hpp"
#include "cli/table.hpp"
#include "ladder/climb.hpp"
#include "ladder/device.hpp"
#include "runtime/gpu/devices.hpp"

namespace monofold::cli {
namespace {

using ladder::climb_row;

constexpr std::int64_t items_on_gpu = 100'000'000;
constexpr std::int64_t items_on_emulated = 16'384;  // some seconds

std::string why_no_gpu() {
  const runtime::gpu_devices& found = runtime::find_gpus();
  return found.devices.empty() ? found.why_none : "";
}
std::string why_no_emulated() {
  const char* const why = monofold_ladder_no_emulated();
  return why == nullptr ? "" : why;
}

ladder::device choose_device(const std::string& asked) {
  const std::string no_gpu = asked == "emulated" ? "" : why_no_gpu();
  if (asked == "gpu") {
    if (!no_gpu.empty()) throw device_error("--device gpu: " + no_gpu);
    return ladder::device::gpu;
  }
  const std::string no_emulated = why_no_emulated();
  if (asked == "emulated") {
    if (!no_emulated.empty()) throw device_error("--device emulated: " + no_emulated);
    return ladder::device::emulated;
  }
  if (no_gpu.empty()) return ladder::device::gpu;
  if (!no_emulated.empty()) {
    throw device_error(fmt::format("ladder: no device: {}, and {}", no_gpu, no_emulated));
  }
  return ladder::device::emulated;
}

std::string device_name(ladder::device where) {
  if (where == ladder::device::emulated) return "emulated";
  return runtime::find_gpus().devices.front().name;
}

std::string json_row(const ladder_command& what, const climb_row& row, ladder::device where) {
  const ladder::rung& facts = ladder::info(row.which);
  nlohmann::ordered_json line;
  line["name"] = facts.name;
  line["level"] = ladder::level_names[static_cast<std::size_t>(facts.who)];
  line["order"] = facts.keeps == ladder::order::kept ? "kept" : "any";
  line["operator"] = ladder::name_of(row.op);
  line["dtype"] = ladder::name_of(what.type);
  line["n"] = row.n;
  if (!row.refused.empty()) {
    line["refused"] = row.refused;
    return line.dump() + '\n';
  }
  line["ok"] = row.ok;
  if (!row.failed.empty()) line["failed"] = row.failed;
  line["launches"] = row.launches;
  line["seconds"] = row.seconds;
  line["gbps"] = row.gbps;
  line["read_limit_gbps"] = row.read_limit_gbps;
  line["share"] = row.read_limit_gbps > 0 ? row.gbps / row.read_limit_gbps : 0;
  line["device"] = device_name(where);
  return line.dump() + '\n';
}

std::string time_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.2f} us", seconds * 1e6);
  return fmt::format("{:.2f} ms", seconds * 1e3);
}

std::vector<std::string> table_row(const climb_row& row) {
  const ladder::rung& facts = ladder::info(row.which);
  const char* const order = facts.keeps == ladder::order::kept ? "kept" : "any";
  return {
      std::string(facts.name),
      order,
      std::string(ladder::name_of(row.op)),
      std::to_string(row.n),
      row.ok ? "ok" : "WRONG",
      std::to_string(row.launches),
      time_text(row.seconds),
      fmt::format("{:.3g}", row.gbps),
      row.read_limit_gbps > 0 ? fmt::format("{:.1f} %", 100 * row.gbps / row.read_limit_gbps) : "",
      row.gain > 0 ? fmt::format("x {:.2f}", row.gain) : ""};
}

std::string text_of(const ladder_command& what, const std::vector<climb_row>& rows,
                    ladder::device where, std::int64_t n) {
  std::vector<std::vector<std::string>> lines{
      {"rung", "order", "op", "n", "check", "launches", "time", "GB/s", "of read", "gain"}};
  std::string refused;
  for (const climb_row& row : rows) {
    if (row.refused.empty()) {
      lines.push_back(table_row(row));
    } else {
      refused += fmt::format("{}: {}\n", ladder::info(row.which).name, row.refused);
    }
  }
  std::string out =
      fmt::format("{} items of {} on {}\n\n", n, ladder::name_of(what.type),
                  where == ladder::device::gpu ? device_name(where) : "the emulated device");
  if (where == ladder::device::emulated) {
    out +=
        "Times are those of the emulation, which checks every access; they say nothing of a "
        "GPU.\n\n";
  }
  out += aligned_table(
      lines, {align::left, align::left, align::left, align::right, align::left, align::right});
  return refused.empty() ? out : out + "\nRefused:\n" + refused;
}

int run_rungs(const ladder_command& what) {
  const ladder::device where = choose_device(what.device);
  const bool on_gpu = where == ladder::device::gpu;
  ladder::climb_request asked{where,
                              what.num_items.value_or(on_gpu ? items_on_gpu : items_on_emulated),
                              what.type, what.op, what.only};
  std::vector<climb_row> rows;
  const bool json = what.form == output_form::json;
  ladder::climb(asked, [&](const climb_row& row) {
    if (json) write_out(json_row(what, row, where));
    rows.push_back(row);
  });
  int code = exit_code::usage;  // nothing could run
  for (const climb_row& row : rows) {
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
  for (const climb_row& row : rows) {
    complain(fmt::format("ladder: {}: {}", ladder::info(row.which).name, row.refused));
  }
  return code;
}

}  // namespace

int run(const ladder_command& what) {
  switch (what.show) {
    case ladder_output::page: write_out(ladder_page_text(ladder::info(*what.only))); break;
    case ladder_output::markdown: write_out(ladder_markdown()); break;
    case ladder_output::rows: return run_rungs(what);
  }
  return exit_code::ok;
}

}  // namespace monofold::cli
