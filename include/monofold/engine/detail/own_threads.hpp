#pragma once
/// engine/detail/own_threads: independent pieces of work on threads of one call alone.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

#include "monofold/engine/detail/any_body.hpp"

namespace monofold::detail {

/// Pieces [0, count) on the caller's thread and on others of this call alone, 20 us each to start.
/// What a body throws reaches the caller.
inline void on_own_threads(std::int64_t num_threads, std::int64_t count, const any_body& body) {
  std::atomic<std::int64_t> next{0};
  std::atomic_flag failed;
  std::exception_ptr failure;
  const auto work = [&]() noexcept {
    try {
      for (std::int64_t i = next++; i < count; i = next++) body(i, i + 1);
    } catch (...) {
      next = count;  // nobody begins another piece
      if (!failed.test_and_set()) failure = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  try {
    for (std::int64_t i = 1; i < num_threads; ++i) threads.emplace_back(work);
  } catch (const std::exception&) {
    // The system gives no more threads: those that there are do the work.
  }
  work();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace monofold::detail
