#pragma once
/// platform/sha256: a digest of bytes, by which two parties compare what they have.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace monofold {

namespace detail {

inline constexpr std::array<std::uint32_t, 64> sha256_constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

inline constexpr std::size_t sha256_block = 64;

/// Adds a block of bytes to the eight words.
inline void sha256_add(std::array<std::uint32_t, 8>& words, const unsigned char* block) {
  std::array<std::uint32_t, 64> w;
  for (std::size_t i = 0; i < 16; ++i) {
    w[i] = 0;
    for (std::size_t k = 0; k < 4; ++k) w[i] = w[i] << 8 | block[4 * i + k];
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = words;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t s = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                            ((e & f) ^ (~e & g)) + sha256_constants[i] + w[i];
    const std::uint32_t t =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + s;
    d = c, c = b, b = a, a = s + t;
  }
  const std::array<std::uint32_t, 8> added{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) words[i] += added[i];
}

}  // namespace detail

using sha256_digest = std::array<unsigned char, 32>;

namespace detail {

/// The SHA-256 of bytes; add(words, blocks, count) is sha256_add of each block in turn, or does the same.
template <class Add>
sha256_digest sha256_by(std::span<const unsigned char> bytes, Add add) {
  std::array<std::uint32_t, 8> words{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const std::size_t whole = bytes.size() / sha256_block;
  if (whole != 0) add(words, bytes.data(), whole);
  // A bit that is set, zeros, and the number of bits fill the last block, or a second one.
  const auto rest = bytes.subspan(whole * sha256_block);
  std::array<unsigned char, 2 * sha256_block> last{};
  std::copy(rest.begin(), rest.end(), last.begin());
  last[rest.size()] = 0x80;
  const std::size_t end = rest.size() < sha256_block - 8 ? sha256_block : 2 * sha256_block;
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (std::size_t i = 0; i < 8; ++i) {
    last[end - 1 - i] = static_cast<unsigned char>(bits >> 8 * i & 0xff);
  }
  add(words, last.data(), end / sha256_block);
  sha256_digest digest;
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (std::size_t k = 0; k < 4; ++k) {
      digest[4 * i + k] = static_cast<unsigned char>(words[i] >> (24 - 8 * k) & 0xff);
    }
  }
  return digest;
}

}  // namespace detail

/// The SHA-256 of bytes.
///
/// source     FIPS 180-4 (2015), sections 5.1.1 and 6.2
/// tested by  tests/platform/sha256_test.cpp, python/tests/test_state.py
inline sha256_digest sha256_of(std::span<const unsigned char> bytes) {
  return detail::sha256_by(bytes, [](auto& words, const unsigned char* blocks, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      detail::sha256_add(words, blocks + i * detail::sha256_block);
    }
  });
}

}  // namespace monofold
