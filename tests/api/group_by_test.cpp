/// group_by: the answer of a group is that of `reduce` of its items alone, by bytes.

#include "monofold/group_by.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "monofold/monofold.hpp"
#include "tests/inputs/fixed_seed.hpp"
#include "tests/inputs/hard_numbers.hpp"
#include "tests/inputs/probe_folds.hpp"
#include "tests/inputs/random.hpp"
#include "tests/inputs/same_answers.hpp"

namespace {

namespace mf = monofold;
using inputs::mixed;
using inputs::same_answers;

/// The oracle's order: all NaN are one key, the last; zeros are one.
struct key_before {
  template <class Key>
  bool operator()(const Key& a, const Key& b) const {
    if constexpr (std::is_floating_point_v<Key>) {
      if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
    }
    return a < b;
  }
};

/// Whether a key of the answer is the one that stands for `expected`: a float is the quiet NaN, or +0.
template <class Key>
bool stands_for(const Key& key, const Key& expected) {
  if constexpr (std::is_floating_point_v<Key>) {
    if (std::isnan(expected)) return same_answers(key, std::numeric_limits<Key>::quiet_NaN());
    return key == expected && !(key == 0 && std::signbit(key));
  } else {
    return key == expected;
  }
}

/// The places of each group's items, by a loop.
template <class Key>
struct slow_groups {
  std::vector<Key> keys;
  std::vector<std::vector<std::int64_t>> places;
};

template <class Keys>
auto groups_of(const Keys& keys, mf::key_order order) {
  using key = std::ranges::range_value_t<Keys>;
  std::map<key, std::vector<std::int64_t>, key_before> found;
  std::vector<key> firsts;
  for (std::int64_t i = 0; i < std::ssize(keys); ++i) {
    const key own = keys[static_cast<std::size_t>(i)];
    auto& places = found[own];
    if (places.empty()) firsts.push_back(own);
    places.push_back(i);
  }
  slow_groups<key> out;
  if (order == mf::key_order::first) {
    for (const key& one : firsts) out.places.push_back(found[one]);
    out.keys = firsts;
  } else {
    for (const auto& [one, places] : found) {
      out.keys.push_back(one);
      out.places.push_back(places);
    }
  }
  return out;
}

template <class Keys, class Item, class F>
[[gnu::noinline]] void check(const Keys& keys, const std::vector<Item>& values, const F& f,
                             mf::key_order order = mf::key_order::sorted) {
  const auto expected = groups_of(keys, order);
  for (const int threads : {1, 2, 5}) {
    const auto found = mf::try_group_by(mf::cpu(threads), keys, values, f, order);
    ASSERT_EQ(found.keys.size(), expected.keys.size());
    ASSERT_EQ(found.answers.size(), expected.keys.size());
    std::vector<Item> group;
    for (std::size_t g = 0; g < expected.keys.size(); ++g) {
      ASSERT_TRUE(
          stands_for<typename decltype(expected.keys)::value_type>(found.keys[g], expected.keys[g]))
          << g << " on " << threads;
      group.clear();
      for (const std::int64_t i : expected.places[g]) {
        group.push_back(values[static_cast<std::size_t>(i)]);
      }
      const auto alone = mf::try_reduce(mf::cpu(1), group, f);
      ASSERT_EQ(found.answers[g].code(), alone.code()) << g << " on " << threads;
      if (!alone) continue;
      ASSERT_TRUE(same_answers(*found.answers[g], *alone)) << g << " on " << threads;
    }
  }
}

/// What shows each item and their order, for tests of keys; g++ makes less of it than of an exact sum.
constexpr auto in_order = mf::ordered([](double l, double r) { return 0.75 * l + r; });

std::vector<std::int64_t> random_keys(std::size_t n, std::uint64_t groups, std::uint64_t seed) {
  std::vector<std::int64_t> keys;
  for (std::size_t i = 0; i < n; ++i) {
    keys.push_back(static_cast<std::int64_t>(mixed(seed + i) % groups) -
                   static_cast<std::int64_t>(groups / 2));
  }
  return keys;
}

struct shape {
  std::size_t items;
  std::uint64_t groups;
};

// Around the sizes of chunks, of parts and of what counts as few groups.
const std::vector<shape> shapes = {{0, 1},        {1, 1},           {2, 2},         {700, 20},
                                   {20000, 1},    {40000, 200},     {40000, 1023},  {70000, 1024},
                                   {70000, 1025}, {70000, 1 << 20}, {300000, 5000}, {100000, 40}};

template <class F>
void check_shapes(const F& f, mf::key_order order = mf::key_order::sorted) {
  for (const shape& own : shapes) {
    SCOPED_TRACE(std::to_string(own.items) + " items, " + std::to_string(own.groups) + " keys");
    const auto keys = random_keys(own.items, own.groups, 17);
    check(keys, inputs::spread_doubles(own.items, 40, 5), f, order);
  }
}

TEST(group_by, exact_sums) { check_shapes(mf::sum); }
TEST(group_by, sums_in_order_of_first_appearance) { check_shapes(mf::sum, mf::key_order::first); }
TEST(group_by, several_folds_at_once) {
  check_shapes(mf::all(mf::count, mf::mean, mf::variance(1), mf::extrema, mf::plain_sum,
                       mf::plain_variance(0)));
}

// The probes tell the tree, the order of items and their indices.
template <bool may_swap>
void check_probe() {
  using item = inputs::sized_item<8>;
  for (const shape& own : shapes) {
    std::vector<item> values;
    while (values.size() < own.items) values.push_back(item::of(std::ssize(values)));
    struct probe : inputs::tree_probe<item, may_swap> {
      std::uint64_t finish(const typename inputs::tree_probe<item, may_swap>::state& s) const {
        return s.hash;
      }
    };
    check(random_keys(own.items, own.groups, 3), values, probe{});
  }
}
TEST(group_by, trees_of_commutative_folds) { check_probe<true>(); }
TEST(group_by, trees_of_ordered_folds) { check_probe<false>(); }

TEST(group_by, operators_keep_order) {
  // x -> a x + b, one after the other, modulo 2^32.
  struct affine {
    std::uint32_t a, b;
  };
  std::vector<affine> maps;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    maps.push_back({static_cast<std::uint32_t>(mixed(i)) | 1, static_cast<std::uint32_t>(i)});
  }
  const auto after = mf::ordered([](const affine& l, const affine& r) {
    return affine{l.a * r.a, l.b * r.a + r.b};
  });
  check(random_keys(maps.size(), 7, 1), maps, after);
  check(random_keys(maps.size(), 4000, 1), maps, after);
}

