// fold/exact/verified_products: products of two arrays are those of pairs.

#include "monofold/fold/exact/verified_products.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "monofold/fold/exact/accumulator.hpp"
#include "monofold/platform/instruction_set.hpp"
#include "tests/exact/items.hpp"
#include "tests/inputs/hard_numbers.hpp"

namespace mf = monofold;

namespace {

template <class Item>
class factors_of : public testing::Test {};
using item_types = testing::Types<double, float, mf::float16, mf::bfloat16>;
TYPED_TEST_SUITE(factors_of, item_types);

/// Factors in two arrays, each kind of data after each other one; what is left of a call goes as pairs.
TYPED_TEST(factors_of, in_two_arrays) {
  using pair = mf::item_pair<TypeParam, TypeParam>;
  using term = mf::product_term<pair>;
  using bytes = std::array<std::uint8_t, sizeof(mf::exact_state<typename term::number>)>;
  mf::exact_running_sum<term> running;
  auto want = mf::zero_state<typename term::number>();
  std::uint64_t seed = 61;
  for (const auto& before : inputs::kinds_of_data) {
    for (const auto& after : inputs::kinds_of_data) {
      for (const auto& kind : {before, after, std::string("normal")}) {
        const int n = 1 + static_cast<int>(++seed * 2654435761u % 9000);
        auto x = inputs::items_of<TypeParam>(kind, n, seed);
        const auto y = inputs::items_of<TypeParam>(after, n, seed + 1000);
        // NaN alone raises no flag.
        if (seed % 4 == 1) x[x.size() / 2] = TypeParam(inputs::not_a_number);
        // Not always: 0 times infinity hides what else infinities do.
        for (std::size_t i = seed % 5; seed % 3 == 0 && i < x.size(); i += 64) {
          x[i] = TypeParam(0.0);
        }
        std::vector<pair> pairs;
        for (std::size_t i = 0; i < x.size(); ++i) pairs.push_back({x[i], y[i]});
        const std::int64_t taken = running.add_factors(x.data(), y.data(), n);
        ASSERT_LE(taken, n);
        running.add(pairs.data() + taken, n - taken);
        mf::detail::add_run_by_digits<term>(want, pairs.data(), n);
        ASSERT_EQ(std::bit_cast<bytes>(running.total()), std::bit_cast<bytes>(want))
            << kind << " times " << after << ", " << n << ", " << taken;
      }
    }
  }
}

#if defined(MONOFOLD_QUIET_VECTORS)
/// Most of data as usual is taken without a copy.
TYPED_TEST(factors_of, usual_data) {
  if (mf::instruction_set_in_use() != mf::instruction_set::avx512) GTEST_SKIP();
  constexpr std::int64_t n = 1 << 15;
  const auto x = inputs::items_of<TypeParam>("normal", n, 1);
  const auto y = inputs::items_of<TypeParam>("normal", n, 2);
  mf::exact_running_sum<mf::product_term<mf::item_pair<TypeParam, TypeParam>>> running;
  std::int64_t taken = 0;
  for (std::int64_t at = 0; at < n; at += 1024) {
    taken += running.add_factors(x.data() + at, y.data() + at, 1024);
  }
  EXPECT_GE(taken, n / 2);
}
#endif

}  // namespace
