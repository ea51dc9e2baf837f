/// runtime/reducer: sum, plain sum, mean, product and dot have the bits of the header folds.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/fold/dot.hpp"
#include "monofold/fold/exact.hpp"
#include "monofold/fold/product.hpp"
#include "monofold/fold/sum.hpp"
#include "tests/runtime/parity.hpp"

namespace {

using namespace parity;  // NOLINT: a test is made of it

template <class Item, mf::nan_rule rule>
answer sum(operation op, std::span<const Item> items, const request& what) {
  if constexpr (!mf::is_floating_v<Item>) {
    return one(op, one_by_one(items, mf::integer_sum_fold<Item>{}));
  } else if (what.plain) {
    using real = std::conditional_t<std::is_same_v<Item, double>, double, float>;
    return one(op, by_headers(items, mf::float_sum_fold<Item, real, rule>{}));
  } else {
    using fold = mf::exact_total_fold<mf::value_term<Item>, double, rule>;
    return one(op, one_by_one(items, fold{}));
  }
}

/// A plain mean is the plain sum over the count, in double; the headers have none.
template <class Item, mf::nan_rule rule>
answer mean(operation op, std::span<const Item> items, const request& what) {
  if constexpr (mf::is_floating_v<Item>) {
    if (what.plain) {
      std::int64_t count = 0;
      for (const Item& x : items) {
        count += rule == mf::nan_rule::omit && hard_items::has_nan_bits(x) ? 0 : 1;
      }
      if (count == 0) return one(op, mf::result<double>(mf::status::empty_input));
      const answer total = sum<Item, rule>(op, items, what);
      const double sum_of_items =
          std::visit([](auto held) { return static_cast<double>(held); }, total.values.front());
      return one(op, mf::result<double>(mf::one_nan(sum_of_items / static_cast<double>(count))));
    }
    return one(op, one_by_one(items, mf::exact_mean_fold<mf::value_term<Item>, double, rule>{}));
  } else {
    return one(op, by_headers(items, mf::mean_fold<Item, rule>{}));
  }
}

template <class Item, mf::nan_rule rule>
answer product(operation op, std::span<const Item> items, const request&) {
  if constexpr (mf::is_floating_v<Item>) {
    return one(op, by_headers(items, mf::float_product_fold<Item, rule>{}));
  } else {
    return one(op, one_by_one(items, mf::integer_product_fold<Item>{}));
  }
}

template <class Item, mf::nan_rule rule>
answer dot(operation op, std::span<const Item> items, const request& what) {
  using pair = mf::item_pair<Item, Item>;
  const auto pairs = mf::generate(std::ssize(items), [items](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    return pair{items[at], items[(at + 1) % items.size()]};
  });
  if constexpr (mf::is_floating_v<Item>) {
    using exact = mf::exact_total_fold<mf::product_term<pair>, double, rule>;
    return what.plain ? one(op, by_headers(pairs, mf::float_dot_fold<pair, rule>{}))
                      : one(op, one_by_one(pairs, exact{}));
  } else {
    return one(op, one_by_one(pairs, mf::integer_dot_fold<Item, Item>{}));
  }
}

template <class Item>
void sweep_sums() {
  constexpr auto keep = mf::nan_rule::propagate;
  constexpr auto omit = mf::is_floating_v<Item> ? mf::nan_rule::omit : keep;
  std::vector<check<Item>> checks{
      {operation::sum, sum<Item, keep>, sum<Item, omit>},
      {operation::mean, mean<Item, keep>, mean<Item, omit>},
      {operation::prod, product<Item, keep>, product<Item, omit>},
      {operation::dot, dot<Item, keep>, dot<Item, omit>},
      {operation::sum, sum<Item, keep>, sum<Item, omit>, true},
      {operation::mean, mean<Item, keep>, mean<Item, omit>, true},
      {operation::dot, dot<Item, keep>, dot<Item, omit>, true},
  };
  sweep(checks);
}

TEST(reducer_sums, of_halves) {
  const scene around;
  sweep_sums<mf::float16>();
  sweep_sums<mf::bfloat16>();
}

TEST(reducer_sums, of_floats) {
  const scene around;
  sweep_sums<float>();
}

TEST(reducer_sums, of_doubles) {
  const scene around;
  sweep_sums<double>();
}

TEST(reducer_sums, of_integers) {
  const scene around;
  for (const mf::dtype_info& entry : mf::dtypes) {
    mf::visit_dtype(entry.type, []<class Item>() {
      if constexpr (!mf::is_floating_v<Item>) sweep_sums<Item>();
    });
  }
}

/// Others are soon 0 modulo 2^64, which ends the work.
TEST(reducer_sums, products_of_odd_integers) {
  const scene around;
  constexpr std::int64_t zero_at = 30000;  // in the last of the lengths
  for (const mf::dtype_info& entry : mf::dtypes) {
    mf::visit_dtype(entry.type, [&]<class Item>() {
      if constexpr (mf::is_floating_v<Item>) return;
      for (const std::int64_t n : {1, 127, 128, 300, 4096, 20011, 40000}) {
        const auto size = static_cast<std::size_t>(n);
        const std::unique_ptr<Item[]> items(new Item[size]);
        std::uint64_t product = 1;
        for (std::size_t i = 0; i < size; ++i) {
          const bool is_zero = static_cast<std::int64_t>(i) == zero_at;
          items[i] = static_cast<Item>(is_zero ? 0 : inputs::mixed(i) | 1);
          product *= static_cast<std::uint64_t>(items[i]);
        }
        for (const std::string& name : mf::runtime::instruction_sets()) {
          ASSERT_TRUE(mf::runtime::use_instruction_set(name));
          request what;
          what.type = entry.type;
          what.ops = {operation::prod};
          what.num_threads = 1;
          reducer running(what);
          running.push(items.get(), n);
          const number got = running.finish().front().values.front();
          const bool is_signed = std::is_signed_v<Item>;
          EXPECT_TRUE(same_number(
              got, is_signed ? number(static_cast<std::int64_t>(product)) : number(product)))
              << entry.name << ", " << name << ", " << n << ": " << text_of(got);
        }
      }
    });
  }
}

/// Items that are the least or the largest of their type, where sums of two products are largest.
template <class Item>
void compare_dots_of_ends(const mf::dtype_info& entry) {
  constexpr Item ends[2] = {std::numeric_limits<Item>::min(), std::numeric_limits<Item>::max()};
  for (const std::size_t size : {1, 64, 130, 16384, 40001}) {
    const std::unique_ptr<Item[]> left(new Item[size]), right(new Item[size]);
    for (int kind = 0; kind < 6; ++kind) {
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < size; ++i) {
        const std::uint64_t random = inputs::mixed(i);
        left[i] = ends[kind < 4 ? kind & 1 : random & 1];
        right[i] = kind < 5 ? ends[kind < 4 ? kind >> 1 : random >> 1 & 1]
                            : static_cast<Item>(random >> 8);
        sum += std::int64_t{left[i]} * std::int64_t{right[i]};
      }
      for (const std::string& name : mf::runtime::instruction_sets()) {
        ASSERT_TRUE(mf::runtime::use_instruction_set(name));
        request what;
        what.type = entry.type;
        what.ops = {operation::dot};
        reducer own(what);
        own.push_pairs(left.get(), right.get(), static_cast<std::int64_t>(size));
        const number got = own.finish().front().values.front();
        const bool is_signed = std::is_signed_v<Item>;
        EXPECT_TRUE(
            same_number(got, is_signed ? number(sum) : number(static_cast<std::uint64_t>(sum))))
            << entry.name << ", " << name << ", " << size << ", " << kind << ": " << text_of(got);
      }
    }
  }
}
TEST(reducer_sums, dot_of_the_ends_of_integers) {
  const scene around;
  for (const mf::dtype_info& entry : mf::dtypes) {
    mf::visit_dtype(entry.type, [&]<class Item>() {
      if constexpr (std::is_integral_v<Item> && sizeof(Item) <= 2) {
        compare_dots_of_ends<Item>(entry);
      }
    });
  }
}

}  // namespace