TEST(group_by, a_giant_among_many) {
  auto keys = random_keys(600000, 1 << 20, 9);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i % 5 != 0) keys[i] = 77;
  }
  const auto values = inputs::spread_doubles(keys.size(), 30, 2);
  check(keys, values, mf::plain_sum);
  std::fill(keys.begin(), keys.end(), -5);
  check(keys, values, mf::plain_sum);
}

TEST(group_by, sorted_input_has_many_groups_in_all_but_few_in_each_part) {
  auto keys = random_keys(200000, 9000, 4);
  std::sort(keys.begin(), keys.end());
  check(keys, inputs::spread_doubles(keys.size(), 30, 2), mf::sum);
  check(keys, inputs::spread_doubles(keys.size(), 30, 2), mf::sum, mf::key_order::first);
}

template <class Key>
void check_integer_keys() {
  const auto bits = inputs::integers<std::uint64_t>(50000, 12);
  std::vector<Key> keys;
  for (const std::uint64_t b : bits) keys.push_back(static_cast<Key>(b % 3 == 0 ? b : b % 50));
  check(keys, inputs::spread_doubles(keys.size(), 10, 3), in_order);
}
TEST(group_by, integer_keys) {
  check_integer_keys<bool>();
  check_integer_keys<std::int8_t>();
  check_integer_keys<std::uint32_t>();
  check_integer_keys<std::uint64_t>();
}

template <class Key>
void check_float_keys() {
  std::vector<Key> keys;
  const auto kinds = inputs::kinds_of_double();
  for (std::size_t i = 0; i < 3000; ++i) {
    keys.push_back(static_cast<Key>(kinds[mixed(i) % kinds.size()]));
  }
  for (std::size_t i = 0; i < 30000; ++i) {
    keys.push_back(static_cast<Key>(inputs::spread_double(i % 2500, 20)));
  }
  const auto values = inputs::spread_doubles(keys.size(), 10, 3);
  check(keys, values, in_order);
  check(keys, values, in_order, mf::key_order::first);
}
TEST(group_by, float_keys_with_every_kind_of_number) {
  check_float_keys<double>();
  check_float_keys<float>();
}

