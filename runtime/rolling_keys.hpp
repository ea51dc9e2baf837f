#pragma once
/// runtime/rolling_keys: items as 64-bit integers, for loops that are compiled once for all types.

#include <cstdint>

#include "monofold/platform/dtype.hpp"

namespace monofold::runtime {

/// Keys in the order of the items or, for the largest, the other way round; NaN first or, where they are left out,
/// last, as one key each. Integers that are not for the largest are their own keys, less 2^63 of uint64.
struct key_rule {
  dtype type;
  bool largest;
  bool omit_nan;

  void load(const void* items, std::int64_t count, std::int64_t* keys) const;
  void store(const std::int64_t* keys, std::int64_t count, void* items) const;
  /// The key of NaN, where the type has it.
  std::int64_t nan_key() const { return omit_nan ? INT64_MAX : INT64_MIN; }
  bool has_nan() const { return monofold::info(type).is_floating; }
};

/// What items add to sums, as doubles, exactly: squares of floats of up to 32 bits, values of integers of up to 32.
enum class rolled_kind { value, magnitude, square };
void load_terms(dtype type, rolled_kind kind, const void* items, std::int64_t count, double* terms);

}  // namespace monofold::runtime
