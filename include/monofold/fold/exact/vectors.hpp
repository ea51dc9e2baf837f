#pragma once
/// fold/exact/vectors: vectors of the compiler's own, loops that it unrolls, and lines asked for ahead.

#include <cstdint>
#include <type_traits>
#include <utility>

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
  typedef std::uint16_t quarter_bits __attribute__((vector_size(bytes), may_alias));
  typedef float floats __attribute__((vector_size(bytes / 2), may_alias));  // as many as doubles
  static constexpr int doubles = bytes / 8;
};

inline constexpr int page_bytes = 4096;

/// Calls f(0), f(1), ..., f(n - 1) with numbers known to the compiler. Loops that it unrolls later
/// leave their arrays in memory.
template <int n, class F>
MONOFOLD_INLINE void unrolled(const F& f) {
  const auto call = [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, i>{}), ...);
  };
  call(std::make_integer_sequence<int, n>{});
}

/// Prefetches the line of the cache that is `ahead` bytes behind `at`. There may be no memory: a prefetch faults
/// nowhere, and the processor's own ones stop at the end of a page.
MONOFOLD_INLINE void prefetch(const void* at, std::uintptr_t ahead) {
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(at) + ahead));
}

/// Has x loaded once: gcc would rather load it again where it is used again, which takes twice as long where vectors lie
/// across two lines of the cache.
template <class Vector>
MONOFOLD_INLINE void keep_loaded([[maybe_unused]] Vector& x) {
#if defined(__x86_64__) && !defined(__clang__)
  __asm__("" : "+v"(x));
#endif
}

#if defined(__x86_64__) && !defined(__clang__)
/// The first `count` lanes of a vector of eight from memory, of which no more is read, or to it. By name: through memory
/// of its own a vector takes longer.
MONOFOLD_INLINE void load_first(const double* from, int count, lanes<64>::real& out) {
  const auto mask = static_cast<unsigned char>((1u << count) - 1);
  __asm__("vmovupd {%1, %0%{%2%}|%0%{%2%}, %1}"
          : "+v"(out)
          : "m"(*reinterpret_cast<const lanes<64>::real*>(from)), "Yk"(mask));
}
MONOFOLD_INLINE void store_first(const lanes<64>::real& from, int count, double* to) {
  const auto mask = static_cast<unsigned char>((1u << count) - 1);
  __asm__ volatile("vmovupd {%1, (%0)%{%2%}|ZMMWORD PTR [%0]%{%2%}, %1}"
                   :
                   : "r"(to), "v"(from), "Yk"(mask)
                   : "memory");
}
#endif

/// out = a * b + c, rounded once. By name: gcc takes lanes apart in some loops over them, and knows the
/// instruction's builtin function only where all of a source file is compiled for it.
template <int bytes, class Vector>
MONOFOLD_INLINE void multiply_add(const Vector& a, const Vector& b, const Vector& c, Vector& out) {
#if defined(__x86_64__) && !defined(__clang__)
  out = c;
  __asm__("vfmadd231pd {%2, %1, %0|%0, %1, %2}" : "+v"(out) : "v"(a), "v"(b));
#else
  for (int l = 0; l < bytes / 8; ++l) out[l] = __builtin_fma(a[l], b[l], c[l]);
#endif
}
/// out = a * b - c, likewise.
template <int bytes, class Vector>
MONOFOLD_INLINE void multiply_subtract(const Vector& a, const Vector& b, const Vector& c,
                                       Vector& out) {
#if defined(__x86_64__) && !defined(__clang__)
  out = c;
  __asm__("vfmsub231pd {%2, %1, %0|%0, %1, %2}" : "+v"(out) : "v"(a), "v"(b));
#else
  for (int l = 0; l < bytes / 8; ++l) out[l] = __builtin_fma(a[l], b[l], -c[l]);
#endif
}

}  // namespace monofold::detail

#endif
