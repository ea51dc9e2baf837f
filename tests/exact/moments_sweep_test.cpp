// fold/exact/moments_sweep: sums of items and of their squares in one pass are those of the integers.

#include "monofold/fold/exact/moments_sweep.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "monofold/fold/exact/moments.hpp"
#include "monofold/platform/instruction_set.hpp"
#include "tests/exact/items.hpp"
#include "tests/inputs/random.hpp"

namespace mf = monofold;

namespace {

template <class Item>
using state_bytes = std::array<std::uint8_t, sizeof(mf::exact_moments_state<Item>)>;

template <class Item>
void add_by_digits(mf::exact_moments_state<Item>& own, const std::vector<Item>& items) {
  const auto count = static_cast<std::int64_t>(items.size());
  mf::detail::add_run_by_digits<mf::value_term<Item>>(own.values, items.data(), count);
  mf::exact_state<mf::exact_product_number<Item, Item>> squares{own.squares, mf::zero_counts()};
  mf::detail::add_run_by_digits<mf::square_term<Item>>(squares, items.data(), count);
  own.squares = squares.sum;
}

template <class Item>
class moments_sweep_of : public testing::Test {
 protected:
  void TearDown() override { mf::limit_instruction_set(mf::instruction_set::avx512); }

  static constexpr mf::instruction_set sets[] = {
      mf::instruction_set::baseline, mf::instruction_set::avx2, mf::instruction_set::avx512};
};
using item_types = testing::Types<double, float, mf::float16, mf::bfloat16>;
TYPED_TEST_SUITE(moments_sweep_of, item_types);

TYPED_TEST(moments_sweep_of, stretches_of_every_kind) {
  using bytes = state_bytes<TypeParam>;
  for (const mf::instruction_set set : this->sets) {
    mf::limit_instruction_set(set);
    mf::exact_running_moments<TypeParam> running;
    auto want = mf::exact_moments_fold<TypeParam>{}.identity();
    std::uint64_t seed = 51;
    for (const auto& before : inputs::kinds_of_data) {
      for (const auto& after : inputs::kinds_of_data) {
        for (const auto& kind : {before, after}) {
          const int n = 1 + static_cast<int>(++seed * 2654435761u % 9000);
          const auto items = inputs::items_of<TypeParam>(kind, n, seed);
          running.add(items.data(), n);
          add_by_digits(want, items);
          ASSERT_EQ(std::bit_cast<bytes>(running.total()), std::bit_cast<bytes>(want))
              << kind << " of " << before << ", " << after << ", " << n;
          ASSERT_EQ(running.nans(), want.values.counts.nan);
        }
      }
    }
  }
}

/// Sets have bins of different widths: sums that go on with another one keep what they have.
TYPED_TEST(moments_sweep_of, instruction_sets_take_turns) {
  using bytes = state_bytes<TypeParam>;
  const auto items = inputs::items_of<TypeParam>(inputs::kinds_of_data.front(), 900, 5);
  mf::exact_running_moments<TypeParam> running;
  auto want = mf::exact_moments_fold<TypeParam>{}.identity();
  for (const int set : {0, 1, 2, 1, 0, 2, 2, 0, 1}) {
    mf::limit_instruction_set(this->sets[set]);
    running.add(items.data(), 900);
    add_by_digits(want, items);
  }
  EXPECT_EQ(std::bit_cast<bytes>(running.total()), std::bit_cast<bytes>(want));
}

/// Numbers around 1 and, in every block, one that is smaller by a number of binades.
TYPED_TEST(moments_sweep_of, one_small_item_a_block) {
  using bytes = state_bytes<TypeParam>;
  inputs::generator random(91);
  for (const mf::instruction_set set : this->sets) {
    mf::limit_instruction_set(set);
    for (int binades = 0; binades < 30; ++binades) {
      mf::exact_running_moments<TypeParam> running;
      auto want = mf::exact_moments_fold<TypeParam>{}.identity();
      std::vector<TypeParam> items;
      for (int i = 0; i < 20000; ++i) {
        const double x = 0.5 + static_cast<double>(random() >> 12) * 0x1p-53;
        items.push_back(static_cast<TypeParam>(i % 3000 == 2999 ? std::ldexp(x, -binades) : -x));
      }
      running.add(items.data(), 20000);
      add_by_digits(want, items);
      ASSERT_EQ(std::bit_cast<bytes>(running.total()), std::bit_cast<bytes>(want)) << binades;
    }
  }
}

/// More blocks of equal numbers than lanes of bins take before they give them away.
TYPED_TEST(moments_sweep_of, lanes_that_fill_up) {
  using bytes = state_bytes<TypeParam>;
  mf::exact_running_moments<TypeParam> running;
  const std::vector<TypeParam> items(16384, static_cast<TypeParam>(0.998046875));
  auto once = mf::exact_moments_fold<TypeParam>{}.identity();
  auto want = once;
  add_by_digits(once, items);
  for (int b = 0; b < mf::detail::kept_bins::most_blocks; ++b) {
    running.add(items.data(), 16384);
    want = mf::exact_moments_fold<TypeParam>{}.combine(want, once);
  }
  EXPECT_EQ(std::bit_cast<bytes>(running.total()), std::bit_cast<bytes>(want));
}

}  // namespace
