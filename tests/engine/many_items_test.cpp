/// More items than 32 bits count: counts and indices have 64 bits everywhere. In this room because its code is optimised:
/// each item is a call.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/monofold.hpp"
#include "monofold/reduce_axis.hpp"
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

/// The low byte of a sum: an answer of one byte, since there are many.
struct low_byte {
  using state = std::uint8_t;
  static constexpr bool commutative = true;
  state lift(std::uint8_t x, std::int64_t) const { return x; }
  state combine(state l, state r) const { return static_cast<state>(l + r); }
};

TEST(many_items, of_more_rows_than_32_bits_count) {
  if (is_too_slow) GTEST_SKIP() << "of 2^31 rows";
  // The first axis goes nowhere: rows repeat after a number that does not divide 2^32.
  constexpr std::int64_t different = (1 << 18) + 3;
  constexpr std::int64_t times = (1 << 13) + 1;
  static_assert(different * times > two_to_32 / 2);
  std::vector<std::uint8_t> items(2 * different);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<std::uint8_t>(i * i % 251);
  const mf::array_view<std::uint8_t> array(items.data(), {times, different, 2}, {0, 1, different});
  const std::unique_ptr<std::uint8_t[]> answers(new std::uint8_t[times * different]);
  mf::reduce_axis_into(mf::cpu, array, {2}, low_byte{}, answers.get());
  std::vector<std::uint8_t> want(different);
  for (std::size_t r = 0; r < different; ++r) {
    want[r] = static_cast<std::uint8_t>(items[r] + items[r + different]);
  }
  for (std::int64_t t = 0; t < times; ++t) {
    ASSERT_TRUE(std::equal(want.begin(), want.end(), answers.get() + t * different))
        << "rows " << t * different << " to " << (t + 1) * different;
  }
}

/// One item of a row that is 1, by its place, and that place in the row and in the array.
void expect_ones(const mf::array_view<std::uint8_t>& array, const mf::axis_numbers& axes,
                 const std::vector<std::int64_t>& in_row,
                 const std::vector<std::int64_t>& in_array) {
  const auto own = mf::reduce_axis(mf::cpu, array, axes, mf::argmax);
  const auto all =
      mf::reduce_axis(mf::cpu, array, axes, mf::argmax, mf::keepdims::no, mf::global_index);
  EXPECT_EQ(own.values, in_row);
  EXPECT_EQ(all.values, in_array);
}

TEST(many_items, of_a_row_of_two_axes) {
  if (is_too_slow) GTEST_SKIP() << "of 2^31 items";
  // The middle axis goes nowhere: each item of memory is so many neighbours of its row.
  constexpr std::int64_t outer = 65'539;
  constexpr std::int64_t inner = 32'771;
  constexpr std::int64_t one = 65'537;
  static_assert(one * inner > two_to_32 / 2);
  std::vector<std::uint8_t> items(2 * outer);
  items[2 * one] = 1;
  items[2 * 1 + 1] = 1;
  const mf::array_view<std::uint8_t> array(items.data(), {outer, inner, 2}, {2, 0, 1});
  expect_ones(array, {0, 1}, {one * inner, inner}, {2 * one * inner, 2 * inner + 1});
}

TEST(many_items, of_rows_side_by_side_and_of_columns) {
  if (is_too_slow) GTEST_SKIP() << "of 2^32 items";
  constexpr std::int64_t n = two_to_32 / 2 + 40;
  // Pages that nobody writes are one page of zeros.
  const std::unique_ptr<std::uint8_t, decltype(&std::free)> items(
      static_cast<std::uint8_t*>(std::calloc(2 * n, 1)), &std::free);
  if (items == nullptr) GTEST_SKIP() << "no room for 4 GiB of addresses";
  items.get()[n - 3] = 1;
  items.get()[n + n - 1] = 1;
  expect_ones({items.get(), {2, n}}, {1}, {n - 3, n - 1}, {n - 3, 2 * n - 1});
  items.get()[n - 3] = 0;
  items.get()[2 * (n - 3)] = 1;
  expect_ones({items.get(), {n, 2}}, {0}, {n - 3, n - 1}, {2 * (n - 3), 2 * n - 1});
}

}  // namespace
