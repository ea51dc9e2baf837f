/// running_state, save and load: nothing is lost, exact states have one form, others are refused.

#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "monofold/fold/all.hpp"
#include "monofold/fold/exact.hpp"
#include "monofold/fold/extrema.hpp"
#include "monofold/fold/moments.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/fold/top.hpp"
#include "monofold/reduce.hpp"
#include "monofold/running_state.hpp"
#include "tests/inputs/fixed_seed.hpp"
#include "tests/inputs/hard_numbers.hpp"
#include "tests/inputs/same_bits.hpp"

namespace {

namespace mf = monofold;
using inputs::same_bits;
using chunk = std::span<const double>;
using bytes = std::vector<unsigned char>;

constexpr std::int64_t tile_items = mf::tile_items_v<double>;

/// A fold of one's own with a name: its result depends on grouping and order.
struct weighted_fold {
  using state = double;
  static constexpr const char* name = "weighted";

  double lift(double x, std::int64_t) const { return x; }
  double combine(double l, double r) const { return l * 0.75 + r; }
};

const std::vector<double>& saved_data() {
  static const std::vector<double> items = inputs::spread_doubles(150000, 30, 103);
  return items;
}
chunk saved_part(std::int64_t from, std::int64_t to) {
  return chunk(saved_data())
      .subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from));
}

template <class State>
State again(const State& state, const State& fresh) {
  State read = fresh;
  read.load(state.save());
  return read;
}

template <class F>
mf::running_state<double, F> made(const F& f, std::int64_t from, std::int64_t to) {
  mf::running_state<double, F> state(f, from);
  state.push(saved_part(from, to));
  return state;
}

rc::Gen<std::int64_t> places() {
  return rc::gen::oneOf(
      rc::gen::inRange<std::int64_t>(0, 3 * tile_items), rc::gen::inRange<std::int64_t>(0, 100000),
      rc::gen::element<std::int64_t>(0, tile_items, 8 * tile_items, 100 * tile_items));
}

/// Saved and loaded at any place, a state goes on as if nothing had been.
template <class F, class Same>
void check_goes_on(const F& f, const Same& same) {
  const std::int64_t first = *places();
  const std::int64_t middle = first + *places();
  const std::int64_t end = std::min<std::int64_t>(middle + *places(), std::ssize(saved_data()));
  const std::int64_t stop = std::min(middle, end);
  auto straight = made(f, first, stop);
  auto stopped = again(straight, mf::running_state<double, F>(f));
  RC_ASSERT(stopped.first_index() == first);
  RC_ASSERT(stopped.count() == stop - first);
  straight.push(saved_part(stop, end));
  stopped.push(saved_part(stop, end));
  RC_ASSERT(straight.count() == stopped.count());
  if (straight.count() > 0) RC_ASSERT(same(straight.finish(), stopped.finish()));
}

RC_GTEST_PROP(saved_state, ordered_folds_go_on, ()) {
  check_goes_on(weighted_fold{}, [](double a, double b) { return same_bits(a, b); });
}
RC_GTEST_PROP(saved_state, plain_sums_go_on, ()) {
  check_goes_on(mf::plain_sum, [](double a, double b) { return same_bits(a, b); });
}
RC_GTEST_PROP(saved_state, exact_sums_go_on, ()) {
  check_goes_on(mf::sum, [](double a, double b) { return same_bits(a, b); });
}
RC_GTEST_PROP(saved_state, several_at_once_go_on, ()) {
  check_goes_on(mf::all(mf::mean, mf::argmin, mf::plain_sum, mf::count),
                [](const auto& a, const auto& b) { return a == b; });
}
RC_GTEST_PROP(saved_state, the_largest_go_on, ()) {
  check_goes_on(mf::top(0), [](const auto& a, const auto& b) { return a.indices == b.indices; });
  const auto most = made(mf::top(5), 0, 70000);
  const auto read = again(most, made(mf::top(5), 0, 0));
  RC_ASSERT(read.finish().indices == most.finish().indices);
}

