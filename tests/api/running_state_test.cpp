/// running_state: chunks of any sizes and merged shards give the bits of one call.

#include "monofold/running_state.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "monofold/fold/custom.hpp"
#include "monofold/fold/extrema.hpp"
#include "monofold/fold/moments.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/fold/top.hpp"
#include "monofold/reduce.hpp"
#include "tests/inputs/fixed_seed.hpp"
#include "tests/inputs/hard_numbers.hpp"
#include "tests/inputs/same_bits.hpp"

namespace {

namespace mf = monofold;
using inputs::same_bits;
using chunk = std::span<const double>;

constexpr std::int64_t tile = mf::tile_items_v<double>;
constexpr auto weighted = mf::ordered([](double l, double r) { return l * 0.75 + r; });
using weighted_state = mf::running_state<double, decltype(weighted)>;

const std::vector<double>& data() {
  static const std::vector<double> items = inputs::spread_doubles(150000, 30, 101);
  return items;
}
chunk part(std::int64_t from, std::int64_t to) {
  return chunk(data()).subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from));
}

template <class F>
void push_chunks(mf::running_state<double, F>& state, std::int64_t from,
                 const std::vector<int>& lengths) {
  for (const int length : lengths) {
    state.push(part(from, from + length));
    from += length;
  }
}

/// Chunk lengths: short ones, ones near a tile, ones of many tiles.
rc::Gen<std::vector<int>> chunk_lengths() {
  const auto length =
      rc::gen::oneOf(rc::gen::inRange(0, 4), rc::gen::inRange(500, 530), rc::gen::inRange(0, 1600),
                     rc::gen::element(512, 1024, 32768, 0, 40000));
  return rc::gen::resize(12, rc::gen::container<std::vector<int>>(length));
}

std::int64_t total_of(const std::vector<int>& lengths) {
  std::int64_t sum = 0;
  for (const int length : lengths) sum += length;
  return sum;
}

TEST(running_state, chunks_of_any_sizes_give_the_bits_of_one_call) {
  rc::detail::checkGTest([] {
    const std::vector<int> lengths = *chunk_lengths();
    const std::int64_t n = total_of(lengths);
    RC_PRE(n <= 150000);
    weighted_state running(weighted);
    mf::running_state<double, mf::detail::plain_sum_in_family<double>> sum(mf::plain_sum_in<double>,
                                                                           0, mf::cpu(2));
    push_chunks(running, 0, lengths);
    push_chunks(sum, 0, lengths);
    RC_ASSERT(running.count() == n);
    const auto expected = mf::try_reduce(part(0, n), weighted);
    RC_ASSERT(running.try_finish().code() == expected.code());
    if (expected) RC_ASSERT(same_bits(running.finish(), *expected));
    RC_ASSERT(same_bits(sum.finish(), mf::reduce(part(0, n), mf::plain_sum_in<double>)));
  });
}

TEST(running_state, shards_that_meet_at_tiles_give_the_bits_of_one_call) {
  rc::detail::checkGTest([] {
    // Up to five shards of some tiles each; the last may end anywhere.
    const auto tiles = *rc::gen::resize(
        5, rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 70)));
    const std::int64_t tail = *rc::gen::inRange<std::int64_t>(0, 3 * tile);
    std::vector<weighted_state> shards;
    std::int64_t at = 0;
    for (std::size_t i = 0; i <= tiles.size(); ++i) {
      const std::int64_t n = i < tiles.size() ? tiles[i] * tile : tail;
      shards.emplace_back(weighted, at);
      shards.back().push(part(at, at + n / 3));
      shards.back().push(part(at + n / 3, at + n));
      at += n;
    }
    // Merged from the left, and from the right.
    weighted_state left = shards[0];
    for (std::size_t i = 1; i < shards.size(); ++i) left.merge(shards[i]);
    for (std::size_t i = shards.size() - 1; i-- > 0;) shards[i].merge(shards[i + 1]);
    RC_ASSERT(left.count() == at && shards[0].count() == at);
    const auto expected = mf::try_reduce(part(0, at), weighted);
    RC_ASSERT(left.try_finish().code() == expected.code());
    if (expected) {
      RC_ASSERT(same_bits(left.finish(), *expected));
      RC_ASSERT(same_bits(shards[0].finish(), *expected));
    }
  });
}

