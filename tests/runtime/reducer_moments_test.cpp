/// runtime/reducer: variance, standard deviation, norms and means of squares have the bits of the header folds.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/fold/exact.hpp"
#include "monofold/fold/moments.hpp"
#include "monofold/fold/norm.hpp"
#include "tests/oracle/big_integer.hpp"
#include "tests/oracle/nearest.hpp"
#include "tests/runtime/parity.hpp"

namespace {

using namespace parity;  // NOLINT: a test is made of it

/// var and std for any ddof from one fold: `variance(ddof)` of the headers leaves no NaN out.
template <class Item, mf::nan_rule rule>
answer variance(operation op, std::span<const Item> items, const request& what) {
  if constexpr (mf::is_floating_v<Item>) {
    if (!what.plain) {
      using exact = mf::exact_variance_fold<Item, double, false, rule>;
      using root = mf::exact_variance_fold<Item, double, true, rule>;
      return op == operation::var ? one(op, one_by_one(items, exact(what.ddof)))
                                  : one(op, one_by_one(items, root(what.ddof)));
    }
  }
  const auto moments = by_headers(items, mf::detail::moments_fold_t<Item, rule>{});
  if (op == operation::var) return one(op, mf::variance_of(moments.value(), what.ddof));
  return one(op, mf::deviation_of(moments.value(), what.ddof));
}

template <class Item, mf::nan_rule rule>
answer norm(operation op, std::span<const Item> items, const request& what) {
  if (op == operation::norminf) return one(op, one_by_one(items, mf::norm_inf_fold<Item, rule>{}));
  if constexpr (mf::is_floating_v<Item>) {
    if (!what.plain) {
      using total = mf::exact_total_fold<mf::magnitude_term<Item>, double, rule>;
      return op == operation::norm1
                 ? one(op, one_by_one(items, total{}))
                 : one(op, one_by_one(items, mf::exact_norm2_fold<Item, double, rule>{}));
    }
    if (op == operation::norm1) return one(op, by_headers(items, mf::norm1_fold<Item, rule>{}));
    return one(op, by_headers(items, mf::norm2_fold<Item, rule>{}));
  } else {
    if (op == operation::norm1) return one(op, one_by_one(items, mf::integer_norm1_fold<Item>{}));
    return one(op, one_by_one(items, mf::integer_norm2_fold<Item>{}));
  }
}

/// Answers with its state.
template <class Fold>
struct unfinished : Fold {
  typename Fold::state finish(const typename Fold::state& s) const { return s; }
};

template <class Item, mf::nan_rule rule>
answer mean_square(operation op, std::span<const Item> items, const request& what) {
  if constexpr (mf::is_floating_v<Item>) {
    if (!what.plain) {
      using mean = mf::exact_mean_fold<mf::square_term<Item>, double, rule>;
      return one(op, one_by_one(items, mean{}));
    }
    const auto count = rule == mf::nan_rule::propagate
                           ? std::ssize(items)
                           : std::count_if(items.begin(), items.end(),
                                           [](const Item& x) { return !mf::is_nan(x); });
    if (count == 0) return one(op, mf::result<double>(mf::status::empty_input));
    using squares = mf::norm2_fold<Item, rule>;
    const auto all = by_headers(items, unfinished<squares>{});
    return one(op, mf::result<double>(squares::mean_square(all.value(), count)));
  } else {
    if (items.empty()) return one(op, mf::result<double>(mf::status::empty_input));
    const mf::uint256 all = one_by_one(items, unfinished<mf::integer_norm2_fold<Item>>{}).value();
    oracle::big_integer sum;
    for (int i = 3; i >= 0; --i) {
      sum = sum.shifted_left(64) + oracle::big_integer::from_unsigned(all.limb[i]);
    }
    return one(
        op, mf::result<double>(oracle::nearest_ratio(sum, std::ssize(items), 0, oracle::binary64)));
  }
}

template <class Item>
void sweep_moments() {
  constexpr auto keep = mf::nan_rule::propagate;
  constexpr auto omit = mf::is_floating_v<Item> ? mf::nan_rule::omit : keep;
  std::vector<check<Item>> checks{
      {operation::var, variance<Item, keep>, variance<Item, omit>},
      {operation::std, variance<Item, keep>, variance<Item, omit>, false, 1},
      {operation::var, variance<Item, keep>, variance<Item, omit>, false, 32},
      {operation::norm1, norm<Item, keep>, norm<Item, omit>},
      {operation::norm2, norm<Item, keep>, norm<Item, omit>},
      {operation::norminf, norm<Item, keep>, norm<Item, omit>},
      {operation::mean_square, mean_square<Item, keep>, mean_square<Item, omit>},
      {operation::var, variance<Item, keep>, variance<Item, omit>, true},
      {operation::std, variance<Item, keep>, variance<Item, omit>, true, 1},
      {operation::norm1, norm<Item, keep>, norm<Item, omit>, true},
      {operation::norm2, norm<Item, keep>, norm<Item, omit>, true},
      {operation::mean_square, mean_square<Item, keep>, mean_square<Item, omit>, true},
  };
  sweep(checks);
}

TEST(reducer_moments, of_halves) {
  const scene around;
  sweep_moments<mf::float16>();
  sweep_moments<mf::bfloat16>();
}

TEST(reducer_moments, of_floats) {
  const scene around;
  sweep_moments<float>();
}

TEST(reducer_moments, of_doubles) {
  const scene around;
  sweep_moments<double>();
}

TEST(reducer_moments, of_integers) {
  const scene around;
  for (const mf::dtype_info& entry : mf::dtypes) {
    mf::visit_dtype(entry.type, []<class Item>() {
      if constexpr (!mf::is_floating_v<Item>) sweep_moments<Item>();
    });
  }
}

}  // namespace
