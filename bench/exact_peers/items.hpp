#pragma once
/// bench/exact_peers/items: floating-point data from easy to hard, and the exact sum of it.

#include <array>
#include <cstdint>
#include <string_view>

#include "monofold/platform/dtype.hpp"

namespace bench {

/// The kinds of data of bench/exact/cases, for items in the memory of the host.
///
/// uniform in [-1, 1), normal, log-normal with sigma 10 (cut to the largest finite number), every
/// exponent alike, exponents that grow from the smallest to the largest along a period
enum class items_kind { uniform, normal, lognormal, any_exponent, growing };

struct items_kind_row {
  items_kind kind;
  std::string_view name;
  double target;  // share of the read bandwidth, from memory and with all cores
};

inline constexpr std::array<items_kind_row, 5> items_kinds{{
    {items_kind::uniform, "uniform", 0.95},
    {items_kind::normal, "normal", 0.95},
    {items_kind::lognormal, "lognormal", 0.3},
    {items_kind::any_exponent, "any_exponent", 0.3},
    {items_kind::growing, "growing", 0.3},
}};

inline constexpr std::array<monofold::dtype, 4> items_types{
    monofold::dtype::float64, monofold::dtype::float32, monofold::dtype::bfloat16,
    monofold::dtype::float16};

/// Items repeat after so many bytes, so that the exact sum of any amount is known.
inline constexpr std::int64_t items_period_bytes = std::int64_t{64} << 20;

/// Fills so many bytes with items that depend on their index alone.
void fill_items(void* out, std::int64_t bytes, monofold::dtype type, items_kind kind);

/// What a sum must be, and how large its parts are.
struct items_sum {
  double exact;       // rounded once to double
  double magnitudes;  // the sum of |x| in double: what errors of plain sums are measured with
};

/// The sum of `bytes` as `fill_items` left them: item by item, in integers.
items_sum sum_of_items(const void* items, std::int64_t bytes, monofold::dtype type);

}  // namespace bench
