#include "bench/harness/suite_options.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace bench {

namespace {

bool take_common(suite_options& common, const std::string& name, const std::string& value) {
  if (name == "--samples") {
    common.how.num_samples = std::max(1, std::atoi(value.c_str()));
  } else if (name == "--only") {
    common.only = "," + value + ",";
  } else if (name == "--json") {
    common.json = value;
  } else if (name == "--machine") {
    common.machine = value;
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool suite_options::names(std::string_view word) const {
  return only.find("," + std::string(word) + ",") != std::string::npos;
}

void parse_words(
    const std::vector<std::string>& words, const char* usage, suite_options& common,
    const std::function<bool(const std::string& name)>& flag,
    const std::function<bool(const std::string& name, const std::string& value)>& take) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& name = words[i];
    if (name == "--help") {
      std::fputs(usage, stdout);
      std::exit(0);
    }
    if (flag(name)) continue;
    if (i + 1 == words.size()) throw std::runtime_error("no value, or no such option: " + name);
    const std::string& value = words[++i];
    if (!take_common(common, name, value) && !take(name, value)) {
      throw std::runtime_error("no such option: " + name);
    }
  }
}

suite_options parse_words(const std::vector<std::string>& words, const char* usage,
                          suite_options chosen) {
  parse_words(
      words, usage, chosen, [](const std::string&) { return false; },
      [](const std::string&, const std::string&) { return false; });
  return chosen;
}

int run_suite(const char* name, int argc, char** argv,
              const std::function<int(const std::vector<std::string>& words)>& run) {
  try {
    return run({argv + 1, argv + argc}) == 0 ? 0 : 1;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s: %s\n", name, failure.what());
    return 2;
  }
}

}  // namespace bench