TEST(group_by, half_keys_ascend_and_nan_comes_last) {
  std::vector<mf::float16> keys;
  const std::vector<int> values(0x10000, 1);
  for (int bits = 0; bits < 0x10000; ++bits) keys.push_back(mf::float16(bits));
  const auto found = mf::group_by(keys, values, mf::sum);
  ASSERT_EQ(found.keys.size(), 0x10000u - 2 * 1023 + 1 - 1);  // one NaN, one zero
  for (std::size_t g = 1; g + 1 < found.keys.size(); ++g) {
    ASSERT_LT(float(found.keys[g - 1]), float(found.keys[g]));
  }
  EXPECT_EQ(found.keys.back().bits, 0x7e00);
  EXPECT_EQ(found.answers.back(), 2 * 1023);
}

template <std::size_t bytes>
void check_byte_keys() {
  std::vector<std::array<unsigned char, bytes>> keys;
  for (std::size_t i = 0; i < 40000; ++i) {
    auto& own = keys.emplace_back();
    const std::uint64_t word = mixed(i % 3000);
    for (std::size_t b = 0; b < bytes; ++b) {
      own[b] = static_cast<unsigned char>(b % 3 == 0 ? word >> b % 8 * 8 : 200 + b);
    }
  }
  check(keys, inputs::spread_doubles(keys.size(), 10, 3), in_order);
}
TEST(group_by, byte_keys) {
  check_byte_keys<3>();
  check_byte_keys<8>();
  check_byte_keys<9>();
}

TEST(group_by, string_keys) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < 60000; ++i) {
    const std::uint64_t word = mixed(i) % 5000;
    keys.push_back(std::string(word % 40, 'x') + std::to_string(word) +
                   std::string(word % 3, '\0'));
  }
  const auto values = inputs::spread_doubles(keys.size(), 10, 3);
  check(keys, values, in_order);
  check(keys, values, in_order, mf::key_order::first);
  check(std::vector<std::string>(keys.begin(), keys.begin() + 500),
        inputs::spread_doubles(500, 10, 3), in_order);
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  check(views, values, in_order);
}

TEST(group_by, keys_and_values_that_are_made_when_asked_for) {
  const std::int64_t n = 30000;
  const auto keys = mf::generate(n, [](std::int64_t i) { return "key " + std::to_string(i % 3); });
  const auto values = mf::generate(n, [](std::int64_t i) { return 0.1 * static_cast<double>(i); });
  const auto found = mf::group_by(keys, values, mf::sum);
  ASSERT_EQ(found.keys, (std::vector<std::string>{"key 0", "key 1", "key 2"}));
  for (std::int64_t g = 0; g < 3; ++g) {
    const auto own =
        mf::generate(n / 3, [=](std::int64_t i) { return 0.1 * static_cast<double>(3 * i + g); });
    EXPECT_TRUE(same_answers(found.answers[static_cast<std::size_t>(g)], mf::reduce(own, mf::sum)));
  }
  const auto left = inputs::spread_doubles(n, 10, 1);
  const auto right = inputs::spread_doubles(n, 10, 2);
  const auto tens = mf::generate(n, [](std::int64_t i) { return i / 10000; });
  const auto dots = mf::group_by(tens, mf::zip(left, right), mf::dot);
  ASSERT_EQ(dots.keys.size(), 3u);
  const mf::contiguous_view<double> l(left.data() + 10000, 10000);
  const mf::contiguous_view<double> r(right.data() + 10000, 10000);
  EXPECT_TRUE(same_answers(dots.answers[1], mf::reduce(mf::zip(l, r), mf::dot)));
}

TEST(group_by, bools_are_keys_and_answers) {
  const std::vector<bool> keys = {true, false, true, true};
  const std::vector<int> values = {0, 0, 0, 4};
  const auto found = mf::group_by(keys, values, mf::any_of);
  EXPECT_EQ(found.keys, (std::vector<bool>{false, true}));
  EXPECT_EQ(found.answers, (std::vector<bool>{false, true}));
}

