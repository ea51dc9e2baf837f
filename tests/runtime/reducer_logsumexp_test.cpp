/// runtime/reducer: logsumexp has the bits of the header fold.

#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/fold/logsumexp.hpp"
#include "tests/runtime/parity.hpp"

namespace {

using namespace parity;  // NOLINT: a test is made of it

/// NaN stand for no item, where they are.
template <class Item>
struct logsumexp_of_numbers : mf::logsumexp_fold<Item> {
  using state = typename mf::logsumexp_fold<Item>::state;
  state lift(const Item& x, std::int64_t index) const {
    return mf::is_nan(x) ? this->identity() : mf::logsumexp_fold<Item>::lift(x, index);
  }
};

template <class Item>
void sweep_logsumexp() {
  using call = answer (*)(operation, std::span<const Item>, const request&);
  const call all = [](operation op, std::span<const Item> items, const request&) {
    return one(op, by_headers(items, mf::logsumexp_fold<Item>{}));
  };
  const call numbers = [](operation op, std::span<const Item> items, const request&) {
    return one(op, by_headers(items, logsumexp_of_numbers<Item>{}));
  };
  sweep(std::vector<check<Item>>{{operation::logsumexp, all, numbers},
                                 {operation::logsumexp, all, numbers, true}});
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
