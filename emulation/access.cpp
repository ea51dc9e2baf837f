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

void find_misaligned(const void* address, std::size_t bytes, std::size_t needed, access_kind kind) {
  if (!is_in_kernel || !is_on_fiber() || !memory.holds(address)) return;
  const outside_kernel here;
  const char* begin = nullptr;
  std::size_t size = 0;
  memory.bounds_of(address, begin, size);
  if (begin == nullptr) return;  // which `touch` says
  if (notes != nullptr) notes->before_access(*running_block, address, bytes, kind);
  running_block->fail(finding::device_misaligned,
                      (kind == access_kind::read ? "reads " : "writes ") + std::to_string(bytes) +
                          " bytes at byte " +
                          std::to_string(static_cast<const char*>(address) - begin) +
                          " of a buffer of " + std::to_string(size) +
                          " bytes, an address that is no multiple of " + std::to_string(needed));
}

}  // namespace monofold::emulation::detail
