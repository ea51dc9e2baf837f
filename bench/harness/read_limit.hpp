#pragma once
/// bench/harness/read_limit: how fast all cores together can read a piece of memory.

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace bench {

/// Threads that wait for work, so that starting them is not part of what is timed.
class crew {
 public:
  explicit crew(int num_threads);
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;
  ~crew();

  /// Calls work() once on every thread, the caller's included, and waits for all of them.
  void run(const std::function<void()>& work);

 private:
  void wait_for_work();

  const std::function<void()>* work_ = nullptr;
  std::atomic<std::uint32_t> round_{0};
  std::atomic<std::uint32_t> busy_{0};
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

/// One way to read memory.
struct read_variant {
  using kernel = std::uint64_t (*)(const char* at, std::int64_t bytes, std::int64_t ahead);
  std::string name;
  kernel read;
  std::int64_t ahead;        // from a load to the prefetch issued with it; 0: no prefetch
  std::int64_t piece_bytes;  // what a thread takes at a time
};

/// The tuned read loop: every byte is loaded and enters an exclusive or, nothing else is done.
///
/// cost       one pass over the bytes by all threads, which take pieces from a counter, so that a
///            core that is busy otherwise does not hold up the rest
class read_limit {
 public:
  explicit read_limit(int num_threads);

  /// Times every variant that this processor can run on `bytes` at `data` and keeps the fastest.
  void tune(const void* data, std::int64_t bytes);
  /// Reads everything with the variant kept. The value keeps the loads from being dropped.
  std::uint64_t read(const void* data, std::int64_t bytes);

  const std::string& variant() const { return best_.name; }

 private:
  const read_variant& fastest(const std::vector<read_variant>& list, const void* data,
                              std::int64_t bytes);
  std::uint64_t read_with(const read_variant& variant, const void* data, std::int64_t bytes);

  crew crew_;
  read_variant best_;
};

}  // namespace bench
