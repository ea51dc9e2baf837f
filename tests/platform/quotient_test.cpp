// Quotients by a product are those of a division, for the largest numbers and around every multiple.

#include "monofold/platform/quotient.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using monofold::detail::short_divisor;

void expect_quotients(std::int64_t number) {
  const short_divisor by = short_divisor::of(number);
  constexpr std::int64_t most = (std::int64_t{1} << 31) - 1;
  const auto expect = [&](std::int64_t i) {
    if (i < 0 || i > most) return;
    ASSERT_EQ(by.quotient_of(static_cast<std::uint32_t>(i)), i / number) << i << " by " << number;
  };
  for (const std::int64_t factor :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, most / number / 2, most / number}) {
    for (const std::int64_t off : {-1, 0, 1}) expect(factor * number + off);
  }
  expect(most);
}

TEST(quotient, is_that_of_a_division) {
  for (std::int64_t number = 1; number < 70000; ++number) expect_quotients(number);
  for (int bit = 1; bit < 31; ++bit) {
    for (const std::int64_t off : {-2, -1, 0, 1, 2, 3}) {
      const std::int64_t number = (std::int64_t{1} << bit) + off;
      if (number > 0) expect_quotients(number);
    }
  }
  for (std::int64_t number = (std::int64_t{1} << 31) - 1; number > 1000; number -= number / 997) {
    expect_quotients(number);
  }
}

}  // namespace
