#include "runtime/quick_crc32.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

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

/// A remainder as the products of reflected bits take it.
constexpr std::uint64_t remainder_of_power(int exponent) {
  std::uint32_t left = 0x80000000;  // of x^0, the highest bit first
  for (int i = 0; i < exponent; ++i) left = left >> 1 ^ ((left & 1) != 0 ? 0xedb88320u : 0);
  return std::uint64_t{left} << 1;
}

/// For 128 bits: by what to multiply their two halves when as many more blocks of 128 bits as an index says have passed.
constexpr int most_blocks_on = 64;
constexpr auto blocks_on = [] {
  std::array<std::array<std::uint64_t, 2>, most_blocks_on + 1> all{};
  for (int i = 1; i <= most_blocks_on; ++i) {
    all[static_cast<std::size_t>(i)] = {remainder_of_power(128 * i + 32),
                                        remainder_of_power(128 * i - 32)};
  }
  return all;
}();
static_assert(blocks_on[1][0] == 0x1751997d0 && blocks_on[1][1] == 0x0ccaa009e);
static_assert(blocks_on[4][0] == 0x154442bd4 && blocks_on[4][1] == 0x1c6e41596);

/// What is left of 128 bits when so many more blocks have passed.
__attribute__((target("pclmul,sse4.1"))) inline __m128i passed(__m128i bits, std::size_t blocks) {
  const auto* const constants = reinterpret_cast<const __m128i*>(blocks_on[blocks].data());
  const __m128i by = _mm_loadu_si128(constants);
  return _mm_xor_si128(_mm_clmulepi64_si128(bits, by, 0x00), _mm_clmulepi64_si128(bits, by, 0x11));
}

/// The remainder of whole blocks of 16 bytes, at least one. No block waits for another one, and zeros take no products:
/// of a state's bytes they are the most.
///
/// source     Gopal et al. 2009, Intel, "Fast CRC computation for generic polynomials using PCLMULQDQ", for the
///            reflected polynomial 0xedb88320: remainders of x^(128 i +- 32) and x^64, then Barrett's step
__attribute__((target("pclmul,sse4.1"))) std::uint32_t crc32_of_blocks(const unsigned char* bytes,
                                                                       std::size_t count) {
  const auto block = [&](std::size_t at) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16 * at));
  };
  __m128i all = _mm_xor_si128(block(0), _mm_cvtsi32_si128(-1));
  for (std::size_t at = 1; at < count;) {
    const std::size_t here = std::min<std::size_t>(count - at, most_blocks_on);
    all = passed(all, here);
    for (std::size_t i = 1; i < here; ++i, ++at) {
      const __m128i bits = block(at);
      if (_mm_testz_si128(bits, bits) == 0) all = _mm_xor_si128(all, passed(bits, here - i));
    }
    all = _mm_xor_si128(all, block(at++));
  }
  const __m128i one_on = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
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
  if (!are_there || whole == 0) return monofold::detail::crc32_of(bytes);
  return monofold::detail::crc32_of(bytes.subspan(whole),
                                    crc32_of_blocks(bytes.data(), whole / 16));
}

#else

std::uint32_t quick_crc32_of(std::span<const unsigned char> bytes) {
  return monofold::detail::crc32_of(bytes);
}

#endif

}  // namespace monofold::runtime
