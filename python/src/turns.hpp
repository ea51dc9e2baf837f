#pragma once
/// python/src/turns: threads that call on one state, one after the other.

#include <nanobind/nanobind.h>

#include <atomic>
#include <thread>

namespace monofold::python {

/// A lock that says when it can never be had.
///
/// sync       `take` is called with the interpreter's lock, and gives that away while it waits. So who has that lock, where
///            there is one, and finds nobody at work is alone until it gives it away
/// errors     `take` throws std::runtime_error where this thread has the lock, as in a signal's handler that runs
///            between two pieces, and where a thread had it that a fork left behind
class turns {
 public:
  void take();
  bool try_take();
  bool is_free() const { return held_.load(std::memory_order_acquire) == 0; }
  void give();

 private:
  bool try_take(int& held);

  std::atomic<int> held_{0};  // 0: free; else 1 + the forks before this process
  std::atomic<std::thread::id> holder_{};
};

/// The thread has a turn and not the interpreter's lock, which another thread that waits for this state may hold.
class hold {
 public:
  explicit hold(turns& all) : all_(taken(all)) {}
  hold(const hold&) = delete;
  hold& operator=(const hold&) = delete;
  ~hold() { all_.give(); }

 private:
  static turns& taken(turns& all) {
    all.take();
    return all;
  }

  turns& all_;
  nanobind::gil_scoped_release released_{};  // after the turn is taken
};

/// A turn that is free, or none: nobody waits.
///
/// sync       with the interpreter's lock, which is kept: where there is one, no mark is needed to be alone
class free_turn {
 public:
#ifdef Py_GIL_DISABLED
  explicit free_turn(turns& all) : all_(all), is_mine_(all.try_take()) {}
  ~free_turn() {
    if (is_mine_) all_.give();
  }
#else
  explicit free_turn(turns& all) : all_(all), is_mine_(all.is_free()) {}
#endif
  free_turn(const free_turn&) = delete;
  free_turn& operator=(const free_turn&) = delete;
  explicit operator bool() const { return is_mine_; }

 private:
  [[maybe_unused]] turns& all_;
  bool is_mine_;
};

/// As `hold` with the interpreter's lock, for what is short: nobody forks halfway, and it is not given away where the
/// turn is free.
class brief_hold {
 public:
  explicit brief_hold(turns& all) : all_(all) { all_.take(); }
  brief_hold(const brief_hold&) = delete;
  brief_hold& operator=(const brief_hold&) = delete;
  ~brief_hold() { all_.give(); }

 private:
  turns& all_;
};

}  // namespace monofold::python
