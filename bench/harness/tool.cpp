#include "bench/harness/tool.hpp"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace bench {

namespace {

/// What a command prints. The words must not need quoting by a shell beyond single quotes.
std::string output_of(const std::string& command) {
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    text.push_back(static_cast<char>(c));
  }
  if (pclose(pipe) != 0) throw std::runtime_error("failed: " + command);
  return text;
}

/// The number after `"name":` in a JSON text that the tool prints.
double number_after(const std::string& json, const std::string& name) {
  const std::size_t at = json.find("\"" + name + "\"");
  const std::size_t colon = at == std::string::npos ? at : json.find(':', at);
  if (colon == std::string::npos) throw std::runtime_error("no \"" + name + "\" in " + json);
  return std::strtod(json.c_str() + colon + 1, nullptr);
}

}  // namespace

std::function<outcome()> tool_call(const std::string& tool, operation op, const std::string& file,
                                   const std::string& io) {
  const std::string name(row_of(op).name);
  const std::string command =
      "'" + tool + "' " + name + " '" + file + "' --json" + (io.empty() ? "" : " --io " + io);
  return [command] {
    const std::string json = output_of(command);
    return outcome{number_after(json, "seconds") * 1e9, {}};
  };
}

}  // namespace bench
