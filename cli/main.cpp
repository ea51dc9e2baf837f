#include <string>
#include <vector>

#include "cli/execute.hpp"

int main(int argc, char** argv) {
  return monofold::cli::execute_words(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
