// fold/wire: words of states add up to those of all items, for thousands of ranks and however they are joined.

#include "monofold/fold/wire.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "monofold/monofold.hpp"
#include "tests/inputs/hard_numbers.hpp"
#include "tests/inputs/random.hpp"
#include "tests/inputs/same_answers.hpp"

namespace mf = monofold;

namespace {

using words = std::vector<std::int64_t>;

template <class F>
words words_of(const F& f, const typename F::state& value) {
  words out;
  mf::put_wire(f, value, [&](std::int64_t word) { out.push_back(word); });
  return out;
}

template <class F>
auto answer_of_words(const F& f, const words& all) {
  const std::int64_t* next = all.data();
  const auto value = mf::take_wire(f, next);
  EXPECT_EQ(next, all.data() + all.size());
  return mf::finish_state(f, value);
}

/// A rank for every `share` items, some without any; their words added up in the order of random trees.
template <class Item, class F>
void expect_words_add_up(const std::vector<Item>& items, const F& family, std::int64_t share) {
  const auto f = mf::bind_fold<Item>(family);
  const auto want = mf::try_reduce(mf::cpu(1), items, family);
  std::vector<words> ranks;
  const std::int64_t n = std::ssize(items);
  for (std::int64_t at = 0; at < n; at += share) {
    const mf::contiguous_view<Item> part(items.data() + at, std::min(share, n - at));
    ranks.push_back(words_of(f, mf::fold_view(mf::cpu(1), f, part)));
    if (at % 5 == 0) ranks.push_back(words_of(f, f.identity()));
  }
  inputs::generator random(static_cast<std::uint64_t>(share));
  while (ranks.size() > 1) {
    std::swap(ranks[random() % ranks.size()], ranks.back());
    const words last = std::move(ranks.back());
    ranks.pop_back();
    words& other = ranks[random() % ranks.size()];
    ASSERT_EQ(other.size(), last.size());
    for (std::size_t i = 0; i < last.size(); ++i) other[i] += last[i];
  }
  const auto got = answer_of_words(f, ranks[0]);
  ASSERT_EQ(got.code(), want.code());
  EXPECT_TRUE(!want || inputs::same_answers(*got, *want));
}

TEST(wire, ten_thousand_ranks_give_the_bits_of_one) {
  const std::vector<double> items = inputs::spread_doubles(30000, 900, 1);
  expect_words_add_up(items, mf::sum, 3);
  expect_words_add_up(items, mf::all(mf::mean, mf::variance(1), mf::norm2, mf::count), 3);
}

TEST(wire, every_fold_that_adds_up) {
  std::vector<double> hard = inputs::cancelling(300, 5);
  const auto each_of = [&](const std::vector<double>& items) {
    expect_words_add_up(items, mf::norm1, 40);
    expect_words_add_up(items, mf::sum_of_squares, 40);
    expect_words_add_up(items, mf::all(mf::any_of, mf::all_of, mf::nonzero), 40);
    expect_words_add_up(items, mf::mean | mf::omit_nan, 7);
    expect_words_add_up(items, mf::sum | mf::raise_nan, 7);
    expect_words_add_up(items, mf::sum | mf::map([](double x) { return static_cast<float>(x); }),
                        7);
  };
  each_of(hard);
  for (const double x : inputs::kinds_of_double()) hard.push_back(x);
  each_of(hard);
  std::vector<mf::item_pair<double, float>> pairs;
  for (const double x : hard) pairs.push_back({x, static_cast<float>(x * 0x1p-900)});
  expect_words_add_up(pairs, mf::dot, 11);
}

TEST(wire, integers_of_either_sign) {
  const auto items = inputs::integers<std::int64_t>(5000, 3);
  expect_words_add_up(items, mf::mean, 1);
  expect_words_add_up(items, mf::norm2, 2);
  expect_words_add_up(items, mf::variance(0), 9);
  const auto small = inputs::integers<std::int32_t>(5000, 4);
  expect_words_add_up(small, mf::all(mf::sum, mf::norm1), 1);
  expect_words_add_up(inputs::integers<std::uint64_t>(700, 5), mf::sum, 1);  // which overflows
  std::vector<mf::item_pair<std::int32_t, std::int32_t>> pairs;
  for (const std::int32_t x : small) pairs.push_back({x, -x / 2});
  expect_words_add_up(pairs, mf::dot, 1);
}

TEST(wire, other_folds_have_none) {
  const auto has = []<class F>(const F& f) {
    return mf::has_wire_v<decltype(mf::bind_fold<double>(f))>;
  };
  EXPECT_TRUE(has(mf::sum));
  EXPECT_FALSE(has(mf::plain_sum));
  EXPECT_FALSE(has(mf::plain_mean));
  EXPECT_FALSE(has(mf::max));
  EXPECT_FALSE(has(mf::product));
  EXPECT_FALSE(has(mf::top(3)));
  EXPECT_FALSE(has(mf::all(mf::sum, mf::max)));
  EXPECT_FALSE(has(mf::commutative([](double a, double b) { return a + b; })));
}

}  // namespace