/// Joins texts: the only way to get the whole is in order.
struct text_fold {
  using state = std::string;
  static constexpr bool exact = true;
  state lift(char c, std::int64_t) const { return std::string(1, c); }
  state combine(const state& l, const state& r) const { return l + r; }
  state identity() const { return {}; }
  void absorb_run(state& own, const char* items, std::int64_t count, std::int64_t) const {
    own.append(items, static_cast<std::size_t>(count));
  }
};

/// Neighbours merged in random trees, as ranks do it that join in pairs.
TEST(running_state, ten_thousand_shards_in_any_tree_give_the_bits_of_one_call) {
  const auto items_from = [](std::int64_t first, std::int64_t count) {
    return mf::generate(count, [first](std::int64_t i) {
      return inputs::unit_double(static_cast<std::uint64_t>(first + i));
    });
  };
  constexpr std::int64_t num_shards = 10000;
  std::vector<weighted_state> shards;
  for (std::int64_t i = 0; i < num_shards; ++i) {
    shards.emplace_back(weighted, i * tile, mf::cpu(1));
    shards.back().push(items_from(i * tile, tile));
  }
  inputs::generator random(7);
  while (shards.size() > 1) {
    const auto left = static_cast<std::ptrdiff_t>(random() % (shards.size() - 1));
    shards[static_cast<std::size_t>(left)].merge(shards[static_cast<std::size_t>(left) + 1]);
    shards.erase(shards.begin() + left + 1);
  }
  const double want = mf::reduce(mf::cpu(1), items_from(0, num_shards * tile), weighted);
  EXPECT_TRUE(same_bits(shards[0].finish(), want));
}

TEST(running_state, shards_that_meet_anywhere_combine_in_order) {
  rc::detail::checkGTest([] {
    std::string text;
    for (int i = 0; i < 20000; ++i) text += static_cast<char>('a' + inputs::mixed(i) % 26);
    auto cuts = *rc::gen::resize(
        6, rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 20001)));
    std::sort(cuts.begin(), cuts.end());
    mf::running_state<char, text_fold> whole(text_fold{});
    for (std::size_t i = 0; i <= cuts.size(); ++i) {
      const std::int64_t from = i == 0 ? 0 : cuts[i - 1];
      const std::int64_t to = i < cuts.size() ? cuts[i] : 20000;
      if (i % 2 == 0) {  // every second shard is merged, the others are pushed
        mf::running_state<char, text_fold> next(text_fold{}, from);
        if (to > from) next.push(text.data() + from, to - from);
        whole.merge(next);
      } else if (to > from) {
        whole.push(text.data() + from, to - from);
      }
    }
    RC_ASSERT(whole.finish() == text);
    RC_ASSERT(whole.count() == 20000);
  });
}

TEST(running_state, exact_folds_give_the_bits_of_one_call_for_any_cut) {
  for (const std::int64_t cut : {std::int64_t{1}, tile - 1, tile + 1, 5 * tile + 77}) {
    using state = mf::running_state<double, mf::detail::extrema_family>;
    state left(mf::extrema);
    state right(mf::extrema, cut);
    left.push(part(0, cut));
    right.push(part(cut, 10000));
    left.merge(right);
    const auto got = left.finish();
    const auto expected = mf::reduce(part(0, 10000), mf::extrema);
    EXPECT_EQ(got.argmin, expected.argmin);
    EXPECT_EQ(got.argmax, expected.argmax);
    EXPECT_EQ(got.min, expected.min);
  }
}

TEST(running_state, a_shard_has_the_global_indices) {
  const std::int64_t first = (std::int64_t{1} << 40) + 3;
  mf::running_state<double, decltype(mf::argmax)> shard(mf::argmax, first);
  EXPECT_EQ(shard.first_index(), first);
  EXPECT_EQ(shard.count(), 0);
  shard.push(std::vector<double>{1, 5, 2});
  shard.push(std::vector<double>{7});
  EXPECT_EQ(shard.finish(), first + 3);
  EXPECT_EQ(shard.count(), 4);
  EXPECT_EQ(shard.first_index(), first);
}

