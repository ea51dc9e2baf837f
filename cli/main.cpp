#include <string>
#include <vector>

#include "cli/run.hpp"

int main(int argc, char** argv) {
  return monofold::cli::run_words(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
