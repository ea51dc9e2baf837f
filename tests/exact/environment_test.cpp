// platform/strict_arithmetic and the exact folds: other rounding modes, flushing to zero, traps.

#include "monofold/platform/strict_arithmetic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <vector>

#include "monofold/fold/exact.hpp"
#include "monofold/fold/fold.hpp"
#include "tests/exact/answers.hpp"
#include "tests/exact/items.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace mf = monofold;

namespace {

/// The answers of every exact fold on data of every kind, once for each environment. What they must
/// be comes from the usual one, where the other tests compare it with integers.
void expect_usual_answers(const std::vector<std::uint64_t>& usual) {
  const auto got = inputs::all_answers();
  const auto first = std::mismatch(got.begin(), got.end(), usual.begin(), usual.end());
  EXPECT_TRUE(got == usual) << "first at " << first.first - got.begin() << " of " << usual.size();
}

/// The number that a program compiled with -ffast-math must find too.
TEST(exact_environment, fingerprint) {
  EXPECT_EQ(inputs::fingerprint(inputs::all_answers()), inputs::fingerprint_of_all_answers);
}

TEST(exact_environment, rounding_modes) {
  const auto usual = inputs::all_answers();
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    SCOPED_TRACE(mode);
    std::fesetround(mode);
    const auto got = inputs::all_answers();
    const int left = std::fegetround();
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(left, mode) << "put back";
    EXPECT_TRUE(got == usual);
  }
  expect_usual_answers(usual);
}

TEST(exact_environment, halves_become_floats_in_every_rounding_mode) {
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST}) {
    std::fesetround(mode);
    volatile std::uint16_t zero = 0;
    volatile std::uint16_t least = 1;
    const float from_zero = mf::float16{zero};
    const float from_least = mf::float16{least};
    std::fesetround(FE_TONEAREST);
    EXPECT_FALSE(std::signbit(from_zero)) << mode;
    EXPECT_EQ(from_least, 0x1p-24f) << mode;
  }
}

#if defined(__x86_64__)
TEST(exact_environment, flushing_to_zero) {
  const auto usual = inputs::all_answers();
  const unsigned saved = _mm_getcsr();
  for (const unsigned bits : {0x8000u, 0x0040u, 0x8040u, 0xe040u}) {  // FTZ, DAZ, both, toward zero
    SCOPED_TRACE(bits);
    _mm_setcsr((saved & 0x1fbfu) | bits);
    const auto got = inputs::all_answers();
    const unsigned left = _mm_getcsr();
    _mm_setcsr(saved);
    EXPECT_EQ(left & 0xffc0u, (saved & 0x1f80u) | bits) << "put back";
    EXPECT_TRUE(got == usual);
  }
}

/// With traps on inexact results an addition that rounds would end the program.
TEST(exact_environment, no_trap_and_no_flag) {
  std::vector<double> items(3000);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = inputs::unit_double(i);
  const auto f = mf::bind_fold<double>(mf::sum);
  auto own = f.identity();
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(saved & ~0x1fbfu);  // every trap on, no flag up
  f.absorb_run(own, items.data(), 3000, 0);
  const unsigned left = _mm_getcsr();
  _mm_setcsr(saved);
  EXPECT_EQ(left & 0x3fu, 0u);
  EXPECT_EQ(own.counts.items, 3000);
}

/// Flags tell the loops what they ask; those of the program stay.
TEST(exact_environment, raised_flags_stay) {
  std::vector<double> items(3000);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = inputs::unit_double(i);
  const auto f = mf::bind_fold<double>(mf::variance());
  const unsigned saved = _mm_getcsr();
  for (const unsigned raised : {0x04u, 0x3fu}) {  // division by zero; all
    auto own = f.identity();
    auto run = mf::detail::begin_running_sum(f);
    _mm_setcsr((saved & ~0x3fu) | raised);
    f.absorb_run(own, items.data(), 3000, 0);
    run.add(items.data(), 3000);
    const unsigned left = _mm_getcsr();
    _mm_setcsr(saved);
    EXPECT_EQ(left & raised, raised);
    EXPECT_EQ(run.total().values.counts.items, 3000);
  }
}
#endif

TEST(exact_environment, holds_only_where_it_is_true) {
  const mf::strict_arithmetic arithmetic;
  EXPECT_EQ(arithmetic.holds(), MONOFOLD_STRICT_DOUBLES == 1);
}

}  // namespace
