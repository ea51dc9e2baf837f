/// The laws of every built-in fold: associative where exact, identities, swapped operands.

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "monofold/fold/bitwise.hpp"
#include "monofold/fold/extrema.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/fold/logical.hpp"
#include "monofold/fold/moments.hpp"
#include "monofold/fold/norm.hpp"
#include "monofold/fold/product.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/fold/top.hpp"
#include "tests/inputs/fixed_seed.hpp"
#include "tests/inputs/hard_numbers.hpp"
#include "tests/oracle/one_by_one.hpp"

namespace {

namespace mf = monofold;

/// Whether two states are the same, member by member.
template <class State>
bool same(const State& a, const State& b) {
  if constexpr (requires { a.candidates; }) {
    return true;  // top: candidates have no order; its answers are compared instead
  } else if constexpr (requires { a.key; }) {
    return a.key == b.key && a.index == b.index;
  } else if constexpr (requires { a.min; }) {
    return same(a.min, b.min) && same(a.max, b.max);
  } else if constexpr (requires { a.squares; }) {
    return a.count == b.count && a.sum == b.sum && a.squares == b.squares;
  } else if constexpr (requires { a.nonzero; }) {
    return a.nonzero == b.nonzero && a.count == b.count;
  } else if constexpr (requires { a.first; }) {
    return a.first == b.first && a.count == b.count;
  } else if constexpr (requires { a.total; }) {
    return a.total == b.total && a.count == b.count;
  } else {
    return a == b;
  }
}

template <class F>
bool same_answer(const F& fold, const typename F::state& a, const typename F::state& b) {
  if constexpr (requires { a.candidates; }) {
    const auto x = fold.finish(a);
    const auto y = fold.finish(b);
    return x.code() == y.code() && (!x || x->indices == y->indices);
  } else {
    return same(a, b);
  }
}

template <class Item>
rc::Gen<std::vector<Item>> some_items() {
  if constexpr (std::is_floating_point_v<Item>) {
    std::vector<Item> kinds;
    for (const double x : inputs::kinds_of_double()) kinds.push_back(static_cast<Item>(x));
    return rc::gen::container<std::vector<Item>>(
        rc::gen::oneOf(rc::gen::elementOf(kinds), rc::gen::cast<Item>(rc::gen::inRange(-3, 4))));
  } else {
    return rc::gen::container<std::vector<Item>>(rc::gen::oneOf(
        rc::gen::arbitrary<Item>(), rc::gen::cast<Item>(rc::gen::inRange(0, 4)),
        rc::gen::element(std::numeric_limits<Item>::min(), std::numeric_limits<Item>::max())));
  }
}

/// Three runs of neighbouring items, the first two not empty. (Neither depends on a fold: g++ makes one of each.)
template <class Item>
struct three_runs {
  std::vector<Item> x, y, z;

