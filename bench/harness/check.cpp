#include "bench/harness/check.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace bench {

namespace {

constexpr double double_unit = 0x1p-53;
constexpr double float_unit = 0x1p-24;
/// At least the depth of every tree here: ceil(log2(n)) + 4 for n below 2^44, and some roundings
/// of what is done with the sum.
constexpr double depth = 48;

/// The error that one value may have. Items are at most 1 in magnitude where they are floats, so
/// that the count bounds the sum of magnitudes.
double tolerance(operation op, const dataset& data, accuracy wanted, std::size_t which,
                 double right) {
  if (op == operation::product) {
    // Rotations: each product loses one rounding of numbers up to 1, a million of them at random.
    return 8 * float_unit * std::sqrt(static_cast<double>(data.count));
  }
  const bool floats = data.type == item_type::float32 || data.type == item_type::float64;
  const auto n = static_cast<double>(data.count);
  const bool narrow =
      (data.type == item_type::float32 && wanted == accuracy::peer) || op == operation::plain_sum;
  const double unit = narrow ? float_unit : double_unit;
  // Peers may add thousands of items in a row.
  const double relative = (wanted == accuracy::ours ? depth : 64 * depth) * unit;
  const bool is_sum =
      op == operation::sum || op == operation::plain_sum || (op == operation::stats && which == 1);
  if (is_sum) return floats ? relative * n : 0;
  if (op == operation::stats && which == 4) return floats ? relative : std::abs(right) * relative;
  // 2000 u is what fold/moments.hpp states for a tile.
  const bool is_var = op == operation::var || (op == operation::stats && which == 5);
  if (is_var) return std::abs(right) * std::max(relative, 2048 * double_unit);
  return 0;
}

}  // namespace

std::string mismatch(operation op, const dataset& data, accuracy wanted,
                     const std::vector<double>& values, const std::vector<double>& right) {
  if (values.size() != right.size()) {
    return std::to_string(values.size()) + " values, not " + std::to_string(right.size());
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Written so that NaN fails.
    if (!(std::abs(values[i] - right[i]) <= tolerance(op, data, wanted, i, right[i]))) {
      return "value " + std::to_string(i) + " is " + std::to_string(values[i]) + ", not " +
             std::to_string(right[i]);
    }
  }
  return {};
}

}  // namespace bench
