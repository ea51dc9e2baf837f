// What the compiler calls before every access to memory where kernels are compiled with
// -fsanitize=thread. The sanitizer's own library is not linked: these are all that it would be
// called for. Code of the host calls them too, and gets back at once.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "emulation/access.hpp"
#include "emulation/copies.hpp"

using monofold::emulation::detail::access_kind;
using monofold::emulation::detail::touch;
using monofold::emulation::detail::touch_whole;

#define MONOFOLD_HOOKS(bytes)                                                                     \
  void __tsan_read##bytes(void* at) { touch_whole(at, bytes, access_kind::read, false); }         \
  void __tsan_write##bytes(void* at) { touch_whole(at, bytes, access_kind::write, false); }       \
  void __tsan_unaligned_read##bytes(void* at) { touch(at, bytes, access_kind::read, false); }     \
  void __tsan_unaligned_write##bytes(void* at) { touch(at, bytes, access_kind::write, false); }   \
  void __tsan_volatile_read##bytes(void* at) { touch_whole(at, bytes, access_kind::read, true); } \
  void __tsan_volatile_write##bytes(void* at) {                                                   \
    touch_whole(at, bytes, access_kind::write, true);                                             \
  }                                                                                               \
  void __tsan_unaligned_volatile_read##bytes(void* at) {                                          \
    touch(at, bytes, access_kind::read, true);                                                    \
  }                                                                                               \
  void __tsan_unaligned_volatile_write##bytes(void* at) {                                         \
    touch(at, bytes, access_kind::write, true);                                                   \
  }

// std::atomic in code of the host that is compiled with kernels; a kernel has atomicAdd and others.
#define MONOFOLD_ATOMIC_HOOKS(bits, type)                                                          \
  type __tsan_atomic##bits##_load(const volatile type* at, int) {                                  \
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                  \
  }                                                                                                \
  void __tsan_atomic##bits##_store(volatile type* at, type value, int) {                           \
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                 \
  }                                                                                                \
  type __tsan_atomic##bits##_exchange(volatile type* at, type value, int) {                        \
    return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);                                       \
  }                                                                                                \
  type __tsan_atomic##bits##_fetch_add(volatile type* at, type value, int) {                       \
    return __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST);                                        \
  }                                                                                                \
  type __tsan_atomic##bits##_fetch_sub(volatile type* at, type value, int) {                       \
    return __atomic_fetch_sub(at, value, __ATOMIC_SEQ_CST);                                        \
  }                                                                                                \
  type __tsan_atomic##bits##_fetch_and(volatile type* at, type value, int) {                       \
    return __atomic_fetch_and(at, value, __ATOMIC_SEQ_CST);                                        \
  }                                                                                                \
  type __tsan_atomic##bits##_fetch_or(volatile type* at, type value, int) {                        \
    return __atomic_fetch_or(at, value, __ATOMIC_SEQ_CST);                                         \
  }                                                                                                \
  type __tsan_atomic##bits##_fetch_xor(volatile type* at, type value, int) {                       \
    return __atomic_fetch_xor(at, value, __ATOMIC_SEQ_CST);                                        \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile type* at, type* expected, type value, \
                                                    int, int) {                                    \
    return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST,               \
                                       __ATOMIC_SEQ_CST);                                          \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile type* at, type* expected, type value,   \
                                                  int, int) {                                      \
    return __atomic_compare_exchange_n(at, expected, value, true, __ATOMIC_SEQ_CST,                \
                                       __ATOMIC_SEQ_CST);                                          \
  }                                                                                                \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type* at, type expected, type value,    \
                                                  int, int) {                                      \
    __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);  \
    return expected;                                                                               \
  }

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void**, void*) {}

MONOFOLD_HOOKS(1)
MONOFOLD_HOOKS(2)
MONOFOLD_HOOKS(4)
MONOFOLD_HOOKS(8)
MONOFOLD_HOOKS(16)

void __tsan_read_range(void* at, std::size_t bytes) { touch(at, bytes, access_kind::read, false); }
void __tsan_write_range(void* at, std::size_t bytes) {
  touch(at, bytes, access_kind::write, false);
}

MONOFOLD_ATOMIC_HOOKS(8, std::uint8_t)
MONOFOLD_ATOMIC_HOOKS(16, std::uint16_t)
MONOFOLD_ATOMIC_HOOKS(32, std::uint32_t)
MONOFOLD_ATOMIC_HOOKS(64, std::uint64_t)
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

}  // extern "C"

#undef memcpy
#undef memmove
#undef memset

namespace monofold::emulation {

void* noted_memcpy(void* to, const void* from, std::size_t bytes) {
  touch(from, bytes, access_kind::read, false);
  touch(to, bytes, access_kind::write, false);
  return std::memcpy(to, from, bytes);
}

void* noted_memmove(void* to, const void* from, std::size_t bytes) {
  touch(from, bytes, access_kind::read, false);
  touch(to, bytes, access_kind::write, false);
  return std::memmove(to, from, bytes);
}

void* noted_memset(void* to, int byte, std::size_t bytes) {
  touch(to, bytes, access_kind::write, false);
  return std::memset(to, byte, bytes);
}

}  // namespace monofold::emulation

// What clang calls for copies of structs.
extern "C" {

void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  return monofold::emulation::noted_memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  return monofold::emulation::noted_memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int byte, std::size_t bytes) {
  return monofold::emulation::noted_memset(to, byte, bytes);
}

}  // extern "C"
