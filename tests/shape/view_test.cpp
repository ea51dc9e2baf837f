/// shape/view: every kind of view gives its items by index; ranges become views.

#include "monofold/shape/view.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <list>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace {

namespace mf = monofold;

template <class View>
auto items_of(const View& view) {
  std::deque<typename View::item_type> items;  // not a vector: items may be bool
  for (std::int64_t i = 0; i < view.size(); ++i) items.push_back(view[i]);
  return items;
}

const std::vector<int> five = {10, 11, 12, 13, 14};

TEST(strided_view, strides_of_every_sign) {
  using ints = std::deque<int>;
  EXPECT_EQ(items_of(mf::strided_view<int>(five.data(), 3, 2)), (ints{10, 12, 14}));
  EXPECT_EQ(items_of(mf::strided_view<int>(five.data() + 4, 5, -1)), (ints{14, 13, 12, 11, 10}));
  EXPECT_EQ(items_of(mf::strided_view<int>(five.data() + 3, 2, -3)), (ints{13, 10}));
  EXPECT_EQ(items_of(mf::strided_view<int>(five.data() + 1, 3, 0)), (ints{11, 11, 11}));
  EXPECT_EQ(items_of(mf::strided_view<int>(nullptr, 0, 1)), ints{});
}

TEST(generate, calls_the_function_of_the_index) {
  const auto squares = mf::generate(4, [](std::int64_t i) { return static_cast<double>(i * i); });
  EXPECT_EQ(items_of(squares), (std::deque<double>{0, 1, 4, 9}));
  static_assert(mf::item_view<decltype(squares)> && !mf::contiguous_item_view<decltype(squares)>);
  const auto far = mf::generate(std::int64_t{1} << 60, [](std::int64_t i) { return i; });
  EXPECT_EQ(far[(std::int64_t{1} << 60) - 1], (std::int64_t{1} << 60) - 1);
}

TEST(transform, is_lazy_and_nests) {
  int calls = 0;
  const auto view = mf::transform(five, [&calls](int x) {
    ++calls;
    return x * 0.5;
  });
  EXPECT_EQ(view.size(), 5);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(view[1], 5.5);
  EXPECT_EQ(calls, 1);
  const auto again = mf::transform(view, [](double x) { return std::to_string(x); });
  EXPECT_EQ(again[4].substr(0, 3), "7.0");
}

template <class Range>
void expect_items(const Range& range, const std::deque<int>& expected, bool contiguous) {
  static_assert(mf::reducible<Range>);
  const auto view = mf::view_of(range);
  EXPECT_EQ(mf::contiguous_item_view<std::remove_const_t<decltype(view)>>, contiguous);
  const auto items = items_of(view);
  EXPECT_TRUE(std::equal(items.begin(), items.end(), expected.begin(), expected.end()));
}

TEST(view_of, ranges_of_the_standard_library) {
  expect_items(five, {10, 11, 12, 13, 14}, true);
  expect_items(std::array<int, 3>{1, 2, 3}, {1, 2, 3}, true);
  expect_items(std::array<int, 0>{}, {}, true);
  const int plain[] = {4, 5};
  expect_items(plain, {4, 5}, true);
  expect_items(std::span<const int>(plain), {4, 5}, true);
  std::vector<int> writable = {6};
  expect_items(std::span<int>(writable), {6}, true);
  expect_items(std::initializer_list<int>{7, 8}, {7, 8}, true);
  expect_items(std::string("a"), {'a'}, true);
  expect_items(std::deque<int>{1, 2, 3}, {1, 2, 3}, false);
  expect_items(five | std::views::transform([](int x) { return x + 1; }), {11, 12, 13, 14, 15},
               false);
  expect_items(five | std::views::drop(3), {13, 14}, true);
  expect_items(five | std::views::reverse, {14, 13, 12, 11, 10}, false);
  expect_items(std::views::iota(3, 6), {3, 4, 5}, false);
  expect_items(std::vector<bool>{true, false}, {1, 0}, false);
}

TEST(view_of, a_view_is_itself) {
  const mf::strided_view<int> strided(five.data(), 2, 4);
  static_assert(std::is_same_v<mf::view_of_t<decltype(strided)>, mf::strided_view<int>>);
  expect_items(strided, {10, 14}, false);
  expect_items(mf::contiguous_view<int>(five.data(), 2), {10, 11}, true);
}

/// A view of a user, final, and counted in another type.
struct short_view final {
  using item_type = int;
  const int* items;
  std::uint16_t count;

  std::uint16_t size() const { return count; }
  int operator[](std::int64_t i) const { return items[i]; }
  const int* data() const { return items; }
};

TEST(view_of, final_views_count_in_any_integer_type) {
  const short_view own{five.data(), 3};
  using view = mf::view_of_t<short_view>;
  static_assert(std::is_same_v<decltype(std::declval<const view&>().size()), std::int64_t>);
  expect_items(own, {10, 11, 12}, true);
}

TEST(reducible, not_without_size_and_random_access) {
  static_assert(!mf::reducible<std::list<int>>);
  static_assert(!mf::reducible<int>);
  const auto filtered = five | std::views::filter([](int x) { return x > 11; });
  static_assert(!mf::reducible<decltype(filtered)>);
}

}  // namespace