  [[gnu::noinline]] three_runs()
      : x(*some_items<Item>()), y(*some_items<Item>()), z(*some_items<Item>()) {
    x.push_back(static_cast<Item>(1));
    y.push_back(static_cast<Item>(2));
  }
};
void check_property(const std::function<void()>& property) { rc::detail::checkGTest(property); }

template <class Item, class Family>
void check_exact(const Family& family) {
  const auto fold = mf::bind_fold<Item>(family);
  using bound = std::remove_const_t<decltype(fold)>;
  static_assert(mf::is_exact_v<bound> && mf::is_commutative_v<bound>);
  check_property([&] {
    const three_runs<Item> runs_of_items;
    const auto& [x, y, z] = runs_of_items;
    const auto nx = static_cast<std::int64_t>(x.size());
    const auto ny = static_cast<std::int64_t>(y.size());
    const auto a = oracle::one_by_one(fold, x);
    const auto b = oracle::one_by_one(fold, y, nx);
    const auto c = z.empty() ? fold.identity() : oracle::one_by_one(fold, z, nx + ny);
    const auto whole = fold.combine(a, fold.combine(b, c));
    RC_ASSERT(same_answer(fold, whole, fold.combine(fold.combine(a, b), c)));
    RC_ASSERT(same_answer(fold, whole, fold.combine(c, fold.combine(b, a))));
    RC_ASSERT(same_answer(fold, a, fold.combine(a, fold.identity())));
    RC_ASSERT(same_answer(fold, a, fold.combine(fold.identity(), a)));
    if constexpr (mf::has_absorb_run_v<bound, Item>) {
      auto runs = fold.identity();
      fold.absorb_run(runs, x.data(), nx, 0);
      RC_ASSERT(same_answer(fold, a, runs));
      fold.absorb_run(runs, y.data(), ny, nx);
      fold.absorb_run(runs, z.data(), static_cast<std::int64_t>(z.size()), nx + ny);
      RC_ASSERT(same_answer(fold, whole, runs));
    }
  });
}

TEST(exact_folds, of_doubles) {
  check_exact<double>(mf::count);
  check_exact<double>(mf::min);
  check_exact<double>(mf::argmax);
  check_exact<double>(mf::extrema);
  check_exact<double>(mf::extrema_fold<double, mf::nan_rule::omit>{});
  check_exact<double>(mf::nan_count_fold<double>{});
  check_exact<double>(mf::nonzero);
  check_exact<double>(mf::nonzero_fold<double, mf::nan_rule::omit>{});
  check_exact<double>(mf::norm_inf);
}

TEST(exact_folds, top) {
  for (const std::int64_t k : {0, 1, 3}) {
    check_exact<float>(mf::top(k));
    check_exact<float>(mf::bottom(k));
    check_exact<std::uint8_t>(mf::bottom(k));
  }
}

TEST(exact_folds, of_int64) {
  check_exact<std::int64_t>(mf::plain_sum_in<double>);
  check_exact<std::int64_t>(mf::plain_mean);
  check_exact<std::int64_t>(mf::product);
  check_exact<std::int64_t>(mf::plain_variance(1));
  check_exact<std::int64_t>(mf::plain_norm1);
  check_exact<std::int64_t>(mf::plain_norm2);
  check_exact<std::int64_t>(mf::extrema);
}

TEST(exact_folds, of_uint64) {
  check_exact<std::uint64_t>(mf::plain_sum_in<double>);
  check_exact<std::uint64_t>(mf::plain_variance(0));
  check_exact<std::uint64_t>(mf::plain_norm2);
  check_exact<std::uint64_t>(mf::bit_xor);
}

TEST(exact_folds, of_bytes) {
  check_exact<std::uint8_t>(mf::bit_and);
  check_exact<std::int8_t>(mf::bit_or);
  check_exact<std::int8_t>(mf::plain_variance(0));
  check_exact<std::int8_t>(mf::plain_norm1);
  check_exact<std::int8_t>(mf::argmin);
}

/// Folds of floats: not associative, but operands may be swapped and the identity changes nothing.
template <class Family>
void check_float(const Family& family) {
  const auto fold = mf::bind_fold<double>(family);
  static_assert(!mf::is_exact_v<std::remove_const_t<decltype(fold)>>);
  const auto kinds = inputs::kinds_of_double();
  const auto equal = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  for (const double x : kinds) {
    const auto a = fold.lift(x, 0);
    EXPECT_TRUE(equal(fold.combine(a, fold.identity()), a)) << x;
    EXPECT_TRUE(equal(fold.combine(fold.identity(), a), a)) << x;
    for (const double y : kinds) {
      const auto b = fold.lift(y, 1);
      EXPECT_TRUE(equal(fold.combine(a, b), fold.combine(b, a))) << x << " " << y;
    }
  }
}

TEST(float_folds, swapped_operands_and_identity) {
  check_float(mf::plain_sum_in<double>);
  check_float(mf::product);
  check_float(mf::plain_norm1);
}

TEST(moments, an_absent_side_changes_nothing) {
  const mf::moments_fold<double> fold;
  const auto a = fold.combine(fold.lift(3, 0), fold.lift(5, 1));
  EXPECT_EQ(a.count, 2);
  EXPECT_EQ(a.mean, 4);
  EXPECT_EQ(a.m2, 2);
  for (const auto& s : {fold.combine(a, fold.identity()), fold.combine(fold.identity(), a)}) {
    EXPECT_EQ(s.count, 2);
    EXPECT_EQ(s.mean, 4);
    EXPECT_EQ(s.m2, 2);
  }
}

}  // namespace
