#pragma once
/// python/src/turns: threads that call on one state, one after the other.

#include <nanobind/nanobind.h>

#include <atomic>
#include <thread>

namespace monofold::python {

/// A lock that says when it can never be had.
///
/// errors     `take` throws std::runtime_error where this thread has the lock, as in a signal's handler that runs
///            between two pieces, and where a thread had it that a fork left behind
class turns {
 public:
  void take();
  bool try_take();
  void give();

 private:
  bool try_take(int& held);

  std::atomic<int> held_{0};  // 0: free; else 1 + the forks before this process
  std::atomic<std::thread::id> holder_{};
};

/// The thread has a turn and not the interpreter's lock, which another thread that waits for this state may hold.
class hold {
 public:
  explicit hold(turns& all) : all_(all) { all_.take(); }
  hold(const hold&) = delete;
  hold& operator=(const hold&) = delete;
  ~hold() { all_.give(); }

 private:
  nanobind::gil_scoped_release released_;
  turns& all_;
};

/// A turn that is free, or none: nobody waits.
class free_turn {
 public:
  explicit free_turn(turns& all) : all_(all), is_mine_(all.try_take()) {}
  free_turn(const free_turn&) = delete;
  free_turn& operator=(const free_turn&) = delete;
  ~free_turn() {
    if (is_mine_) all_.give();
  }
  explicit operator bool() const { return is_mine_; }

 private:
  turns& all_;
  bool is_mine_;
};

/// As `hold` with the interpreter's lock, for what is short: nobody forks halfway, and it is not given away where the
/// turn is free.
class brief_hold {
 public:
  explicit brief_hold(turns& all) : all_(all) {
    if (all_.try_take()) return;
    const nanobind::gil_scoped_release released;  // which who has the turn may wait for
    all_.take();
  }
  brief_hold(const brief_hold&) = delete;
  brief_hold& operator=(const brief_hold&) = delete;
  ~brief_hold() { all_.give(); }

 private:
  turns& all_;
};

}  // namespace monofold::python
