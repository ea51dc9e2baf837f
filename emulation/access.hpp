#pragma once
/// emulation/access: what kernels' reads and writes of memory go through.

#include <cstddef>
#include <cstdint>

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

/// What `touch_whole` does where the address is no multiple of `needed`.
void find_misaligned(const void* address, std::size_t bytes, std::size_t needed, access_kind kind);

/// The same of a number or a struct whose type says how it is aligned. The compiler tells no more of 16 bytes than
/// that their address is at least a multiple of 8.
inline void touch_whole(const void* address, std::size_t bytes, access_kind kind,
                        bool is_volatile) {
  const std::size_t needed = bytes < 8 ? bytes : 8;
  if (reinterpret_cast<std::uintptr_t>(address) % needed != 0) [[unlikely]]
    find_misaligned(address, bytes, needed, kind);
  touch(address, bytes, kind, is_volatile);
}

}  // namespace monofold::emulation::detail
