#pragma once
/// emulation/copies: memcpy, memmove and memset in kernels, which the compiler does not instrument.
///
/// Included before everything else where kernels are compiled; code that comes after it and copies
/// bytes by one of these names calls the functions below. Copies of 1, 2, 4, 8 and 16 bytes stay the
/// compiler's: g++ makes plain accesses of them, which it does instrument. Clang calls functions for
/// them and for copies of structs, which note the bytes, but do not know how they should be aligned.

#include <cstddef>
#include <cstring>
#include <cwchar>  // so that no standard header declares any of them after this one
#include <string>

namespace monofold::emulation {

void* noted_memcpy(void* to, const void* from, std::size_t bytes);
void* noted_memmove(void* to, const void* from, std::size_t bytes);
void* noted_memset(void* to, int byte, std::size_t bytes);

inline __attribute__((always_inline)) void* kernel_memcpy(void* to, const void* from,
                                                          std::size_t bytes) {
  if (__builtin_constant_p(bytes) && bytes <= 16 && (bytes & (bytes - 1)) == 0) {
    return __builtin_memcpy(to, from, bytes);
  }
  return noted_memcpy(to, from, bytes);
}

}  // namespace monofold::emulation

using monofold::emulation::kernel_memcpy;
using monofold::emulation::noted_memmove;
using monofold::emulation::noted_memset;
namespace std {
using monofold::emulation::kernel_memcpy;
using monofold::emulation::noted_memmove;
using monofold::emulation::noted_memset;
}  // namespace std

#if defined(__clang__)
// Before version 16 it calls these by their own names, for copies of structs too.
asm(".set memcpy, __tsan_memcpy");
asm(".set memmove, __tsan_memmove");
asm(".set memset, __tsan_memset");
#endif

#define memcpy kernel_memcpy
#define memmove noted_memmove
#define memset noted_memset
