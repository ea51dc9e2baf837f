/// fold/exact/few: what two doubles answer has the bits of the exact fold, in every floating-point environment.

#include "monofold/fold/exact/few.hpp"

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/fold/exact.hpp"
#include "monofold/reduce.hpp"
#include "tests/inputs/random.hpp"
#include "tests/inputs/same_bits.hpp"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace {

namespace mf = monofold;

int few_known = 0;

template <class Item, class F>
[[gnu::noinline]] void check_few(const F& family, const std::vector<Item>& items) {
  using bound = mf::bound_fold_t<F, Item>;
  static_assert(mf::detail::few_answers<bound>::known);
  mf::result<double> got;
  if (!mf::detail::few_answers<bound>::find(items.data(), std::ssize(items), got)) return;
  ++few_known;
  const double wanted = mf::reduce(items, family);
  ASSERT_TRUE(inputs::same_bits(*got, wanted)) << *got << " " << wanted;
}

template <class Item>
void check_folds(const std::vector<Item>& items) {
  check_few(mf::sum, items);
  check_few(mf::mean, items);
  check_few(mf::norm1, items);
  if constexpr (sizeof(Item) <= 4) {
    check_few(mf::norm2, items);
    check_few(mf::mean_square, items);
    check_few(mf::sum_of_squares, items);
  }
}

template <class Item>
std::vector<Item> random_items(std::uint64_t seed, int powers) {
  const auto count = 1 + inputs::mixed(seed) % 64;
  std::vector<Item> out;
  for (std::uint64_t i = 0; i < count; ++i) {
    out.push_back(static_cast<Item>(inputs::spread_double(seed * 1000 + i, powers)));
  }
  // Some cancel exactly, or all but.
  if (seed % 3 == 0) {
    for (std::uint64_t i = 0; i + 1 < count; i += 2) out[i + 1] = static_cast<Item>(-out[i]);
  }
  return out;
}

void check_all() {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    for (const int powers : {0, 3, 12, 40, 120}) {
      check_folds(random_items<float>(seed, powers));
      check_folds(random_items<double>(seed, 8 * powers));
    }
  }
}

TEST(few, random_items) {
  few_known = 0;
  check_all();
  EXPECT_GT(few_known, 50'000) << "most of these are known";
}

TEST(few, hard_items) {
  constexpr double least = std::numeric_limits<double>::denorm_min();
  constexpr double most = std::numeric_limits<double>::max();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& items : {std::vector<double>{-0.0},
                                           {-0.0, -0.0},
                                           {0.0, -0.0},
                                           {1, -1},
                                           {-1, 1, -0.0},
                                           {least},
                                           {least, least, -least},
                                           {least, 1},
                                           {most, most},
                                           {most, most, -most},
                                           {most, 0x1p970},
                                           {infinity},
                                           {infinity, -infinity},
                                           {NAN, 1},
                                           {1, 0x1p-53},
                                           {1, 0x1p-53, 0x1p-106},
                                           {1, -0x1p-54, 0x1p-200},
                                           {3, 0x1p-52, least},
                                           {0x1p-1022, -least},
                                           {1, 1, 1e-30}}) {
    check_folds(items);
    check_folds(std::vector<float>(items.begin(), items.end()));
    // Among so many that vectors add them, at their ends and before them.
    for (const std::size_t more : {8, 9, 11}) {
      for (const double zero : {-0.0, 0.0}) {
        std::vector<double> longer(more, zero);
        longer.insert(longer.begin() + 7, items.begin(), items.end());
        check_folds(longer);
        check_folds(std::vector<float>(longer.begin(), longer.end()));
      }
    }
  }
}

TEST(few, other_floating_point_environments) {
  for (const int rounding : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(rounding);
    check_all();
    std::fesetround(FE_TONEAREST);
  }
#if defined(__SSE2__)
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(saved | 0x8040);  // results and operands flushed to zero
  check_folds(std::vector<float>{1e-40F, 1e-41F});
  check_folds(std::vector<double>{1e-310, -1e-311});
  EXPECT_EQ(_mm_getcsr() & 0x8040U, 0x8040U);
  _mm_setcsr(saved);
#endif
}

}  // namespace
