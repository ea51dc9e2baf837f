// fold/exact/state: a commutative monoid with one set of bytes for each set of items.

#include "monofold/fold/exact/state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "monofold/fold/exact.hpp"
#include "monofold/reduce.hpp"
#include "tests/exact/items.hpp"
#include "tests/inputs/random.hpp"
#include "tests/oracle/fixed_sum.hpp"

namespace mf = monofold;

namespace {

template <class Fold>
auto bytes_of(const typename Fold::state& s) {
  static_assert(std::is_trivially_copyable_v<typename Fold::state>);
  static_assert(std::has_unique_object_representations_v<typename Fold::state>, "no padding");
  return std::bit_cast<std::array<std::uint8_t, sizeof(s)>>(s);
}

template <class Fold, class Item>
typename Fold::state state_of_run(const Fold& f, std::span<const Item> items) {
  auto own = f.identity();
  f.absorb_run(own, items.data(), static_cast<std::int64_t>(items.size()), 0);
  return own;
}

/// One item after the other, runs of every length joined in any order, and engines with threads.
template <class Fold, class Item>
void expect_same_bytes(const Fold& f, std::vector<Item> items, std::uint64_t seed) {
  const std::span<const Item> all(items);
  auto one_by_one = f.identity();
  for (const Item& x : items) one_by_one = f.combine(one_by_one, f.lift(x, 0));
  const auto want = bytes_of<Fold>(one_by_one);
  auto absorbed = f.identity();
  for (const Item& x : items) f.absorb(absorbed, x, 0);
  ASSERT_EQ(bytes_of<Fold>(absorbed), want);
  ASSERT_EQ(bytes_of<Fold>(state_of_run(f, all)), want);
  inputs::generator random(seed);
  for (int round = 0; round < 6; ++round) {
    std::vector<typename Fold::state> parts;
    for (std::size_t at = 0; at < items.size();) {
      const std::size_t most = round < 3 ? 40 : 3000;
      const std::size_t n = std::min<std::size_t>(items.size() - at, random() % most);
      parts.push_back(state_of_run(f, all.subspan(at, n)));
      at += n;
    }
    parts.push_back(f.identity());
    while (parts.size() > 1) {
      std::swap(parts[random() % parts.size()], parts.back());
      const auto last = parts.back();
      parts.pop_back();
      auto& other = parts[random() % parts.size()];
      other = random() % 2 != 0 ? f.combine(other, last) : f.combine(last, other);
    }
    ASSERT_EQ(bytes_of<Fold>(parts[0]), want);
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random() % i]);
  }
  if (!items.empty()) {
    const auto threaded = mf::fold_view(mf::cpu(3), f, mf::view_of(items));
    ASSERT_EQ(bytes_of<Fold>(threaded), want);
  }
}

template <class Item>
class exact_state_of : public testing::Test {};
using item_types = testing::Types<double, float, mf::float16, mf::bfloat16>;
TYPED_TEST_SUITE(exact_state_of, item_types);

TYPED_TEST(exact_state_of, any_split_and_order_gives_the_same_bytes) {
  for (const auto& kind : inputs::kinds_of_data) {
    for (const int n : {0, 1, 5, 100, 2048, 7001}) {
      SCOPED_TRACE(kind + " " + std::to_string(n));
      const auto items = inputs::items_of<TypeParam>(kind, n, static_cast<std::uint64_t>(n));
      ASSERT_NO_FATAL_FAILURE(expect_same_bytes(mf::bind_fold<TypeParam>(mf::sum), items, 1));
      ASSERT_NO_FATAL_FAILURE(expect_same_bytes(mf::bind_fold<TypeParam>(mf::norm1), items, 2));
      ASSERT_NO_FATAL_FAILURE(
          expect_same_bytes(mf::bind_fold<TypeParam>(mf::sum_of_squares), items, 3));
      ASSERT_NO_FATAL_FAILURE(
          expect_same_bytes(mf::bind_fold<TypeParam>(mf::variance()), items, 4));
      using pair = mf::item_pair<TypeParam, TypeParam>;
      const auto others = inputs::items_of<TypeParam>(kind, n, static_cast<std::uint64_t>(n) + 1);
      std::vector<pair> pairs;
      for (std::size_t i = 0; i < items.size(); ++i) pairs.push_back({items[i], others[i]});
      ASSERT_NO_FATAL_FAILURE(expect_same_bytes(mf::bind_fold<pair>(mf::dot), pairs, 5));
    }
  }
}

