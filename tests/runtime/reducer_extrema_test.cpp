/// runtime/reducer: extrema, their indices, top and bottom have the bits of the header folds.

#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/fold/extrema.hpp"
#include "monofold/fold/top.hpp"
#include "tests/runtime/parity.hpp"

namespace {

using namespace parity;  // NOLINT: a test is made of it

template <class Item, mf::nan_rule rule>
answer extremum(operation op, std::span<const Item> items, const request&) {
  const auto found = by_headers(items, mf::extrema_fold<Item, rule>{});
  answer out{op};
  out.code = found.code();
  if (!found) return out;
  const bool low = op == operation::min || op == operation::argmin || op == operation::minmax;
  out.values.push_back(number_of(low ? found->min : found->max));
  if (op == operation::minmax) out.values.push_back(number_of(found->max));
  if (op == operation::argmin) out.indices.push_back(found->argmin);
  if (op == operation::argmax) out.indices.push_back(found->argmax);
  return out;
}

template <class Item, mf::nan_rule rule>
answer best(operation op, std::span<const Item> items, const request& what) {
  const auto found = op == operation::top
                         ? by_headers(items, mf::top_fold<Item, false, rule>{what.k})
                         : by_headers(items, mf::top_fold<Item, true, rule>{what.k});
  answer out{op};
  out.code = found.code();
  if (!found) return out;
  for (const Item& value : found->values) out.values.push_back(number_of(value));
  out.indices = found->indices;
  return out;
}

template <class Item>
void sweep_extrema() {
  constexpr auto keep = mf::nan_rule::propagate;
  constexpr auto omit = mf::is_floating_v<Item> ? mf::nan_rule::omit : keep;
  std::vector<check<Item>> checks;
  for (const operation op :
       {operation::min, operation::max, operation::minmax, operation::argmin, operation::argmax}) {
    checks.push_back({op, extremum<Item, keep>, extremum<Item, omit>});
  }
  for (const std::int64_t k : {1, 10, 300}) {
    checks.push_back({operation::top, best<Item, keep>, best<Item, omit>, false, 0, k});
    checks.push_back({operation::bottom, best<Item, keep>, best<Item, omit>, false, 0, k});
  }
  sweep(checks);
}

TEST(reducer_extrema, of_halves) {
  const scene around;
  sweep_extrema<mf::float16>();
  sweep_extrema<mf::bfloat16>();
}

TEST(reducer_extrema, of_floats) {
  const scene around;
  sweep_extrema<float>();
}

TEST(reducer_extrema, of_doubles) {
  const scene around;
  sweep_extrema<double>();
}

TEST(reducer_extrema, of_integers) {
  const scene around;
  for (const mf::dtype_info& entry : mf::dtypes) {
    mf::visit_dtype(entry.type, []<class Item>() {
      if constexpr (!mf::is_floating_v<Item>) sweep_extrema<Item>();
    });
  }
}

}  // namespace
