#pragma once
/// ladder/stopwatch: the time of a call on the device, the median of many.

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace monofold::ladder {

/// Seconds between two points of the default stream: events on a GPU, a clock on the emulated
/// device, where everything is done when a call returns.
class stopwatch {
 public:
#if defined(MONOFOLD_EMULATED)
  void start() { begin_ = std::chrono::steady_clock::now(); }
  double stop() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_;
#else
  stopwatch() {
    static_cast<void>(cudaEventCreate(&begin_));
    static_cast<void>(cudaEventCreate(&end_));
  }
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;
  ~stopwatch() {
    static_cast<void>(cudaEventDestroy(begin_));
    static_cast<void>(cudaEventDestroy(end_));
  }
  void start() { static_cast<void>(cudaEventRecord(begin_)); }
  double stop() {
    float milliseconds = 0;
    static_cast<void>(cudaEventRecord(end_));
    static_cast<void>(cudaEventSynchronize(end_));
    static_cast<void>(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return static_cast<double>(milliseconds) * 1e-3;
  }

 private:
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
#endif
};

/// Seconds a call, the median of up to 31 samples in up to 0.3 s. A sample is as many calls as take
/// 0.2 ms, so that the time of an event does not count; one call where `restore` must come before
/// it.
template <class Restore, class Call>
double median_seconds(bool restores, const Restore& restore, const Call& call) {
  constexpr std::size_t most_samples = 31;
  constexpr double sample_seconds = 2e-4;
  constexpr double all_seconds = 0.3;
  stopwatch watch;
  const auto sample = [&](int calls) {
    restore();
    watch.start();
    for (int i = 0; i < calls; ++i) call();
    return watch.stop() / calls;
  };
  const double first = sample(1);
#if defined(MONOFOLD_EMULATED)
  return first;  // slow, and of no meaning for a GPU
#endif
  int calls = 1;
  if (!restores && first > 0 && first < sample_seconds) {
    calls = std::min(100, static_cast<int>(sample_seconds / first) + 1);
  }
  std::vector<double> found;
  double spent = 0;
  while (found.size() < most_samples && (found.empty() || spent < all_seconds)) {
    found.push_back(sample(calls));
    spent += found.back() * calls;
  }
  std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(found.size() / 2),
                   found.end());
  return found[found.size() / 2];
}

}  // namespace monofold::ladder