TEST(running_state, merge_needs_neighbours) {
  weighted_state left(weighted);
  left.push(part(0, 100));
  const weighted_state gap(weighted, 101);
  const weighted_state overlap(weighted, 99);
  for (const weighted_state* wrong : {&gap, &overlap, static_cast<const weighted_state*>(&left)}) {
    try {
      left.merge(*wrong);
      FAIL() << "no throw";
    } catch (const mf::error& e) {
      EXPECT_EQ(e.code(), mf::status::invalid_argument);
    }
  }
  EXPECT_EQ(left.count(), 100);
  EXPECT_TRUE(same_bits(left.finish(), mf::reduce(part(0, 100), weighted)));
  left.merge(weighted_state(weighted, 100));  // empty, at the right place
  EXPECT_EQ(left.count(), 100);
}

TEST(running_state, more_may_be_pushed_after_an_answer) {
  weighted_state running(weighted);
  for (std::int64_t at = 0; at < 20000; at += 777) {
    running.push(part(at, at + 777));
    ASSERT_TRUE(same_bits(running.finish(), mf::reduce(part(0, at + 777), weighted)));
  }
}

TEST(running_state, nothing_pushed) {
  const weighted_state none(weighted);
  EXPECT_EQ(none.try_finish().code(), mf::status::empty_input);
  EXPECT_EQ(none.total().code(), mf::status::empty_input);
  EXPECT_THROW(none.finish(), mf::error);
  const mf::running_state<int, decltype(mf::plain_sum_in<double>)> sum(mf::plain_sum_in<double>);
  EXPECT_EQ(sum.finish(), 0);
}

template <class Push>
void expect_refused(const Push& push) {
  mf::running_state<int, decltype(mf::plain_sum_in<double>)> sum(mf::plain_sum_in<double>);
  sum.push(std::vector<int>{1, 2});
  try {
    push(sum);
    ADD_FAILURE() << "no throw";
  } catch (const mf::error& e) {
    EXPECT_EQ(e.code(), mf::status::invalid_argument);
  }
  EXPECT_EQ(sum.count(), 2);
  EXPECT_EQ(sum.finish(), 3);
}

TEST(running_state, arguments_that_are_wrong) {
  const int one = 1;
  expect_refused([](auto& s) { s.push(static_cast<const int*>(nullptr), 1); });
  expect_refused([&](auto& s) { s.push(&one, -1); });
  expect_refused([&](auto& s) { s.push(mf::contiguous_view<int>(&one, -1)); });
  expect_refused([](auto& s) { s.push(mf::generate(-5, [](std::int64_t) { return 1; })); });
  mf::running_state<int, decltype(mf::plain_sum_in<double>)> sum(mf::plain_sum_in<double>);
  EXPECT_NO_THROW(sum.push(static_cast<const int*>(nullptr), 0));
  EXPECT_THROW(
      (mf::running_state<int, decltype(mf::plain_sum_in<double>)>(mf::plain_sum_in<double>, -1)),
      mf::error);
}

TEST(running_state, views_and_deques_are_pushed_like_memory) {
  weighted_state running(weighted);
  const std::deque<double> first(data().begin(), data().begin() + 700);
  running.push(first);
  running.push(mf::generate(
      40000, [](std::int64_t i) { return data()[static_cast<std::size_t>(700 + i)]; }));
  running.push(mf::strided_view<double>(data().data() + 40700, 300, 1));
  EXPECT_TRUE(same_bits(running.finish(), mf::reduce(part(0, 41000), weighted)));
}

TEST(running_state, items_of_another_type_are_made_ours_by_transform) {
  mf::running_state<double, decltype(mf::plain_sum_in<double>)> sum(mf::plain_sum_in<double>);
  sum.push(mf::transform(std::vector<int>{1, 2, 3}, [](int x) { return x / 2.0; }));
  EXPECT_EQ(sum.finish(), 3.0);
}

TEST(running_state, items_of_bool) {
  mf::running_state<bool, decltype(mf::plain_sum_in<double>)> sum(mf::plain_sum_in<double>);
  const bool items[] = {true, false, true};
  sum.push(items, 3);
  sum.push(mf::generate(10000, [](std::int64_t i) { return i % 2 == 0; }));
  EXPECT_EQ(sum.finish(), 5002U);
}

}  // namespace
