/// runtime/quick_sha256: the processor's instructions give what the headers' loop gives.

#include "runtime/quick_sha256.hpp"

#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace {

TEST(quick_sha256, gives_what_the_loop_gives) {
  std::vector<unsigned char> bytes(1000);
  std::uint32_t next = 1;
  for (unsigned char& byte : bytes) {
    next = next * 1664525u + 1013904223u;
    byte = static_cast<unsigned char>(next >> 24);
  }
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const std::span<const unsigned char> some = std::span(bytes).last(size);
    ASSERT_EQ(monofold::runtime::quick_sha256_of(some), monofold::sha256_of(some)) << size;
  }
}

}  // namespace
