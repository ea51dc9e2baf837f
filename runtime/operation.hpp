#pragma once
/// runtime/operation: the one list of operations by name, for the tool, its help, tests and docs.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "monofold/platform/dtype.hpp"

namespace monofold::runtime {

/// The numeric values are part of the C interface (monofold.h) and never change.
enum class operation : std::int32_t {
  count = 0,
  sum = 1,
  prod = 2,
  mean = 3,
  var = 4,
  std = 5,
  min = 6,
  max = 7,
  minmax = 8,
  argmin = 9,
  argmax = 10,
  top = 11,
  bottom = 12,
  any = 13,
  all = 14,
  nonzero = 15,
  norm1 = 16,
  norm2 = 17,
  norminf = 18,
  dot = 19,
  bit_and = 20,
  bit_or = 21,
  bit_xor = 22,
  nan = 23,  // how many NaN; part of stats
  mean_square = 24,
  logsumexp = 25,
  softmax_denominator = 26,
};

/// What an operation can be applied to.
enum class domain { numbers, integers, floats, pairs };

struct operation_info {
  operation op;
  std::string_view name;  // as in the tool
  domain on;
  std::string_view summary;  // one line for help
  std::string_view answer;   // type of the answer, and the answer for empty input
};

/// The only list of operations.
inline constexpr std::array<operation_info, 27> operations{{
    {operation::count, "count", domain::numbers, "the number of items", "integer; empty: 0"},
    {operation::sum, "sum", domain::numbers, "the sum",
     "double, or an exact 64-bit integer; empty: 0"},
    {operation::prod, "prod", domain::numbers, "the product (integers: modulo 2^64)",
     "double, or a 64-bit integer; empty: 1"},
    {operation::mean, "mean", domain::numbers, "the arithmetic mean", "double; empty: no result"},
    {operation::var, "var", domain::numbers, "the variance; --ddof sets the divisor n - ddof",
     "double; no result where n <= ddof"},
    {operation::std, "std", domain::numbers, "the standard deviation; --ddof as for var",
     "double; no result where n <= ddof"},
    {operation::min, "min", domain::numbers, "the smallest item", "an item; empty: no result"},
    {operation::max, "max", domain::numbers, "the largest item", "an item; empty: no result"},
    {operation::minmax, "minmax", domain::numbers, "the smallest and the largest item",
     "two items; empty: no result"},
    {operation::argmin, "argmin", domain::numbers, "the index of the first smallest item",
     "integer; empty: no result"},
    {operation::argmax, "argmax", domain::numbers, "the index of the first largest item",
     "integer; empty: no result"},
    {operation::top, "top", domain::numbers, "the -k largest items with their indices",
     "items and indices; no result where n < k"},
    {operation::bottom, "bottom", domain::numbers, "the -k smallest items with their indices",
     "items and indices; no result where n < k"},
    {operation::any, "any", domain::numbers, "whether any item is not zero",
     "boolean; empty: false"},
    {operation::all, "all", domain::numbers, "whether all items are not zero",
     "boolean; empty: true"},
    {operation::nonzero, "nonzero", domain::numbers, "how many items are not zero",
     "integer; empty: 0"},
    {operation::norm1, "norm1", domain::numbers, "the sum of magnitudes",
     "double, or an exact unsigned integer; empty: 0"},
    {operation::norm2, "norm2", domain::numbers, "the square root of the sum of squares",
     "double; empty: 0"},
    {operation::norminf, "norminf", domain::numbers, "the largest magnitude",
     "double, or an unsigned integer; empty: 0"},
    {operation::dot, "dot", domain::pairs, "the inner product of two files",
     "double, or an exact 64-bit integer; empty: 0"},
    {operation::bit_and, "and", domain::integers, "the bitwise and", "an item; empty: all ones"},
    {operation::bit_or, "or", domain::integers, "the bitwise or", "an item; empty: 0"},
    {operation::bit_xor, "xor", domain::integers, "the bitwise exclusive or", "an item; empty: 0"},
    {operation::nan, "nan", domain::numbers, "how many items are NaN", "integer; empty: 0"},
    {operation::mean_square, "mean_square", domain::numbers, "the mean of squares",
     "double; empty: no result"},
    {operation::logsumexp, "logsumexp", domain::floats,
     "the logarithm of the sum of exponentials, of floats", "double; empty: -inf"},
    {operation::softmax_denominator, "softmax_denominator", domain::floats,
     "max and sum of exp(x - max), of floats", "two numbers; empty: -inf and 0"},
}};

/// What `stats` stands for, in the order in which it is printed.
inline constexpr std::array<operation, 10> stats_operations{
    operation::count, operation::nan, operation::sum, operation::mean,   operation::var,
    operation::std,   operation::min, operation::max, operation::argmin, operation::argmax};

constexpr const operation_info& info(operation op) {
  return operations[static_cast<std::size_t>(op)];
}

constexpr std::optional<operation> operation_from_name(std::string_view name) {
  for (const operation_info& entry : operations) {
    if (entry.name == name) return entry.op;
  }
  return std::nullopt;
}

/// Whether the answer is a sum over the count of items, and so none where there are no items.
constexpr bool is_mean(operation op) {
  return op == operation::mean || op == operation::mean_square;
}

/// Whether the answer is two numbers of one type.
constexpr bool is_pair(operation op) {
  return op == operation::minmax || op == operation::softmax_denominator;
}

/// Whether `op` is defined for items of `type`.
constexpr bool is_defined(operation op, dtype type) {
  const bool is_floating = monofold::info(type).is_floating;
  return info(op).on == domain::integers ? !is_floating
                                         : info(op).on != domain::floats || is_floating;
}

}  // namespace monofold::runtime
