#include "python/src/few_items.hpp"

#include <cmath>
#include <span>

#include "monofold/fold/exact.hpp"
#include "monofold/platform/strict_arithmetic.hpp"
#include "monofold/reduce.hpp"
#include "runtime/rolling_keys.hpp"

namespace monofold::python {

namespace {

/// Upper and lower halves of a significand.
struct halves {
  double upper, lower;

  explicit halves(double x) {
    const double scaled = x * 0x1p27 + x;
    upper = scaled - (scaled - x);
    lower = x - upper;
  }
};

/// Products as two doubles each, which they are exactly (Dekker 1971) where no part is rounded below the normal
/// numbers. In a function of its own: see strict_arithmetic.
[[gnu::noinline]] bool multiply(const double* left, const double* right, std::int64_t count,
                                double* terms) {
  MONOFOLD_AS_WRITTEN
  const strict_arithmetic arithmetic;
  bool holds = arithmetic.holds();
  for (std::int64_t i = 0; i < count; ++i) {
    const double a = left[i], b = right[i], product = a * b;
    const halves of_a(a), of_b(b);
    // Halves have no overflow below 2^900; rests of products above 2^-900 are normal numbers, or 0.
    holds &= std::fabs(a) < 0x1p900 && std::fabs(b) < 0x1p900 && std::fabs(product) < 0x1p900 &&
             (std::fabs(product) > 0x1p-900 || a == 0 || b == 0);
    terms[2 * i] = product;
    terms[2 * i + 1] =
        ((of_a.upper * of_b.upper - product) + of_a.upper * of_b.lower + of_a.lower * of_b.upper) +
        of_a.lower * of_b.lower;
  }
  return holds;
}

}  // namespace

bool dot_of_few(const double* left, const double* right, std::int64_t count, double& out) {
  double terms[2 * most_few];
  if (count < 1 || !multiply(left, right, count, terms)) return false;
  out = monofold::reduce(cpu(1),
                         std::span<const double>(terms, static_cast<std::size_t>(2 * count)), sum);
  return out != 0;
}

bool rank_few(const void* items, monofold_dtype dtype, std::int64_t count, std::int64_t k,
              bool largest, std::int64_t* places) {
  std::int64_t keys[most_ranked];
  const runtime::key_rule rule{static_cast<monofold::dtype>(dtype), largest, true};
  rule.load(items, count, keys);
  std::int64_t found = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (rule.has_nan() && keys[i] == rule.nan_key()) return false;
    if (found == k && keys[i] >= keys[places[k - 1]]) continue;
    std::int64_t at = found < k ? found++ : k - 1;
    for (; at > 0 && keys[i] < keys[places[at - 1]]; --at) places[at] = places[at - 1];
    places[at] = i;
  }
  return true;
}

}  // namespace monofold::python
