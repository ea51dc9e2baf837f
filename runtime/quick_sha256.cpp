#include "runtime/quick_sha256.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#include <immintrin.h>
#define MONOFOLD_SHA_INSTRUCTIONS 1
#else
#define MONOFOLD_SHA_INSTRUCTIONS 0
#endif

namespace monofold::runtime {

#if MONOFOLD_SHA_INSTRUCTIONS

namespace {

bool has_sha_instructions() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned ssse3 = 1u << 9, sse41 = 1u << 19, sha = 1u << 29;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & ssse3) == 0 || (c & sse41) == 0) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & sha) != 0;
}

using sha256_words = std::array<std::uint32_t, 8>;

/// Blocks, which wait for each other: the words stay in registers between them. Four rounds an iteration. The
/// instructions hold words a, b, e, f in one vector and c, d, g, h in the other, the first one on top, and four words of
/// the block in each of four.
__attribute__((target("sha,sse4.1,ssse3"))) void add_by_instructions(sha256_words& words,
                                                                     const unsigned char* block,
                                                                     std::size_t count) {
  const auto at = [](const void* from) { return static_cast<const __m128i*>(from); };
  const __m128i low = _mm_shuffle_epi32(_mm_loadu_si128(at(words.data())), 0xb1);
  const __m128i high = _mm_shuffle_epi32(_mm_loadu_si128(at(words.data() + 4)), 0x1b);
  __m128i abef = _mm_alignr_epi8(low, high, 8);
  __m128i cdgh = _mm_blend_epi16(high, low, 0xf0);
  const __m128i turn_words = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  for (; count != 0; --count, block += monofold::detail::sha256_block) {
    const __m128i first_abef = abef, first_cdgh = cdgh;
    __m128i w[4];
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) {
      __m128i& now = w[i % 4];
      __m128i& next = w[(i + 1) % 4];
      __m128i& last = w[(i + 3) % 4];
      if (i < 4) now = _mm_shuffle_epi8(_mm_loadu_si128(at(block + 16 * i)), turn_words);
      const __m128i added = _mm_add_epi32(
          now, _mm_loadu_si128(at(monofold::detail::sha256_constants.data() + 4 * i)));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, added);
      if (i >= 3 && i < 15) {
        next = _mm_sha256msg2_epu32(_mm_add_epi32(next, _mm_alignr_epi8(now, last, 4)), now);
      }
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(added, 0x0e));
      if (i >= 1 && i < 13) last = _mm_sha256msg1_epu32(last, now);
    }
    abef = _mm_add_epi32(abef, first_abef);
    cdgh = _mm_add_epi32(cdgh, first_cdgh);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  auto* const out = reinterpret_cast<__m128i*>(words.data());
  _mm_storeu_si128(out, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(out + 1, _mm_alignr_epi8(dchg, feba, 8));
}

/// The first block of the bytes before, and what it made of the words: saved states of one request begin alike.
struct known_begin {
  std::array<unsigned char, monofold::detail::sha256_block> block{};
  sha256_words words{};  // all zero: of no block yet
};

void add_first_block(sha256_words& words, const unsigned char* block) {
  thread_local known_begin known;
  const bool is_known =
      known.words != sha256_words{} && std::equal(known.block.begin(), known.block.end(), block);
  if (!is_known) {
    add_by_instructions(words, block, 1);
    std::copy_n(block, known.block.size(), known.block.begin());
    known.words = words;
  }
  words = known.words;
}

}  // namespace

sha256_digest quick_sha256_of(std::span<const unsigned char> bytes) {
  static const bool has_instructions = has_sha_instructions();
  if (!has_instructions) return sha256_of(bytes);
  const unsigned char* const begin = bytes.data();
  return monofold::detail::sha256_by(
      bytes, [begin](sha256_words& words, const unsigned char* blocks, std::size_t count) {
        const bool is_first = blocks == begin;
        if (is_first) add_first_block(words, blocks);
        const std::size_t done = is_first ? 1 : 0;
        add_by_instructions(words, blocks + done * monofold::detail::sha256_block, count - done);
      });
}

#else

sha256_digest quick_sha256_of(std::span<const unsigned char> bytes) { return sha256_of(bytes); }

#endif

}  // namespace monofold::runtime
