/// runtime/quick_crc32: the processor's products give what the headers' table gives.

#include "runtime/quick_crc32.hpp"

#include <gtest/gtest.h>

#include <random>
#include <span>
#include <vector>

TEST(quick_crc32, gives_what_the_table_gives) {
  std::vector<unsigned char> bytes(1500);
  std::mt19937 random(5);
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
  for (std::size_t size = 0; size < 600; ++size) {
    for (const std::size_t first : {0u, 1u, 7u, 800u}) {
      const auto some = std::span<const unsigned char>(bytes).subspan(first, size);
      ASSERT_EQ(monofold::runtime::quick_crc32_of(some), monofold::detail::crc32_of(some)) << size;
    }
  }
}

TEST(quick_crc32, leaves_zeros_out) {
  std::vector<unsigned char> bytes(5000);
  std::mt19937 random(6);
  for (unsigned char& byte : bytes) byte = random() % 60 == 0 ? 0x80 : 0;
  for (std::size_t size = 0; size < bytes.size(); size += size < 300 ? 1 : 97) {
    const auto some = std::span<const unsigned char>(bytes).last(size);
    ASSERT_EQ(monofold::runtime::quick_crc32_of(some), monofold::detail::crc32_of(some)) << size;
  }
}

TEST(quick_crc32, has_the_check_value_that_catalogues_give) {
  const char digits[] = "123456789123456789123456789123456789123456789123456789123456789123456789";
  const auto* const bytes = reinterpret_cast<const unsigned char*>(digits);
  EXPECT_EQ(monofold::runtime::quick_crc32_of({bytes, 9}), 0xcbf43926u);
  EXPECT_EQ(monofold::runtime::quick_crc32_of({bytes, 72}), 0x8811a440u);
}
