/// runtime/reducer: logsumexp and softmax_denominator have the bits of the header folds.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/fold/logsumexp.hpp"
#include "tests/runtime/parity.hpp"

namespace {

using namespace parity;  // NOLINT: a test is made of it

/// NaN stand for no item, where they are.
template <class Fold, class Item>
struct of_numbers : Fold {
  using state = typename Fold::state;
  state lift(const Item& x, std::int64_t index) const {
    return mf::is_nan(x) ? this->identity() : Fold::lift(x, index);
  }
};

template <class Real>
answer pair_of(operation op, const mf::result<mf::softmax_scale<Real>>& found) {
  answer out{op};
  out.values.push_back(number_of(found->max));
  out.values.push_back(number_of(found->sum));
  return out;
}

template <class Item>
void sweep_logsumexp() {
  using logarithm = mf::logsumexp_fold<Item>;
  using scale = mf::softmax_fold<Item>;
  using call = answer (*)(operation, std::span<const Item>, const request&);
  const call all = [](operation op, std::span<const Item> items, const request&) {
    return one(op, by_headers(items, logarithm{}));
  };
  const call numbers = [](operation op, std::span<const Item> items, const request&) {
    return one(op, by_headers(items, of_numbers<logarithm, Item>{}));
  };
  const call both = [](operation op, std::span<const Item> items, const request&) {
    return pair_of(op, by_headers(items, scale{}));
  };
  const call both_of_numbers = [](operation op, std::span<const Item> items, const request&) {
    return pair_of(op, by_headers(items, of_numbers<scale, Item>{}));
  };
  sweep(std::vector<check<Item>>{{operation::logsumexp, all, numbers},
                                 {operation::logsumexp, all, numbers, true},
                                 {operation::softmax_denominator, both, both_of_numbers},
                                 {operation::softmax_denominator, both, both_of_numbers, true}});
}

template <class Real>
void check_no_items(mf::dtype type, mf::runtime::nan_policy rule) {
  const auto op = operation::softmax_denominator;
  mf::runtime::reducer nothing({type, {op}, rule});
  const mf::softmax_scale<Real> none{-std::numeric_limits<Real>::infinity(), Real(0)};
  EXPECT_TRUE(same_answer(nothing.finish().front(), pair_of(op, mf::result(none))));
}

TEST(reducer_logsumexp, of_no_items) {
  using enum mf::runtime::nan_policy;
  for (const auto rule : {propagate, omit, raise}) {
    check_no_items<double>(mf::dtype::float64, rule);
    check_no_items<float>(mf::dtype::bfloat16, rule);
  }
}

TEST(reducer_logsumexp, of_halves) {
  const scene around;
  sweep_logsumexp<mf::float16>();
  sweep_logsumexp<mf::bfloat16>();
}

TEST(reducer_logsumexp, of_floats) {
  const scene around;
  sweep_logsumexp<float>();
}

TEST(reducer_logsumexp, of_doubles) {
  const scene around;
  sweep_logsumexp<double>();
}

}  // namespace
