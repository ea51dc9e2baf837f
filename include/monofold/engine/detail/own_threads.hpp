#pragma once
/// engine/detail/own_threads: independent pieces of work on threads of one call alone.

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <vector>

#include "monofold/engine/detail/any_body.hpp"

namespace monofold::detail {

/// Pieces [0, count) of a call, taken one at a time by the threads that work on it.
///
/// POSIX threads and the compiler's atomic operations: <thread> and <atomic> cost each source that
/// includes this 0.2 s.
class piece_work {
 public:
  piece_work(std::int64_t count, const any_body& body) : count_(count), body_(body) {}

  void take_pieces() noexcept {
    try {
      for (std::int64_t i = take(); i < count_; i = take()) body_(i, i + 1);
    } catch (...) {
      __atomic_store_n(&next_, count_, __ATOMIC_RELAXED);  // nobody begins another piece
      if (!__atomic_test_and_set(&failed_, __ATOMIC_RELAXED)) failure_ = std::current_exception();
    }
  }
  static void* take_pieces_of(void* work) {
    static_cast<piece_work*>(work)->take_pieces();
    return nullptr;
  }
  /// Throws what a body threw, when all threads have been joined.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::int64_t take() { return __atomic_fetch_add(&next_, 1, __ATOMIC_RELAXED); }

  std::int64_t next_ = 0;
  std::int64_t count_;
  const any_body& body_;
  bool failed_ = false;
  std::exception_ptr failure_;
};

/// Pieces [0, count) on the caller's thread and on others of this call alone, 20 us each to start.
/// What a body throws reaches the caller.
inline void on_own_threads(std::int64_t num_threads, std::int64_t count, const any_body& body) {
  piece_work work(count, body);
  std::vector<pthread_t> threads(static_cast<std::size_t>(num_threads > 1 ? num_threads - 1 : 0));
  std::size_t started = 0;
  // Where the system gives no more threads, those that there are do the work.
  while (started != threads.size() &&
         pthread_create(&threads[started], nullptr, piece_work::take_pieces_of, &work) == 0) {
    ++started;
  }
  work.take_pieces();
  for (std::size_t i = 0; i != started; ++i) pthread_join(threads[i], nullptr);
  work.rethrow();
}

}  // namespace monofold::detail
