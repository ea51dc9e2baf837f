#include "cli/machine.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <fstream>

namespace monofold::cli {

int num_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
}

std::string cores_text() {
  return std::to_string(num_cores()) + (num_cores() == 1 ? " core" : " cores");
}

std::string thread_library() {
#if defined(MONOFOLD_HAS_TBB) && MONOFOLD_HAS_TBB
  return "oneTBB";
#else
  return "POSIX";
#endif
}

std::string processor_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return {};
}

std::string huge_pages() {
  std::ifstream in("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string line;
  std::getline(in, line);
  const std::size_t open = line.find('[');
  const std::size_t close = line.find(']');
  if (open == std::string::npos || close == std::string::npos) return {};
  return line.substr(open + 1, close - open - 1);
}

long page_bytes() { return ::sysconf(_SC_PAGESIZE); }

}  // namespace monofold::cli
