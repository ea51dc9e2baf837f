#pragma once
/// tests/inputs/short_memory: a process that gets little memory, or none.

#include <sys/resource.h>

#include <cstddef>
#include <fstream>
#include <string>

namespace inputs {

/// The process gets at most so many bytes more while this lives: what it asks for beyond is not there. What was freed
/// before may still be given, so a test of it runs in a process of its own.
class short_memory {
 public:
  explicit short_memory(std::size_t bytes) {
    getrlimit(RLIMIT_DATA, &before_);
    const rlimit little{bytes_of_data() + bytes, before_.rlim_max};
    setrlimit(RLIMIT_DATA, &little);
  }
  short_memory(const short_memory&) = delete;
  short_memory& operator=(const short_memory&) = delete;
  ~short_memory() { setrlimit(RLIMIT_DATA, &before_); }

 private:
  static std::size_t bytes_of_data() {
    std::ifstream status("/proc/self/status");
    std::string word;
    std::size_t kib = 0;
    while (status >> word && word != "VmData:") {
    }
    status >> kib;
    return kib * 1024;
  }

  rlimit before_{};
};

}  // namespace inputs