TEST(group_by, indices_count_from_the_group_or_from_all) {
  for (const shape& own : shapes) {
    const auto keys = random_keys(own.items, own.groups, 17);
    const auto values = inputs::spread_doubles(own.items, 3, 5);
    const auto fold = mf::all(mf::argmax, mf::top(1), mf::extrema);
    const auto expected = groups_of(keys, mf::key_order::sorted);
    const auto in_group = mf::group_by(keys, values, fold);
    for (const int threads : {1, 3}) {
      const auto in_all = mf::group_by(mf::cpu(threads), keys, values, fold, mf::key_order::sorted,
                                       mf::global_index);
      for (std::size_t g = 0; g < expected.keys.size(); ++g) {
        const auto place = [&](std::int64_t i) {
          return expected.places[g][static_cast<std::size_t>(i)];
        };
        const auto& [at, best, ends] = in_group.answers[g];
        const auto& [all_at, all_best, all_ends] = in_all.answers[g];
        ASSERT_EQ(all_at, place(at));
        ASSERT_EQ(all_best.indices[0], place(best.indices[0]));
        ASSERT_TRUE(same_answers(all_best.values, best.values));
        ASSERT_EQ(all_ends.argmin, place(ends.argmin));
        ASSERT_EQ(all_ends.argmax, place(ends.argmax));
      }
    }
  }
}

TEST(group_by, a_group_without_an_answer_is_named) {
  const std::vector<int> keys = {5, 3, 5, 4};
  const std::vector<std::int64_t> most(4, std::numeric_limits<std::int64_t>::max());
  try {
    mf::group_by(keys, most, mf::sum);
    FAIL();
  } catch (const mf::segment_error& failure) {
    EXPECT_EQ(failure.code(), mf::status::integer_overflow);
    EXPECT_EQ(failure.segment(), 2);  // of the keys 3, 4, 5
    EXPECT_NE(std::string(failure.what()).find("group 2"), std::string::npos);
  }
  const auto tried = mf::try_group_by(mf::cpu, keys, most, mf::sum);
  EXPECT_EQ(*tried.answers[0], most[0]);
  EXPECT_EQ(tried.answers[2].code(), mf::status::integer_overflow);
}

TEST(group_by, as_many_keys_as_values) {
  const std::vector<int> keys = {1, 2, 3};
  const std::vector<double> values = {1, 2};
  try {
    mf::group_by(keys, values, mf::sum);
    FAIL();
  } catch (const mf::error& failure) {
    EXPECT_EQ(failure.code(), mf::status::invalid_argument);
    EXPECT_NE(std::string(failure.what()).find("3 keys and 2 values"), std::string::npos);
  }
  EXPECT_THROW(mf::reduce_by_key(keys, values, mf::sum), mf::error);
}

RC_GTEST_PROP(group_by, random_ones, (const std::vector<std::uint8_t>& some)) {
  const std::vector<std::int64_t> keys(some.begin(), some.end());
  const auto values =
      *rc::gen::container<std::vector<double>>(keys.size(), rc::gen::arbitrary<double>());
  check(keys, values, mf::sum);
  check(keys, values, mf::sum, mf::key_order::first);
}

// A total of groups' totals: the items are integers, so both are exact.
TEST(group_by, sums_of_groups_add_up_to_the_sum_of_all) {
  const auto values = inputs::integers<std::int32_t>(100000, 8);
  const auto found = mf::group_by(random_keys(values.size(), 3000, 6), values, mf::sum);
  EXPECT_EQ(mf::reduce(found.answers, mf::sum), mf::reduce(values, mf::sum));
}

// TPC-H query 15 asks for the supplier whose revenue, a sum of floats in a view, equals the largest in that
// view. An engine that sums twice with other bits finds none (prestodb issue 5798).
TEST(group_by, a_view_that_is_computed_twice_has_the_same_bits) {
  const std::size_t lines = 200000;
  const auto prices = inputs::spread_doubles(lines, 30, 71);
  const auto suppliers = random_keys(lines, 10000, 23);
  const auto revenue = [&](int threads, const std::vector<std::int64_t>& keys,
                           const std::vector<double>& items) {
    return mf::group_by(mf::cpu(threads), keys, items, mf::sum);
  };
  const auto view = revenue(1, suppliers, prices);
  const double largest = mf::reduce(view.answers, mf::max);
  // The second time by other threads, and with the lines in another order.
  std::vector<std::int64_t> keys(suppliers.rbegin(), suppliers.rend());
  std::vector<double> items(prices.rbegin(), prices.rend());
  const auto again = revenue(7, keys, items);
  EXPECT_EQ(std::count(again.answers.begin(), again.answers.end(), largest), 1);
  EXPECT_TRUE(same_answers(view.answers, again.answers));
}

}  // namespace
