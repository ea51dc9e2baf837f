#pragma once
/// cli/start_threads: threads for work that is taken a piece at a time.

#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace monofold::cli {

/// Threads that call `work`, as many as asked for or as the system has; what they leave, the caller's does.
/// They are joined where they leave scope.
///
/// shape      `work` throws nothing and outlives the threads
/// tested by  tests/cli/tool_bench_test.py
template <class Work>
std::vector<std::jthread> start_threads(int num_threads, const Work& work) {
  std::vector<std::jthread> threads;
  try {
    threads.reserve(static_cast<std::size_t>(num_threads));
    for (int i = 0; i < num_threads; ++i) threads.emplace_back([&work] { work(); });
  } catch (const std::exception&) {  // no more threads, or no memory for one
  }
  return threads;
}

}  // namespace monofold::cli