/// (a + b) - b has the bytes of a, and (a + b) - a those of b but for where it begins.
template <class F>
void check_takes_out(const F& f, std::vector<double> items) {
  const std::int64_t n = std::ssize(items);
  const std::int64_t cut = *rc::gen::inRange<std::int64_t>(0, n + 1);
  mf::running_state<double, F> first(f), second(f), whole(f), late(f, cut);
  first.push(items.data(), cut);
  second.push(items.data() + cut, n - cut);
  late.push(items.data() + cut, n - cut);
  whole.push(chunk(items));
  auto left = whole;
  left.subtract(late);
  RC_ASSERT(left.save() == first.save());
  auto right = whole;
  right.subtract(first);
  RC_ASSERT(right.save() == second.save());
  if (cut == 0) return;
  RC_ASSERT_THROWS_AS(second.subtract(whole), mf::error);
}

RC_GTEST_PROP(saved_state, exact_folds_take_items_out, ()) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto items = *rc::gen::container<std::vector<double>>(rc::gen::oneOf(
      rc::gen::element(-0.0, 0.0, infinity, -infinity, nan, 0x1p-1074, 0x1.fffffffffffffp1023),
      rc::gen::arbitrary<double>()));
  check_takes_out(mf::sum, items);
  check_takes_out(mf::norm1, items);
  check_takes_out(mf::norm2, items);
  check_takes_out(mf::all(mf::variance(1), mf::count, mf::nonzero), items);
}

