#include "python/src/turns.hpp"

#include <pthread.h>

#include <stdexcept>

namespace monofold::python {

namespace {

std::atomic<int> forks{0};

[[maybe_unused]] const int counts_forks =
    pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1); });

}  // namespace

void turns::take() {
  const std::thread::id self = std::this_thread::get_id();
  const int here = 1 + forks.load();
  for (int held = 0; !held_.compare_exchange_strong(held, here); held = 0) {
    if (held != here)
      throw std::runtime_error("the state was at work in another thread when the process forked");
    if (holder_.load(std::memory_order_relaxed) == self)
      throw std::runtime_error("the state is at work: a push of this thread is not done");
    held_.wait(held);
  }
  holder_.store(self, std::memory_order_relaxed);  // which only this thread looks for
}

void turns::give() {
  holder_.store({}, std::memory_order_relaxed);
  held_.store(0, std::memory_order_release);
  held_.notify_one();
}

}  // namespace monofold::python
