/// More items than 32 bits count: counts and indices have 64 bits everywhere. In this room because its code is optimised:
/// each item is a call.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/monofold.hpp"
#include "monofold/reduce_segments.hpp"
#include "tests/inputs/last_one.hpp"

namespace {

namespace mf = monofold;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_too_slow = true;
#else
constexpr bool is_too_slow = false;
#endif

constexpr std::int64_t two_to_32 = std::int64_t{1} << 32;

TEST(many_items, of_one_call) {
  if (is_too_slow) GTEST_SKIP() << "of 2^32 calls, and no memory";
  constexpr std::int64_t n = two_to_32 + 12345;
  constexpr std::int64_t peak = two_to_32 + 678;
  const auto spike = [](std::int64_t i) { return static_cast<std::uint8_t>(i == peak ? 1 : 0); };
  const auto [count, argmax] = mf::reduce(mf::generate(n, spike), mf::all(mf::count, mf::argmax));
  EXPECT_EQ(count, n);
  EXPECT_EQ(argmax, peak);
}

TEST(many_items, of_a_segment) {
  if (is_too_slow) GTEST_SKIP() << "of 2^31 calls, and no memory";
  constexpr std::int64_t one = two_to_32 / 2 + 40;
  const std::vector<std::int64_t> offsets{7, one + 9, one + 50};
  const auto view =
      mf::generate(one + 60, [](std::int64_t i) -> std::int32_t { return i == one ? 1 : 0; });
  const auto got = mf::reduce_segments(
      mf::cpu, view, mf::offset_segments<std::int64_t>(offsets.data(), 2), inputs::last_one{});
  EXPECT_EQ(got[0], (one + 2) * 3 + one - 7);
  EXPECT_EQ(got[1], 41 * 3 - 1);
}

}  // namespace