/// Words of several states, added up as integers.
TYPED_TEST(exact_state_of, words_add_up) {
  using fold = mf::bound_fold_t<decltype(mf::sum), TypeParam>;
  using wire = mf::exact_wire<typename fold::state::number>;
  const fold f;
  for (const auto& kind : inputs::kinds_of_data) {
    const auto items = inputs::items_of<TypeParam>(kind, 5000, 9);
    const std::span<const TypeParam> all(items);
    std::array<std::int64_t, wire::num_words> words{};
    for (std::size_t at = 0; at < all.size(); at += 50) {
      const wire part = mf::wire_of(state_of_run(f, all.subspan(at, 50)));
      ASSERT_EQ(bytes_of<fold>(mf::state_of(part)),
                bytes_of<fold>(state_of_run(f, all.subspan(at, 50))));
      for (std::size_t i = 0; i < words.size(); ++i) words[i] += part.word[i];
    }
    const auto merged = mf::state_of(std::bit_cast<wire>(words));
    EXPECT_EQ(bytes_of<fold>(merged), bytes_of<fold>(state_of_run(f, all))) << kind;
  }
}

/// 2^31 - 1 equal states on the wire: no digit overflows. The words are multiplied instead of added.
TEST(exact_state, words_have_room_for_two_billion_states) {
  using fold = mf::bound_fold_t<decltype(mf::sum), double>;
  using wire = mf::exact_wire<typename fold::state::number>;
  const fold f;
  constexpr std::int64_t most = (std::int64_t{1} << 31) - 1;
  for (const double x :
       {-std::numeric_limits<double>::denorm_min(), 0x1.fffffffffffffp1023, -1.5, -0.0}) {
    wire words = mf::wire_of(f.lift(x, 0));
    for (auto& word : words.word) {
      ASSERT_LE(word, std::numeric_limits<std::int64_t>::max() / most);
      ASSERT_GE(word, std::numeric_limits<std::int64_t>::min() / most);
      word *= most;
    }
    const auto s = mf::state_of(words);
    EXPECT_EQ(s.counts.items, most);
    EXPECT_EQ(s.counts.minus_zeros, x == 0 ? most : 0);
    auto want = f.identity();  // most = 2^31 - 1 copies: doubled 31 times, and one taken away
    auto doubled = f.lift(x, 0);
    for (int i = 0; i < 31; ++i, doubled = f.combine(doubled, doubled)) {
      want = f.combine(want, doubled);
    }
    EXPECT_EQ(bytes_of<fold>(s), bytes_of<fold>(want));
  }
}

/// States of 2^62 items do not overflow.
TEST(exact_state, has_room_for_all_items) {
  const auto f = mf::bind_fold<double>(mf::mean);
  for (const double x : {0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023}) {
    auto s = f.lift(x, 0);
    for (int i = 0; i < 62; ++i) s = f.combine(s, s);
    EXPECT_EQ(s.counts.items, std::int64_t{1} << 62);
    EXPECT_TRUE(inputs::same(f.finish(s).value(), x));
  }
  const auto g = mf::bind_fold<double>(mf::variance());
  auto s = g.combine(g.lift(0x1.fffffffffffffp1023, 0), g.lift(-0x1.fffffffffffffp1023, 0));
  for (int i = 0; i < 61; ++i) s = g.combine(s, s);
  EXPECT_TRUE(inputs::same(g.finish(s).value(), std::numeric_limits<double>::infinity()));
}

/// Partial sums of narrower types merge into wider ones.
TEST(exact_state, sums_of_all_types_merge) {
  const auto f = mf::bind_fold<double>(mf::sum);
  const auto halves = inputs::items_of<mf::float16>("any finite", 300, 1);
  const auto floats = inputs::items_of<float>("any finite", 300, 2);
  const auto doubles = inputs::items_of<double>("any finite", 300, 3);
  auto own = state_of_run(f, std::span<const double>(doubles));
  const auto g = mf::bind_fold<float>(mf::sum);
  auto narrow = state_of_run(g, std::span<const float>(floats));
  mf::merge(narrow, state_of_run(mf::bind_fold<mf::float16>(mf::sum),
                                 std::span<const mf::float16>(halves)));
  mf::merge(own, narrow);
  std::vector<double> all = doubles;
  for (const float x : floats) all.push_back(inputs::value_of(x));
  for (const mf::float16 x : halves) all.push_back(inputs::value_of(x));
  EXPECT_EQ(bytes_of<decltype(f)>(own),
            bytes_of<decltype(f)>(state_of_run(f, std::span<const double>(all))));
}

TEST(exact_state, sizes_are_those_of_the_documentation) {
  using mf::bound_fold_t;
  EXPECT_EQ(sizeof(bound_fold_t<decltype(mf::sum), double>::state), 312u);
  EXPECT_EQ(sizeof(bound_fold_t<decltype(mf::sum), float>::state), 88u);
  EXPECT_EQ(sizeof(bound_fold_t<decltype(mf::sum), mf::bfloat16>::state), 88u);
  EXPECT_EQ(sizeof(bound_fold_t<decltype(mf::sum), mf::float16>::state), 64u);
  EXPECT_EQ(sizeof(mf::exact_moments_state<double>), 848u);
  EXPECT_EQ(sizeof(mf::exact_moments_state<float>), 176u);
  EXPECT_EQ(sizeof(mf::exact_moments_state<mf::bfloat16>), 168u);
  EXPECT_EQ(sizeof(mf::exact_moments_state<mf::float16>), 96u);
}

}  // namespace
