#pragma once
/// emulation/fiber: a function that can stop anywhere and go on later, on a stack of its own.

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <vector>

#include "emulation/address_space.hpp"

namespace monofold::emulation::detail {

/// Stacks of equal size, each behind a page without memory, so that an overflow ends the process
/// instead of writing into the next one.
class stack_pool {
 public:
  static constexpr std::size_t stack_bytes = 256 * 1024;  // states of 8 KiB take some 100 KiB
  static constexpr std::size_t most = 64 * 1024;          // 64 blocks of 1024 threads

  /// The number of a free stack, or -1: all are taken. Throws std::bad_alloc where there is no memory for one.
  int take();
  void give_back(int stack) { free_.push_back(stack); }
  char* top_of(int stack) const;
  bool holds(const void* address) const { return space_.holds(address); }

 private:
  address_space space_{stack_bytes * most};
  std::vector<int> free_;
  int opened_ = 0;
};

extern stack_pool stacks;

/// Whether the caller runs on a fiber, and not on a thread of the host.
inline bool is_on_fiber() { return stacks.holds(__builtin_frame_address(0)); }

/// True while the fiber that runs is in the code of a kernel, not in that of this device. Functions of
/// the standard library that both use may be instrumented, and must not count then.
extern bool is_in_kernel;

/// The way out of a kernel and back.
struct outside_kernel {
  outside_kernel() { is_in_kernel = false; }
  outside_kernel(const outside_kernel&) = delete;
  outside_kernel& operator=(const outside_kernel&) = delete;
  ~outside_kernel() { is_in_kernel = true; }
};

/// A function on a stack of its own, which the scheduler resumes, and which suspends itself or goes over to
/// another one.
///
/// sync       all of a fiber's life is on one thread of the host
class fiber {
 public:
  fiber() {}
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;
  ~fiber() { release(); }

  /// Makes the next `resume` or `go_over` call body(argument); false where there is no stack left.
  bool start(void (*body)(void*), void* argument);
  void resume();
  /// Back to who resumed; returns when somebody comes here again. Called on the fiber.
  void suspend();
  /// The same, but `next` runs at once: half of the way by who resumed.
  void go_over(fiber& next);
  /// Gives the stack back. What is on it is dropped, nothing is unwound: a kernel holds nothing.
  void release();

 private:
  // In a union, because a suspended boost fiber that is destroyed unwinds its stack by an exception,
  // which must not pass the noexcept functions that a kernel may be in.
  union {
    boost::context::fiber inside_;
  };
  int stack_ = -1;
};

}  // namespace monofold::emulation::detail
