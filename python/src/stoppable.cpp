#include "python/src/stoppable.hpp"

#include <nanobind/nanobind.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "python/src/gather.hpp"
#include "runtime/stopping.hpp"

namespace monofold::python {

namespace nb = nanobind;

namespace {

/// A call on a thread of its own.
class call_elsewhere {
 public:
  /// errors     std::system_error: there is no thread for it
  explicit call_elsewhere(const std::function<monofold_status()>& call)
      : thread_([this, &call] {
          const runtime::stoppable_work here{runtime::stop_flag(&stop_)};
          const monofold_status how = call();
          const std::lock_guard locked(mutex_);
          how_ = how;
          is_done_ = true;
          done_.notify_one();
        }) {}
  call_elsewhere(const call_elsewhere&) = delete;
  call_elsewhere& operator=(const call_elsewhere&) = delete;
  ~call_elsewhere() {
    __atomic_store_n(&stop_, true, __ATOMIC_RELAXED);
    thread_.join();
  }

  /// Waits until it is done, or some time; whether it is.
  bool wait(std::chrono::milliseconds some_time) {
    std::unique_lock locked(mutex_);
    return done_.wait_for(locked, some_time, [&] { return is_done_; });
  }
  monofold_status how() const { return how_; }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  bool is_done_ = false;
  bool stop_ = false;
  monofold_status how_ = MONOFOLD_INTERNAL;
  std::thread thread_;  // the last one: it uses the others
};

monofold_status watch(call_elsewhere& other) {
  constexpr std::chrono::milliseconds between_looks(50);
  while (!other.wait(between_looks)) {
    const nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
  return other.how();
}

}  // namespace

monofold_status call_stoppably(std::int64_t bytes, const std::function<monofold_status()>& call) {
  if (bytes <= piece_bytes) return call();
  try {
    call_elsewhere other(call);
    return watch(other);
  } catch (const std::system_error&) {
    return call();
  }
}

}  // namespace monofold::python
