#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/engines.hpp"
#include "cli/failure.hpp"
#include "cli/machine.hpp"
#include "cli/output.hpp"
#include "cli/run.hpp"
#include "cli/table.hpp"
#include "monofold/platform/version.hpp"
#include "runtime/reducer.hpp"

namespace monofold::cli {
namespace {

std::vector<engine_state> engines() {
  std::vector<engine_state> states;
  for (const std::string_view name : engine_names) states.push_back(state_of_engine(name));
  return states;
}

constexpr const char* chosen_engine = "cpu";
constexpr const char* chosen_why =
    "data in files and pipes lies in host memory, which the CPU reads faster than a bus carries it";

std::string info_json() {
  nlohmann::ordered_json out;
  out["version"] = version;
  out["engines"] = nlohmann::ordered_json::array();
  for (const engine_state& engine : engines()) {
    out["engines"].push_back(
        {{"name", engine.name}, {"available", engine.available}, {"why", engine.why}});
  }
  out["auto"] = {{"engine", chosen_engine}, {"why", chosen_why}};
  out["processor"] = processor_name();
  out["cores"] = num_cores();
  out["threads"] = thread_library();
  out["instruction_set"] = runtime::instruction_set();
  out["instruction_sets"] = runtime::instruction_sets();
  out["page_bytes"] = page_bytes();
  out["huge_pages"] = huge_pages();
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

std::string info_text() {
  const std::string pages = huge_pages();
  const std::vector<std::vector<std::string>> facts{
      {"version", version},
      {"processor", processor_name()},
      {"cores", std::to_string(num_cores())},
      {"threads", thread_library()},
      {"instruction set", fmt::format("{} (of {})", runtime::instruction_set(),
                                      fmt::join(runtime::instruction_sets(), ", "))},
      {"pages",
       fmt::format("{} bytes; huge pages: {}", page_bytes(), pages.empty() ? "not known" : pages)},
      {"--device auto", fmt::format("{}: {}", chosen_engine, chosen_why)}};
  std::vector<std::vector<std::string>> states{{"engine", "state", "why"}};
  for (const engine_state& engine : engines()) {
    states.push_back({engine.name, engine.available ? "here" : "not here", engine.why});
  }
  return aligned_table(facts, {align::left}) + '\n' + aligned_table(states, {align::left});
}

}  // namespace

int run(const info_command& what) {
  write_out(what.form == output_form::json ? info_json() : info_text());
  return exit_code::ok;
}

}  // namespace monofold::cli
