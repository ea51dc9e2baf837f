#pragma once
/// cli/machine: what this machine and this build have.

#include <string>

namespace monofold::cli {

/// The cores that this process may use.
int num_cores();

/// Their number in words: "1 core", "2 cores".
std::string cores_text();

/// Which library hands out threads.
std::string thread_library();

/// The processor's name, empty where the system does not say.
std::string processor_name();

/// The setting of transparent huge pages ("always", "madvise", "never"), empty where there is none.
std::string huge_pages();

long page_bytes();

}  // namespace monofold::cli