/// What was never there is refused where counts or an empty sum show it, and nothing changes.
TEST(saved_state, what_was_not_there_is_not_taken_out) {
  const auto of = [](double x) {
    mf::running_state<double, decltype(mf::sum)> state(mf::sum);
    state.push(&x, 1);
    return state;
  };
  auto own = of(1);
  const bytes before = own.save();
  for (const double x : {2.0, -0.0, std::numeric_limits<double>::infinity(),
                         std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(own.subtract(of(x)), mf::error) << x;
    EXPECT_EQ(own.save(), before) << x;
  }
  static_assert(!mf::subtracts<mf::bound_fold_t<decltype(mf::argmin), double>>);
  static_assert(!mf::subtracts<mf::bound_fold_t<decltype(mf::plain_sum), double>>);
}

/// Equal data, equal bytes: chunks, shards and their order of arrival leave no trace.
RC_GTEST_PROP(saved_state, exact_states_have_one_form, ()) {
  const std::int64_t count = *rc::gen::inRange<std::int64_t>(1, 100000);
  const std::int64_t cut = *rc::gen::inRange<std::int64_t>(0, count + 1);
  const auto whole = made(mf::sum, 0, count).save();
  auto left = made(mf::sum, 0, cut);
  const auto right = made(mf::sum, cut, count);
  auto pieces = left;
  pieces.push(saved_part(cut, count));
  RC_ASSERT(pieces.save() == whole);
  left.merge(right);
  RC_ASSERT(left.save() == whole);
  auto read = again(made(mf::sum, 0, cut), made(mf::sum, 0, 0));
  read.merge(again(right, read));
  RC_ASSERT(read.save() == whole);
}

TEST(saved_state, shards_that_begin_with_tiles_have_the_bits_of_one_call) {
  const std::int64_t cut = 64 * tile_items;
  auto left = made(weighted_fold{}, 0, cut);
  const auto right = made(weighted_fold{}, cut, 100000);
  auto read = again(left, made(weighted_fold{}, 0, 0));
  read.merge(again(right, made(weighted_fold{}, 0, 0)));
  EXPECT_TRUE(same_bits(read.finish(), made(weighted_fold{}, 0, 100000).finish()));
}

template <class State>
std::string refusal(State fresh, const bytes& from) {
  const std::int64_t before = fresh.count();
  try {
    fresh.load(from);
  } catch (const mf::error& e) {
    EXPECT_EQ(e.code(), mf::status::malformed_state);
    EXPECT_EQ(fresh.count(), before);
    return e.what();
  }
  return {};
}

TEST(saved_state, another_reduction_is_refused_by_name) {
  const auto sum = made(mf::sum, 0, 1000).save();
  EXPECT_EQ(refusal(made(mf::sum, 0, 3), sum), "");
  EXPECT_EQ(refusal(made(mf::plain_sum, 0, 3), sum),
            "not a saved state: it holds: sum of float64; not: plain sum in float64 of float64");
  EXPECT_NE(refusal(made(mf::norm1, 0, 3), sum), "");
  EXPECT_NE(refusal(made(weighted_fold{}, 0, 3), sum), "");
  mf::running_state<float, std::remove_const_t<decltype(mf::sum)>> floats(mf::sum);
  EXPECT_EQ(refusal(floats, sum),
            "not a saved state: it holds: sum of float64; not: sum of float32");
  EXPECT_NE(refusal(made(mf::top(3), 0, 3), made(mf::top(4), 0, 9).save()), "");
  EXPECT_NE(refusal(made(mf::all(mf::min, mf::max), 0, 3), made(mf::extrema, 0, 9).save()), "");
}

TEST(saved_state, a_digest_is_that_of_the_items) {
  const auto whole = made(mf::sum, 0, 5000);
  auto pieces = made(mf::sum, 0, 17);
  pieces.merge(made(mf::sum, 17, 5000));
  EXPECT_EQ(whole.digest(), mf::sha256_of(whole.save()));
  EXPECT_EQ(whole.digest(), pieces.digest());
  EXPECT_NE(whole.digest(), made(mf::sum, 0, 4999).digest());
  EXPECT_NE(whole.digest(), made(mf::norm1, 0, 5000).digest());
  const auto has_digest = []<class State>(const State&) {
    return requires(State s) { s.digest(); };
  };
  EXPECT_TRUE(has_digest(whole));
  EXPECT_FALSE(has_digest(made(mf::plain_sum, 0, 1)));
}

TEST(saved_state, states_are_equal_as_their_bytes_are) {
  const auto whole = made(mf::sum, 0, 5000);
  auto pieces = made(mf::sum, 0, 17);
  EXPECT_FALSE(pieces == whole);
  pieces.merge(made(mf::sum, 17, 5000));
  EXPECT_TRUE(pieces == whole);
  EXPECT_TRUE(whole == again(whole, made(mf::sum, 0, 0)));
  pieces.push(saved_part(0, 1));
  EXPECT_TRUE(pieces != whole);
  EXPECT_FALSE(made(mf::sum, 3, 3) == made(mf::sum, 4, 4));  // no items, from other places on
  EXPECT_FALSE(made(mf::top(3), 0, 9) == made(mf::top(4), 0, 9));
  EXPECT_TRUE(made(weighted_fold{}, 0, 9000) == made(weighted_fold{}, 0, 9000));
  const auto compares = []<class State>(const State&) {
    return requires(State s) { s == s; };
  };
  struct nameless_fold {
    using state = double;
    double lift(double x, std::int64_t) const { return x; }
    double combine(double l, double r) const { return l + r; }
  };
  EXPECT_FALSE(compares(made(nameless_fold{}, 0, 1)));
}

/// A payload that was made up, sealed as if it were whole.
TEST(saved_state, parts_that_no_state_has_are_refused) {
  const auto saved = made(weighted_fold{}, 0, 3 * tile_items + 5).save();
  const mf::unsealed inside = mf::unseal(saved);
  const auto fresh = made(weighted_fold{}, 0, 0);
  ASSERT_EQ(refusal(fresh, saved), "");
  const bytes payload(inside.payload.begin(), inside.payload.end());
  int num_refused = 0;
  // first_index, count and grid_origin, the flag, the number of nodes, the first node's place
  for (std::size_t i = 0; i < 45; ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      bytes changed = payload;
      changed[i] = static_cast<unsigned char>(changed[i] ^ (1 << bit));
      num_refused += refusal(fresh, mf::seal(inside.name, changed)).empty() ? 0 : 1;
    }
  }
  EXPECT_EQ(num_refused, 45 * 8);
  for (std::size_t length = 0; length < payload.size(); ++length) {
    const bytes cut(payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_NE(refusal(fresh, mf::seal(inside.name, cut)), "") << length;
  }
  bytes longer = payload;
  longer.push_back(0);
  EXPECT_NE(refusal(fresh, mf::seal(inside.name, longer)), "");
}

}  // namespace
