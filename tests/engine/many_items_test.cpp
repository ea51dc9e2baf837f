/// More items than 32 bits count: counts and indices have 64 bits everywhere. In this room because its code is optimised:
/// each item is a call.

#include <algorithm>
#include <cstdint>
#include <memory>
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

/// More than 2^31 segments: the first has three items, of those around 2^31 one has two and one four, the others none.
struct mostly_empty_segments {
  static constexpr std::int64_t second = (std::int64_t{1} << 31) + 1;
  static constexpr std::int64_t third = second + 2;

  static std::int64_t items_before(std::int64_t s) {
    return (s > 0 ? 3 : 0) + (s > second ? 2 : 0) + (s > third ? 4 : 0);
  }
  std::int64_t size() const { return third + 5; }
  std::int64_t begin(std::int64_t s) const { return items_before(s); }
  std::int64_t end(std::int64_t s) const { return items_before(s + 1); }
};

TEST(many_items, of_more_segments_than_32_bits_count) {
  if (is_too_slow) GTEST_SKIP() << "of 2^31 segments";
  const mostly_empty_segments segments;
  const std::vector<std::uint8_t> items{0, 1, 0, 0, 0, 0, 0, 0, 1};
  const std::unique_ptr<bool[]> answers(new bool[static_cast<std::size_t>(segments.size())]);
  mf::reduce_segments_into(mf::cpu, items, segments, mf::any_of, answers.get());
  EXPECT_EQ(std::count(answers.get(), answers.get() + segments.size(), true), 2);
  EXPECT_TRUE(answers[0]);
  EXPECT_TRUE(answers[segments.third]);
}

}  // namespace
