#pragma once
/// runtime/prefetch: how far ahead vector loops ask for memory.

#include <cstddef>
#include <cstdint>

#include "monofold/platform/host_device.hpp"

namespace monofold::runtime {

/// Two tiles: 8 KiB at 30 GB/s are 270 ns, twice the latency of memory. For loops that walk a tile
/// column by column, an order that no hardware prefetcher follows: they ask for lines in the order
/// of addresses; without that they reach a third of the speed. Loops that read from end to end do
/// not ask: it costs them a tenth.
inline constexpr std::ptrdiff_t prefetch_bytes = 8192;

/// Asks for lines of memory. Inlined: g++ drops calls of functions that do nothing else.
MONOFOLD_INLINE void prefetch_lines(const char* first, std::int64_t bytes) {
  for (std::int64_t i = 0; i < bytes; i += 64) __builtin_prefetch(first + i);
}

/// Asks for the lines of a vector that is read much later: in the second-level cache there is room for many of them.
MONOFOLD_INLINE void prefetch_far(const void* vector) { __builtin_prefetch(vector, 0, 2); }

/// Members that find a block in the first-level cache ask for the line they read: a free request.
inline constexpr std::ptrdiff_t no_prefetch = 0;

}  // namespace monofold::runtime
