#pragma once
/// engine/gpu/segment/rows_apart: loads of a lane that are all on their way together.

#include <cstdint>
#include <cstring>

#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Loads 1, 2, 4 or 16 bytes, words of 4 or less in each word of `out`, if they are there; else `out` may be anything.
///
/// Such loads keep their order, in front of what uses them: compilers put others where they are used, each behind the use
/// of the one before.
template <int bytes, int words>
MONOFOLD_GPU void load_there(std::uint32_t (&out)[words], const void* at, bool is_there,
                             std::uint64_t policy) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const int flag = is_there ? 1 : 0;
#define MONOFOLD_LOAD(way, to) \
  "{\n\t.reg .pred there;\n\tsetp.ne.s32 there, %" to "\n\t@there ld.global.nc." way "\n\t}"
  if constexpr (bytes == 16) {
    asm volatile(
        MONOFOLD_LOAD("L1::no_allocate.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %6;", "5, 0;")
        : "=&r"(out[0]), "=&r"(out[1]), "=&r"(out[2]), "=&r"(out[3])
        : "l"(at), "r"(flag), "l"(policy));
  } else if constexpr (bytes == 8) {
    asm volatile(MONOFOLD_LOAD("L2::cache_hint.v2.u32 {%0, %1}, [%2], %4;", "3, 0;")
                 : "=&r"(out[0]), "=&r"(out[1])
                 : "l"(at), "r"(flag), "l"(policy));
  } else if constexpr (bytes == 4) {
    asm volatile(MONOFOLD_LOAD("L2::cache_hint.u32 %0, [%1], %3;", "2, 0;")
                 : "=&r"(out[0])
                 : "l"(at), "r"(flag), "l"(policy));
  } else if constexpr (bytes == 2) {
    asm volatile(MONOFOLD_LOAD("L2::cache_hint.u16 %0, [%1], %3;", "2, 0;")
                 : "=&r"(out[0])
                 : "l"(at), "r"(flag), "l"(policy));
  } else {
    asm volatile(MONOFOLD_LOAD("L2::cache_hint.u8 %0, [%1], %3;", "2, 0;")
                 : "=&r"(out[0])
                 : "l"(at), "r"(flag), "l"(policy));
  }
#undef MONOFOLD_LOAD
#else
  static_cast<void>(policy);
  if constexpr (bytes < 4) out[0] = 0;
  if (is_there) std::memcpy(out, at, bytes);
#endif
}

}  // namespace monofold::detail
