#pragma once
/// runtime/prefetch: how far ahead vector loops ask for memory.

#include <cstddef>
#include <cstdint>

#include "monofold/platform/host_device.hpp"
#include "monofold/platform/instruction_set.hpp"

namespace monofold::runtime {

/// Two tiles: 8 KiB at 30 GB/s are 270 ns, twice the latency of memory. For loops that walk a tile
/// column by column, an order that no hardware prefetcher follows: they ask for lines in the order
/// of addresses; without that they reach a third of the speed.
inline constexpr std::ptrdiff_t prefetch_bytes = 8192;

/// Asks for lines of memory. Inlined: g++ drops calls of functions that do nothing else.
MONOFOLD_INLINE void prefetch_lines(const char* first, std::int64_t bytes) {
  for (std::int64_t i = 0; i < bytes; i += 64) __builtin_prefetch(first + i);
}

/// Asks for the lines of a vector that is read much later: in the second-level cache there is room for many of them.
MONOFOLD_INLINE void prefetch_far(const void* vector) { __builtin_prefetch(vector, 0, 2); }

/// Members that find a block in the first-level cache ask for the line they read: a free request.
inline constexpr std::ptrdiff_t no_prefetch = 0;

/// `ahead` for a loop that reads from end to end. Processors of Intel fetch ahead within a page: asked for the next
/// one they read 1.2 times as fast (docs/decisions/0004). Those of AMD lose a tenth where they are asked.
inline std::ptrdiff_t ahead_in_order(std::ptrdiff_t ahead) {
  return monofold::detail::fetches_in_line() ? no_prefetch : ahead;
}

/// Asks for the lines so far ahead of `bytes` at `at`, if they are others. Vectors of fewer bytes than a line would ask
/// for each line twice, and do not.
template <int bytes>
MONOFOLD_INLINE void prefetch_ahead(const void* at, std::ptrdiff_t ahead) {
  if (bytes < 64 || ahead == no_prefetch) return;
  const auto line = reinterpret_cast<std::uintptr_t>(at) + static_cast<std::uintptr_t>(ahead);
  for (int i = 0; i < bytes; i += 64) __builtin_prefetch(reinterpret_cast<const void*>(line + i));
}

}  // namespace monofold::runtime
