#pragma once
/// runtime/lane_request: which requests for rows lanes take, and how their items come to them.

#include <cstdint>

#include "monofold/platform/dtype.hpp"
#include "monofold/shape/axes.hpp"
#include "runtime/lanes.hpp"
#include "runtime/operation.hpp"
#include "runtime/row_reducer.hpp"

namespace monofold::runtime {

/// A quarter of a third-level cache: more bytes of answers are written past it.
inline constexpr std::int64_t most_cached_bytes = std::int64_t{8} << 20;

/// The next block of columns is asked for meanwhile if blocks have up to so many bytes, part of a second-level cache.
inline constexpr std::int64_t most_ahead_bytes = 512 * 1024;

/// What lanes are asked for: items of type `item`, which lanes take as those of `type`.
struct lane_request {
  operation op;
  dtype item;
  dtype type;
  lane_fold fold;
  lane_order order;
  std::int64_t ddof;
  bool to_odd;
  dtype sum_type;         // that of an exact sum's answer
  bool has_many_answers;  // of columns: no cache holds all
};

/// How items are ordered for the largest of them, or the smallest.
lane_order order_of_items(dtype type, bool smallest);

/// Rows of one item side by side: columns, too.
inline bool are_single_items(const array_rows& rows) {
  return rows.row_items == 1 && rows.inner().stride == 1;
}

/// Those that take rows whose exponents lie far apart by a bound of the error, many at once (runtime/far_sums).
inline bool are_sums_of_doubles(const lane_request& what) {
  return what.fold == lane_fold::exact_sum && what.item == dtype::float64 && !what.to_odd &&
         (what.op == operation::sum || what.op == operation::mean);
}

/// Whether the order of a row's items changes no bit of its answer.
inline bool is_in_any_order(lane_fold fold) {
  return fold != lane_fold::plain_sum && fold != lane_fold::first_best;
}

/// The request as one for lanes of such rows; false: they do not have it.
bool as_lane_request(const row_reducer& reducer, const array_rows& rows, lane_request& out);

/// Whether so many threads share columns of so many bytes: to wake some takes as long as to add up 512 KiB, and few
/// threads save less time than many.
inline bool are_shared(const lane_request& what, std::int64_t num_bytes, std::int64_t threads) {
  const std::int64_t least = 512 * 1024 + 2048 * 1024 / threads;
  return (what.fold == lane_fold::moments ? 2 : 1) * num_bytes >= least;
}

/// So many columns of so many items at a time: long stretches of each row of memory, but states that stay in the first- or
/// second-level cache.
std::int64_t most_columns(const lane_request& what, std::int64_t row_items);

}  // namespace monofold::runtime
