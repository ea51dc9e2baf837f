#pragma once
/// runtime/family: the folds that answer operations.

#include <cstdint>

#include "monofold/platform/dtype.hpp"

namespace monofold::runtime {

/// Folds that answer operations. One member may answer several: the sum also gives the mean. Those
/// without `plain` in their names are exact, but products and logsumexp of floats; integers have no others.
enum class family {
  sum,
  plain_sum,
  product,
  moments,
  plain_moments,
  summary,  // sum, moments, extrema and nan_count; of floats the plain ones
  minimum,
  maximum,
  extrema,
  largest,
  smallest,
  logical,
  norm1,
  plain_norm1,
  norm2,
  plain_norm2,
  norm_inf,
  dot,
  plain_dot,
  logsumexp,
  bit_and,
  bit_or,
  bit_xor,
  nan_count,
  pair_nan_count,  // of products
};

/// What a member is made from.
struct member_request {
  family kind;
  dtype type;
  bool omit_nan;
  std::int64_t k;
};

}  // namespace monofold::runtime
