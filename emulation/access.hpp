#pragma once
/// emulation/access: what kernels' reads and writes of memory go through.

#include <cstddef>

#include "emulation/fiber.hpp"
#include "emulation/shadow.hpp"

namespace monofold::emulation::detail {

/// What `touch` does with an access to anything but a thread's own stack.
void touch_others(const void* address, std::size_t bytes, access_kind kind, bool is_volatile);

/// Notes an access, which comes after the call. Does nothing where the caller is no kernel.
///
/// shape      is_volatile: a kernel that reads such memory may be waiting for it
inline void touch(const void* address, std::size_t bytes, access_kind kind, bool is_volatile) {
  // Most calls end here, so these two lines are inline: code of the host, and what a thread keeps.
  if (!is_in_kernel || stacks.holds(address)) return;
  touch_others(address, bytes, kind, is_volatile);
}

}  // namespace monofold::emulation::detail
