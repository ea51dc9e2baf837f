#include "python/src/turns.hpp"

#include <pthread.h>

#include <stdexcept>

namespace monofold::python {

namespace {

std::atomic<int> forks{0};

[[maybe_unused]] const int counts_forks =
    pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1); });

}  // namespace

/// `held`: 0 before, and after it fails how the turn is held.
bool turns::try_take(int& held) {
  if (!held_.compare_exchange_strong(held, 1 + forks.load())) return false;
  holder_.store(std::this_thread::get_id(), std::memory_order_relaxed);  // which only it looks for
  return true;
}

bool turns::try_take() {
  int held = 0;
  return try_take(held);
}

void turns::take() {
  const std::thread::id self = std::this_thread::get_id();
  for (int held = 0; !try_take(held); held = 0) {
    if (held != 1 + forks.load())
      throw std::runtime_error("the state was at work in another thread when the process forked");
    if (holder_.load(std::memory_order_relaxed) == self)
      throw std::runtime_error("the state is at work: a push of this thread is not done");
    const nanobind::gil_scoped_release released;  // which who has the turn may wait for
    held_.wait(held);
  }
}

void turns::give() {
  holder_.store({}, std::memory_order_relaxed);
  held_.store(0, std::memory_order_release);
  held_.notify_one();
}

}  // namespace monofold::python
