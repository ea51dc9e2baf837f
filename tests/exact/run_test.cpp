// fold/exact/run: every way to add a run gives the bytes of the integers.

#include "monofold/fold/exact/run.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "monofold/fold/exact/term.hpp"
#include "tests/exact/items.hpp"
#include "tests/inputs/random.hpp"

namespace mf = monofold;

namespace {

/// The ways that this processor has, each compared with digits on the same items.
template <class Term>
void expect_ways_agree(const std::vector<typename Term::item>& items, const std::string& what) {
  using state = mf::exact_state<typename Term::number>;
  using bytes = std::array<std::uint8_t, sizeof(state)>;
  const auto count = static_cast<std::int64_t>(items.size());
  // From a state that is not empty: what a block adds must not disturb it.
  state start = mf::zero_state<typename Term::number>();
  if (count > 0) mf::add_term(start, Term::of(items[0]));
  state integers = start;
  mf::detail::add_run_by_digits<Term>(integers, items.data(), count);
  const auto want = std::bit_cast<bytes>(integers);
#if defined(MONOFOLD_EXACT_LEVELS)
  state portable = start;
  mf::detail::add_run_portable<Term>(portable, items.data(), count);
  ASSERT_EQ(std::bit_cast<bytes>(portable), want) << what << ", portable";
#endif
#if defined(MONOFOLD_EXACT_AVX2)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    state wide = start;
    mf::detail::add_run_avx2<Term>(wide, items.data(), count);
    ASSERT_EQ(std::bit_cast<bytes>(wide), want) << what << ", AVX2";
  }
#endif
}

template <class Item>
class exact_run_of : public testing::Test {};
using item_types = testing::Types<double, float, mf::float16, mf::bfloat16>;
TYPED_TEST_SUITE(exact_run_of, item_types);

TYPED_TEST(exact_run_of, every_way_gives_the_same_bytes) {
  using pair = mf::item_pair<TypeParam, TypeParam>;
  for (const auto& kind : inputs::kinds_of_data) {
    for (const int n : {1, 8, 31, 33, 1000, 1024, 2047, 2048, 2055, 4500}) {
      const std::string what = kind + " " + std::to_string(n);
      const auto x = inputs::items_of<TypeParam>(kind, n, 21);
      const auto y = inputs::items_of<TypeParam>(kind, n, 22);
      std::vector<pair> pairs;
      for (std::size_t i = 0; i < x.size(); ++i) pairs.push_back({x[i], y[i]});
      ASSERT_NO_FATAL_FAILURE(expect_ways_agree<mf::value_term<TypeParam>>(x, what));
      ASSERT_NO_FATAL_FAILURE(expect_ways_agree<mf::magnitude_term<TypeParam>>(x, what));
      ASSERT_NO_FATAL_FAILURE(expect_ways_agree<mf::square_term<TypeParam>>(x, what));
      ASSERT_NO_FATAL_FAILURE(expect_ways_agree<mf::product_term<pair>>(pairs, what));
    }
  }
}

/// Ranges of every width: one, two, four and seven levels, and what spills.
TYPED_TEST(exact_run_of, every_width_of_range) {
  using f = inputs::fields<TypeParam>;
  inputs::generator random(23);
  const int step = f::top_field > 1000 ? 11 : 1;
  for (int width = 1; width <= f::top_field; width += step) {
    std::vector<TypeParam> items;
    const auto low = random() % static_cast<std::uint64_t>(f::top_field - width + 1);
    for (int i = 0; i < 600; ++i) {
      const std::uint64_t field = low + random() % static_cast<std::uint64_t>(width);
      const std::uint64_t fraction = random() & ((std::uint64_t{1} << f::fraction) - 1);
      items.push_back(inputs::from_bits<TypeParam>(field << f::fraction | fraction |
                                                   (random() >> 63) << (f::total - 1)));
    }
    ASSERT_NO_FATAL_FAILURE(
        expect_ways_agree<mf::value_term<TypeParam>>(items, std::to_string(width)));
    ASSERT_NO_FATAL_FAILURE(
        expect_ways_agree<mf::square_term<TypeParam>>(items, std::to_string(width)));
  }
}

/// Squares whose rest e = x x - p lies partly under 2^-1074: only integers hold it.
TEST(exact_run, products_around_the_smallest_exact_rest) {
  for (int e = -540; e < -470; ++e) {
    std::vector<double> items;
    for (int i = 0; i < 300; ++i) {
      items.push_back(std::ldexp(1.5 + inputs::unit_double(static_cast<std::uint64_t>(i)) / 4, e));
    }
    items[17] = 0.0;
    ASSERT_NO_FATAL_FAILURE(
        expect_ways_agree<mf::square_term<double>>(items, "2^" + std::to_string(e)));
  }
}

}  // namespace
