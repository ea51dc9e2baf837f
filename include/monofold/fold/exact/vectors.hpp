#pragma once
/// fold/exact/vectors: vectors of the compiler's own, and lines asked for ahead.

#include <cstdint>

#include "monofold/platform/host_device.hpp"

#if defined(__GNUC__) && !defined(__CUDA_ARCH__)

namespace monofold::detail {

/// Vectors of 8 doubles in registers of some bytes, as the compiler's own types: it lowers them to
/// the instruction set of the function around.
template <int bytes>
struct lanes {
  typedef double real __attribute__((vector_size(bytes), may_alias));
  typedef std::int64_t whole __attribute__((vector_size(bytes), may_alias));
  typedef std::int32_t half __attribute__((vector_size(bytes), may_alias));
  typedef std::uint64_t bits __attribute__((vector_size(bytes), may_alias));
  typedef std::uint32_t half_bits __attribute__((vector_size(bytes), may_alias));
  typedef float floats __attribute__((vector_size(bytes / 2), may_alias));  // as many as doubles
  static constexpr int doubles = bytes / 8;
};

inline constexpr int page_bytes = 4096;

/// Asks for the line so many bytes on, where there may be no memory: the processor itself stops at
/// the end of a page.
MONOFOLD_INLINE void ask_for_line(const void* at, std::uintptr_t ahead) {
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(at) + ahead));
}

}  // namespace monofold::detail

#endif
