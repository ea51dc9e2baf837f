#pragma once
/// emulation/access: what kernels' reads and writes of memory go through.

#include <cstddef>

#include "emulation/shadow.hpp"

namespace monofold::emulation::detail {

/// Notes an access, which comes after the call. Does nothing where the caller is no kernel.
///
/// shape      is_volatile: a kernel that reads such memory may be waiting for it
void touch(const void* address, std::size_t bytes, access_kind kind, bool is_volatile);

}  // namespace monofold::emulation::detail
