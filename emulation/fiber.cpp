#include "emulation/fiber.hpp"

#include <memory>
#include <new>
#include <utility>

namespace monofold::emulation::detail {

stack_pool stacks;
bool is_in_kernel = false;

namespace {

/// The pool owns the stacks.
struct keep_stack {
  boost::context::stack_context allocate() { return {}; }
  void deallocate(boost::context::stack_context&) {}
};

boost::context::fiber outside;  // where who resumed stands

/// Where the one who jumps will be found: only the one who arrives is told by Boost where that is.
boost::context::fiber* left = nullptr;

void jump(boost::context::fiber& from, boost::context::fiber& to) {
  left = &from;
  boost::context::fiber back = std::move(to).resume();
  *left = std::move(back);
}

}  // namespace

int stack_pool::take() {
  if (free_.empty()) {
    const auto next = static_cast<std::size_t>(opened_);
    if ((next + 1) * stack_bytes > space_.bytes()) return -1;
    char* const low = space_.begin() + next * stack_bytes;
    free_.reserve(most);  // so that to give one back needs no memory
    if (!space_.open(low + page_bytes, stack_bytes - page_bytes)) throw std::bad_alloc();
    return opened_++;
  }
  const int stack = free_.back();
  free_.pop_back();
  return stack;
}

char* stack_pool::top_of(int stack) const {
  // Tops at equal places of their pages would share one set of each cache: so they are spread over
  // 64 lines, and over 8 pages.
  const auto spread = static_cast<std::size_t>(stack) * 67 % 512 * 64;
  return space_.begin() + (static_cast<std::size_t>(stack) + 1) * stack_bytes - spread;
}

bool fiber::start(void (*body)(void*), void* argument) {
  stack_ = stacks.take();
  if (stack_ < 0) return false;
  boost::context::stack_context whole;
  whole.sp = stacks.top_of(stack_);
  whole.size = stack_pool::stack_bytes / 2;
  new (&inside_) boost::context::fiber(
      std::allocator_arg, boost::context::preallocated(whole.sp, whole.size, whole), keep_stack{},
      [this, body, argument](boost::context::fiber&& back) {
        *left = std::move(back);
        body(argument);
        left = &inside_;
        return std::move(outside);
      });
  return true;
}

void fiber::resume() { jump(outside, inside_); }

void fiber::suspend() { jump(inside_, outside); }

void fiber::go_over(fiber& next) { jump(inside_, next.inside_); }

void fiber::release() {
  if (stack_ >= 0) stacks.give_back(stack_);
  stack_ = -1;
}

}  // namespace monofold::emulation::detail
