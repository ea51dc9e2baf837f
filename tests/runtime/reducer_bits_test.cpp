/// runtime/reducer: logical and bitwise operations and counts have the bits of the header folds.

#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/fold/bitwise.hpp"
#include "monofold/fold/logical.hpp"
#include "monofold/fold/nan.hpp"
#include "tests/runtime/parity.hpp"

namespace {

using namespace parity;  // NOLINT: a test is made of it

/// The counts from which any, all and nonzero follow.
template <class Item, mf::nan_rule rule>
struct nonzero_counts : mf::nonzero_fold<Item, rule> {
  mf::nonzero_state finish(const mf::nonzero_state& s) const { return s; }
};

template <class Item, mf::nan_rule rule>
answer logical(operation op, std::span<const Item> items, const request&) {
  const mf::nonzero_state found = by_headers(items, nonzero_counts<Item, rule>{}).value();
  if (op == operation::any) return one(op, mf::result<bool>(found.nonzero > 0));
  if (op == operation::all) return one(op, mf::result<bool>(found.nonzero == found.count));
  return one(op, mf::result<std::int64_t>(found.nonzero));
}

template <class Item>
answer bitwise(operation op, std::span<const Item> items, const request&) {
  if (op == operation::bit_and) return one(op, by_headers(items, mf::bit_and));
  if (op == operation::bit_or) return one(op, by_headers(items, mf::bit_or));
  return one(op, by_headers(items, mf::bit_xor));
}

/// `count` too: without NaN where they are left out. The first NaN comes with the count of NaN.
template <class Item, mf::nan_rule rule>
answer counted(operation op, std::span<const Item> items, const request&) {
  const auto found = by_headers(items, mf::nan_count_fold<Item>{}).value();
  if (op == operation::count) {
    const std::int64_t left_out = rule == mf::nan_rule::omit ? found.count : 0;
    return one(op, mf::result<std::int64_t>(std::ssize(items) - left_out));
  }
  answer out = one(op, mf::result<std::int64_t>(found.count));
  out.first_nan = found.first;
  return out;
}

template <class Item>
void sweep_bits() {
  constexpr auto keep = mf::nan_rule::propagate;
  constexpr auto omit = mf::is_floating_v<Item> ? mf::nan_rule::omit : keep;
  std::vector<check<Item>> checks;
  for (const operation op : {operation::any, operation::all, operation::nonzero}) {
    checks.push_back({op, logical<Item, keep>, logical<Item, omit>});
  }
  for (const operation op : {operation::count, operation::nan}) {
    checks.push_back({op, counted<Item, keep>, counted<Item, omit>});
  }
  if constexpr (!mf::is_floating_v<Item>) {
    for (const operation op : {operation::bit_and, operation::bit_or, operation::bit_xor}) {
      checks.push_back({op, bitwise<Item>, bitwise<Item>});
    }
  }
  sweep(checks);
}

TEST(reducer_bits, of_floats) {
  const scene around;
  sweep_bits<mf::float16>();
  sweep_bits<mf::bfloat16>();
  sweep_bits<float>();
  sweep_bits<double>();
}

TEST(reducer_bits, of_integers) {
  const scene around;
  for (const mf::dtype_info& entry : mf::dtypes) {
    mf::visit_dtype(entry.type, []<class Item>() {
      if constexpr (!mf::is_floating_v<Item>) sweep_bits<Item>();
    });
  }
}

}  // namespace
