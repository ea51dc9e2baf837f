#pragma once
/// runtime/stopping: how a call on the processor ends before it is done.

#include "monofold/platform/host_device.hpp"

namespace monofold::runtime {

/// Thrown in a call that is to end.
struct call_stopped {};

/// Whether a call is to end: another thread says so, and those at work look now and then.
///
/// sync       the compiler's atomic operations
class stop_flag {
 public:
  constexpr stop_flag() = default;
  /// is_set     lives as long as the call; null: nobody ends it
  explicit constexpr stop_flag(const bool* is_set) : is_set_(is_set) {}

  /// errors     throws call_stopped
  MONOFOLD_INLINE void check() const {
    if (is_set_ != nullptr && __atomic_load_n(is_set_, __ATOMIC_RELAXED)) throw call_stopped();
  }

 private:
  const bool* is_set_ = nullptr;
};

/// That of the call that this thread works on. Threads of oneTBB's pool take over that of who hands them a piece.
///
/// tested by  tests/runtime/stopping_test.cpp
inline constinit thread_local stop_flag stop_of_call{};

/// This thread works on a call with such a flag.
class stoppable_work {
 public:
  explicit stoppable_work(stop_flag own) : before_(stop_of_call) { stop_of_call = own; }
  stoppable_work(const stoppable_work&) = delete;
  stoppable_work& operator=(const stoppable_work&) = delete;
  ~stoppable_work() { stop_of_call = before_; }

 private:
  stop_flag before_;
};

}  // namespace monofold::runtime
