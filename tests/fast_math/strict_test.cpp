// A file compiled without -ffast-math, and without optimisation, so that it shares functions with those that
// are: both have the same answers.

#include <gtest/gtest.h>

#include <cstddef>

#include "tests/fast_math/long_sums.hpp"

#if defined(__FAST_MATH__)
#error "compiled with -ffast-math"
#endif

std::size_t fast_math::strict_bytes_of_product_accumulator() { return sizeof(product_accumulator); }

namespace {

TEST(strict_beside_fast_math, long_sums) { fast_math::expect_long_sums(); }

}  // namespace
