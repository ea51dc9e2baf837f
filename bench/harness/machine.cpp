#include "bench/harness/machine.hpp"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>
#include <thread>

namespace bench {

namespace {

std::string processor_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown";
}

/// The last word of the processor's name that is not a frequency or a model's suffix, lower case.
std::string short_name(const std::string& processor) {
  std::istringstream words(processor);
  std::string chosen = "machine";
  for (std::string word; words >> word;) {
    if (word == "@" || word.starts_with("CPU") || word.starts_with("Processor")) break;
    if (word.find_first_of("()") != std::string::npos) continue;
    chosen.clear();
    for (const unsigned char c : word) {
      if (std::isalnum(c) != 0) chosen.push_back(static_cast<char>(std::tolower(c)));
    }
  }
  return chosen;
}

std::string compiler_name() {
#if defined(__clang__)
  return std::string("clang ") + __clang_version__;
#elif defined(__GNUC__)
  return std::string("gcc ") + __VERSION__;
#else
  return "unknown";
#endif
}

/// The commit that the current folder belongs to: the benchmark is started in the tree by `./dev`.
std::string commit_of_tree() {
  std::FILE* const git = popen("git describe --always --dirty --abbrev=12 2>/dev/null", "r");
  if (git == nullptr) return "unknown";
  std::string text;
  for (int c = std::fgetc(git); c != EOF && c != '\n'; c = std::fgetc(git)) {
    text.push_back(static_cast<char>(c));
  }
  return pclose(git) == 0 && !text.empty() ? text : "unknown";
}

}  // namespace

provenance describe_machine() {
  const std::string processor = processor_name();
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  double load = 0;
  getloadavg(&load, 1);
  return {short_name(processor) + "-" + std::to_string(cores) + "core",
          processor,
          cores,
          compiler_name(),
          MONOFOLD_BENCH_FLAGS,
          commit_of_tree(),
          load};
}

}  // namespace bench
