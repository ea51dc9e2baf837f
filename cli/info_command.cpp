#include <fmt/core.h>

#include <string>
#include <string_view>
#include <vector>

#include "cli/engines.hpp"
#include "cli/execute.hpp"
#include "cli/failure.hpp"
#include "cli/joined.hpp"
#include "cli/json.hpp"
#include "cli/machine.hpp"
#include "cli/output.hpp"
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
  std::string states;
  for (const engine_state& engine : engines()) {
    states += (states.empty() ? "" : ",") + json_object()
                                                .add("name", engine.name)
                                                .add("available", engine.available)
                                                .add("why", engine.why)
                                                .text();
  }
  return json_object()
             .add("version", version)
             .add_json("engines", '[' + states + ']')
             .add_json("auto",
                       json_object().add("engine", chosen_engine).add("why", chosen_why).text())
             .add("processor", processor_name())
             .add("cores", num_cores())
             .add("threads", thread_library())
             .add("instruction_set", runtime::instruction_set())
             .add("instruction_sets", runtime::instruction_sets())
             .add("page_bytes", page_bytes())
             .add("huge_pages", huge_pages())
             .text() +
         '\n';
}

std::string info_text() {
  const std::string pages = huge_pages();
  const std::vector<std::vector<std::string>> facts{
      {"version", version},
      {"processor", processor_name()},
      {"cores", std::to_string(num_cores())},
      {"threads", thread_library()},
      {"instruction set", fmt::format("{} (of {})", runtime::instruction_set(),
                                      joined(runtime::instruction_sets(), ", "))},
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

int execute(const info_command& what) {
  write_out(what.form == output_form::json ? info_json() : info_text());
  return exit_code::ok;
}

}  // namespace monofold::cli
