#pragma once
/// bench/harness/operations: what is timed, and what the values of an outcome stand for.

#include <array>
#include <string_view>

#include "bench/harness/dataset.hpp"

namespace bench {

enum class operation {
  sum,        // in double; exact for integers
  plain_sum,  // float32 in float32
  min,
  max,
  argmax,        // index of the first largest item
  var,           // divisor n
  stats,         // count, sum, min, max, mean, var, argmin, argmax
  top10,         // the ten largest values, largest first
  hash,          // polynomial hash modulo 2^64: upper and lower 32 bits
  product,       // of 2 x 2 matrices in order: a, b, c, d
  first_last,    // the first and the last item
  longest_run,   // the largest number of equal neighbours
  hash_by_runs,  // the hash by a fold with a loop of its own for many items
  run_by_runs,   // the same by a fold with a loop of its own for many items
};

struct operation_row {
  operation op;
  std::string_view name;
  double target;  // share of the read bandwidth, from the issue; 0: none of that kind
};

inline constexpr std::array<operation_row, 14> operations{{
    {operation::sum, "sum", 0.9},
    {operation::plain_sum, "plain_sum", 0.9},
    {operation::min, "min", 0.9},
    {operation::max, "max", 0.9},
    {operation::argmax, "argmax", 0.9},
    {operation::var, "var", 0.9},
    {operation::stats, "stats", 0.9},
    {operation::top10, "top10", 0.8},
    {operation::hash, "hash", 0},
    {operation::product, "product", 0.8},
    {operation::first_last, "first_last", 0.8},
    {operation::longest_run, "longest_run", 0.8},
    {operation::hash_by_runs, "hash_by_runs", 0},
    {operation::run_by_runs, "run_by_runs", 0.8},
}};

constexpr const operation_row& row_of(operation op) {
  return operations[static_cast<std::size_t>(op)];
}

constexpr bool is_ordered(operation op) { return op >= operation::hash; }

/// Which operation is timed on which items.
constexpr bool is_timed(operation op, item_type type) {
  switch (op) {
    case operation::plain_sum:
    case operation::top10: return type == item_type::float32;
    case operation::hash:
    case operation::hash_by_runs: return type == item_type::bytes;
    case operation::product: return type == item_type::matrix;
    case operation::first_last:
    case operation::longest_run:
    case operation::run_by_runs: return type == item_type::int32;
    default: return type <= item_type::int8;
  }
}

}  // namespace bench
