#pragma once
/// inputs/row_folds: folds of every kind for tests of rows, segments and groups.

#include <array>
#include <cstdint>

#include "monofold/monofold.hpp"

namespace inputs {

/// A product of 2 x 2 matrices modulo 2^64: any other order gives another answer. It counts indices in too.
struct matrix_product {
  using state = std::array<std::uint64_t, 4>;

  template <class Item>
  state lift(const Item& item, std::int64_t index) const {
    return {static_cast<std::uint64_t>(static_cast<std::int64_t>(item)) + 3, 5,
            static_cast<std::uint64_t>(index), 7};
  }
  state combine(const state& l, const state& r) const {
    return {l[0] * r[0] + l[1] * r[2], l[0] * r[1] + l[1] * r[3], l[2] * r[0] + l[3] * r[2],
            l[2] * r[1] + l[3] * r[3]};
  }
};

/// Calls check(name, fold) for folds of every kind: exact by runs, with a running sum, striped in slots,
/// with a second look, ranked, several at once, ordered.
template <class Check>
void with_row_folds(const Check& check) {
  namespace mf = monofold;
  check("sum", mf::sum);
  check("plain sum", mf::plain_sum);
  check("variance", mf::variance(1));
  check("plain variance", mf::plain_variance(1));
  check("extrema", mf::extrema);
  check("top", mf::top(3));
  check("all", mf::all(mf::plain_mean, mf::argmin, mf::count, mf::product));
  check("ordered", matrix_product{});
}

}  // namespace inputs
