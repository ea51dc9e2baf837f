#include "cli/emulated_program.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "cli/failure.hpp"

namespace monofold::cli {

std::string emulated_program() {
  std::error_code failed;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) return {};
  const std::filesystem::path other = own.parent_path() / "monofold-emulated";
  return access(other.c_str(), X_OK) == 0 ? other.string() : std::string();
}

void become_emulated_program(const std::vector<std::string>& words) {
  std::string program = emulated_program();
  std::vector<std::string> held = words;
  std::vector<char*> argv{program.data()};
  for (std::string& word : held) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  throw device_error("--device emulated: cannot start " + program + ": " +
                     std::generic_category().message(errno));
}

}  // namespace monofold::cli
