#pragma once
/// cli/progress: how far the reading is, on standard error while somebody watches.

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "cli/command.hpp"

namespace monofold::cli {

/// A line with bytes, GB/s and time left, on a terminal only, from the first second on, ten times a
/// second at most; it is wiped out at the end.
///
/// sync       any thread may call `update`
class progress {
 public:
  progress(const std::string& name, std::optional<std::int64_t> total_bytes, notes remarks);
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress() { clear(); }

  void update(std::int64_t done_bytes);
  void clear();

 private:
  using clock = std::chrono::steady_clock;

  std::string name_;
  std::optional<std::int64_t> total_bytes_;
  bool watched_;
  clock::time_point start_ = clock::now();
  std::mutex mutex_;
  clock::time_point next_ = start_ + std::chrono::seconds(1);
  bool drawn_ = false;
};

/// The line itself.
///
/// tested by  tests/cli/report_test.cpp
std::string progress_line(const std::string& name, std::int64_t done_bytes,
                          std::optional<std::int64_t> total_bytes, double seconds);

}  // namespace monofold::cli
