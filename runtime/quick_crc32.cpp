#include "runtime/quick_crc32.hpp"

#include <cstddef>

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#include <immintrin.h>
#define MONOFOLD_POLYNOMIAL_PRODUCTS 1
#else
#define MONOFOLD_POLYNOMIAL_PRODUCTS 0
#endif

namespace monofold::runtime {

#if MONOFOLD_POLYNOMIAL_PRODUCTS

namespace {

bool has_products() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned pclmul = 1u << 1, sse41 = 1u << 19;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & pclmul) != 0 && (c & sse41) != 0;
}

/// What is left of 128 bits when as many more bits as the constants stand for have passed, and the next 128 bits.
__attribute__((target("pclmul,sse4.1"))) inline __m128i folded(__m128i bits, __m128i constants,
                                                               __m128i next) {
  const __m128i low = _mm_clmulepi64_si128(bits, constants, 0x00);
  const __m128i high = _mm_clmulepi64_si128(bits, constants, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

/// The remainder of 64 bytes or more, of which there are whole blocks of 16.
///
/// source     Gopal et al. 2009, Intel, "Fast CRC computation for generic polynomials using PCLMULQDQ", for the
///            reflected polynomial 0xedb88320: remainders of x^(512 +- 32), x^(128 +- 32) and x^64, then Barrett's step
__attribute__((target("pclmul,sse4.1"))) std::uint32_t crc32_of_blocks(const unsigned char* bytes,
                                                                       std::size_t count) {
  const auto block = [&](std::size_t at) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + at));
  };
  const __m128i four_on = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
  const __m128i one_on = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
  __m128i four[4] = {_mm_xor_si128(block(0), _mm_cvtsi32_si128(-1)), block(16), block(32),
                     block(48)};
  std::size_t at = 64;
  for (; at + 64 <= count; at += 64) {
    for (std::size_t i = 0; i < 4; ++i) four[i] = folded(four[i], four_on, block(at + 16 * i));
  }
  __m128i all = four[0];
  for (int i = 1; i < 4; ++i) all = folded(all, one_on, four[i]);
  for (; at < count; at += 16) all = folded(all, one_on, block(at));
  const __m128i low_words = _mm_setr_epi32(-1, 0, -1, 0);
  all = _mm_xor_si128(_mm_srli_si128(all, 8), _mm_clmulepi64_si128(all, one_on, 0x10));
  const __m128i to_64 = _mm_cvtsi64_si128(0x163cd6124);
  all = _mm_xor_si128(_mm_srli_si128(all, 4),
                      _mm_clmulepi64_si128(_mm_and_si128(all, low_words), to_64, 0x00));
  const __m128i by_polynomial = _mm_set_epi64x(0x1f7011641, 0x1db710641);
  __m128i quotient = _mm_clmulepi64_si128(_mm_and_si128(all, low_words), by_polynomial, 0x10);
  quotient = _mm_clmulepi64_si128(_mm_and_si128(quotient, low_words), by_polynomial, 0x00);
  return static_cast<std::uint32_t>(_mm_extract_epi32(_mm_xor_si128(all, quotient), 1));
}

}  // namespace

std::uint32_t quick_crc32_of(std::span<const unsigned char> bytes) {
  static const bool are_there = has_products();
  const std::size_t whole = bytes.size() / 16 * 16;
  if (!are_there || whole < 64) return monofold::detail::crc32_of(bytes);
  return monofold::detail::crc32_of(bytes.subspan(whole), crc32_of_blocks(bytes.data(), whole));
}

#else

std::uint32_t quick_crc32_of(std::span<const unsigned char> bytes) {
  return monofold::detail::crc32_of(bytes);
}

#endif

}  // namespace monofold::runtime
