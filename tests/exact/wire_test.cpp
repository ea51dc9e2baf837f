// fold/wire: words of states add up to those of all items, for thousands of ranks and however they are joined.

#include "monofold/fold/wire.hpp"

#include <gtest/gtest.h>

#include <cmath>
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
  const auto answer = mf::finish_state(f, value);
  next = all.data();
  const auto found = mf::finish_wire(f, next);
  EXPECT_EQ(next, all.data() + all.size());
  EXPECT_EQ(found.code(), answer.code());
  EXPECT_TRUE(!answer || inputs::same_answers(*found, *answer));
  return answer;
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

/// Three ranks have parts of each field: what few items put into words without a state adds up with words of states.
/// Returns how many parts were put so.
template <class Item, class F>
std::int64_t expect_few_add_up(const std::vector<std::vector<Item>>& fields, const F& family) {
  const auto f = mf::bind_fold<Item>(family);
  const auto num_fields = std::ssize(fields);
  const auto none = words_of(f, f.identity());
  const auto width = std::ssize(none);
  words total(none.size() * fields.size());
  std::int64_t num_few = 0;
  for (std::int64_t rank = 0; rank < 3; ++rank) {
    std::vector<mf::contiguous_view<Item>> own;
    for (const auto& field : fields) {
      const std::int64_t first = std::ssize(field) * rank / 3;
      own.emplace_back(field.data() + first, std::ssize(field) * (rank + 1) / 3 - first);
    }
    words put(total.size());
    for (std::int64_t i = 0; i < num_fields; ++i) {
      const std::int64_t stop = mf::detail::put_few_fields<mf::bound_fold_t<F, Item>>(
          own.data(), i, num_fields, put.data());
      num_few += stop - i;
      i = stop;
      if (i == num_fields) break;
      const mf::contiguous_view<Item>& field = own[static_cast<std::size_t>(i)];
      if (field.size() == 0) continue;
      std::int64_t* next = put.data() + i * width;
      const auto state = mf::fold_view(mf::cpu(1), f, field);
      mf::put_wire(f, state, [&](std::int64_t word) { *next++ = word; });
    }
    for (std::size_t i = 0; i < put.size(); ++i) total[i] += put[i];
  }
  const std::int64_t* next = total.data();
  for (const auto& field : fields) {
    const auto got = mf::finish_wire(f, next);
    const auto want = mf::try_reduce(mf::cpu(1), field, family);
    EXPECT_EQ(got.code(), want.code());
    EXPECT_TRUE(!want || inputs::same_answers(*got, *want)) << *got << ", not " << *want;
  }
  return num_few;
}

template <class Item>
void check_few_fields() {
  std::vector<std::vector<Item>> fields;
  const auto add = [&](const std::vector<double>& items) {
    fields.emplace_back();
    for (const double x : items) fields.back().push_back(static_cast<Item>(x));
  };
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const auto count = static_cast<std::size_t>(inputs::mixed(seed) % 230);
    for (const int powers : {0, 5, 20, 90}) add(inputs::spread_doubles(count, powers, seed));
    // All but the last bits cancel, or everything.
    auto items = inputs::spread_doubles(count / 2, 10, seed);
    for (std::size_t i = items.size(); i-- > 0;) items.push_back(-items[i]);
    add(items);
    items.push_back(inputs::spread_double(seed, 100));
    add(items);
  }
  // Ties that a number far below decides, each of another rank.
  for (int power = -40; power < 40; power += 5) {
    for (int apart = 1; apart < 250; apart += 3) {
      const double x = std::ldexp(1, power);
      const double half = std::ldexp(1, power - 53);
      const double small = std::ldexp(1, power - 53 - apart);
      add({x, half, small});
      add({x, -small, half});
      add({-x, -half, small});
    }
  }
  for (const double x : inputs::kinds_of_double()) {
    add({x});
    add(std::vector<double>(70, x));
    add(std::vector<double>(40, x * 0x1p-60));
  }
  add(inputs::all_subnormal(100, 3));
  add(std::vector<double>(30, -0.0));
  add({-0.0, 0.0, -0.0, -0.0});
  std::int64_t num_few = expect_few_add_up(fields, mf::sum);
  num_few += expect_few_add_up(fields, mf::mean);
  num_few += expect_few_add_up(fields, mf::norm1);
  num_few += expect_few_add_up(fields, mf::norm2 | mf::omit_nan);
  EXPECT_GT(num_few, 10'000) << "most parts need no state";
  expect_few_add_up(fields, mf::variance(1));  // which has no such way
}

TEST(wire, few_items_without_a_state) {
  for (const auto set :
       {mf::instruction_set::baseline, mf::instruction_set::avx2, mf::instruction_set::avx512}) {
    mf::limit_instruction_set(set);
    check_few_fields<double>();
    check_few_fields<float>();
    check_few_fields<mf::bfloat16>();
    check_few_fields<mf::float16>();
  }
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
