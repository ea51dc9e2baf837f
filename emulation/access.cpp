#include "emulation/access.hpp"

#include "emulation/block.hpp"
#include "emulation/device_memory.hpp"
#include "emulation/step_notes.hpp"

namespace monofold::emulation::detail {

namespace {

/// A thread gives others a turn after so many accesses, in case it waits for them.
constexpr int accesses_a_turn = 5000;

void touch_device(const void* address, std::size_t bytes, access_kind kind, bool is_volatile) {
  if (!memory.may_touch(address, bytes)) {
    running_block->fail(
        finding::device_out_of_range,
        (kind == access_kind::read ? "reads " : "writes ") + memory.what_is_wrong(address, bytes));
  }
  // An atomic may be how a kernel waits, so it is no progress by itself: see atomics.
  if (kind == access_kind::write) ++running_launch->progress;
  if (is_volatile && kind != access_kind::write && notes == nullptr) running_block->yield();
}

/// The kind of an access to a volatile word.
access_kind volatile_kind(access_kind kind) {
  switch (kind) {
    case access_kind::read: return access_kind::volatile_read;
    case access_kind::write: return access_kind::volatile_write;
    default: return kind;
  }
}

}  // namespace

void touch_others(const void* address, std::size_t bytes, access_kind kind, bool is_volatile) {
  if (!is_on_fiber() || bytes == 0) return;
  const outside_kernel here;
  if (notes != nullptr) [[unlikely]] {
    notes->before_access(*running_block, address, bytes, is_volatile ? volatile_kind(kind) : kind);
  }
  if (running_block->shared().holds(address)) {
    running_block->touch_shared(address, bytes, is_volatile ? volatile_kind(kind) : kind);
  } else if (memory.holds(address)) {
    touch_device(address, bytes, kind, is_volatile);
  }
  if (++running_launch->accesses >= accesses_a_turn) {
    running_launch->accesses = 0;
    if (notes == nullptr) running_block->yield();
  }
}

}  // namespace monofold::emulation::detail
