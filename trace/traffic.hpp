#pragma once
/// trace/traffic: what an access of a warp asks of memory.

#include "emulation/recording.hpp"

namespace monofold::trace {

/// Sectors of 32 bytes that the lanes of an access to device memory touch together.
int sectors_of(const emulation::warp_step& access);

/// How often shared memory must be asked more than once: lanes of a phase (32 of up to 4 bytes each, 16 of 8,
/// 8 of 16) that need different words of one of its 32 banks wait for each other.
int bank_conflicts_of(const emulation::warp_step& access);

}  // namespace monofold::trace
