#pragma once
/// runtime/lanes: tiles of many rows folded side by side, a row to a lane of a vector.

#include <cstdint>

#include "monofold/platform/dtype.hpp"
#include "runtime/reducer.hpp"

namespace monofold::runtime {

/// What is folded, and the numbers that a row's state is.
///
/// plain_sum   the sum by the plan's tree, in the type of the items; nothing
/// exact_sum   doubles high and low, whose sum is that of the items; high is NaN where two doubles do not hold it,
///             or an item is not finite: then the row's answer must be found another way
/// moments     the same of items, and doubles high and low of their squares, whose sum is off by at most `lost`
///             (but for its own rounding; NaN where one is not finite)
/// best        the key of the best item (`lane_order`); nothing
/// first_best  the key, and the index of the first such item, an integer of the item's size
enum class lane_fold { plain_sum, exact_sum, moments, best, first_best };

/// Bits of items as signed integers of their size, of which the largest is the best:
/// key = ((bits ^ (bits < 0 ? magnitude : 0)) + turn) ^ flip; keys above `last` are NaN, whose item is `quiet`.
struct lane_order {
  std::uint64_t magnitude = 0;
  std::uint64_t turn = 0;
  std::uint64_t flip = 0;
  std::int64_t last = 0;
  std::uint64_t quiet = 0;
};

/// Rows that begin `pitch` items apart; their items lie side by side. `ahead`: from a row to the one that memory is
/// asked for meanwhile, in items; 0: none. `ahead_in_row`: the same from an item of a long row, in bytes.
struct lane_rows {
  const void* first;
  std::int64_t pitch;
  std::int64_t count;
  std::int64_t length;
  std::int64_t ahead;
  std::int64_t ahead_in_row = 0;
};

/// Columns side by side; offsets[i] is where their item `i` begins, in bytes from `first`. `is_dense`: whatever
/// lies between the columns' first item in memory and their last one are items of the array too. `wide`: where items
/// of `type` become what the loops take, with room for 8 (width + lane_padding) of that; null: they are that. `ahead`:
/// from an item to what memory is asked for meanwhile, in bytes; 0: nothing.
struct lane_columns {
  const char* first;
  const std::int64_t* offsets;
  std::int64_t length;
  std::int64_t width;
  bool is_dense;
  dtype type;
  void* wide;
  std::int64_t ahead;
};

/// Arrays of states. There is room for `lane_padding` more than there are rows.
struct lane_states {
  void* first;
  void* second;
  double* scratch;                 // scratch_words a row
  double* squares_high = nullptr;  // of moments
  double* squares_low = nullptr;
  double* squares_lost = nullptr;
};
inline constexpr std::int64_t lane_padding = 64;
inline constexpr std::int64_t scratch_words = 9;

/// The loops for one instruction set.
///
/// shape      rows and columns of 1 to a tile of items
/// order      plain sums: the plan's tree over the slots of a tile; the others are exact
/// sync       all but plain sums: within a strict_arithmetic
/// tested by  tests/runtime/axis_reducer_test.cpp
struct lane_loops {
  void (*fold_rows)(const lane_rows& rows, const lane_order& order, const lane_states& out);
  void (*fold_columns)(const lane_columns& columns, const lane_order& order,
                       const lane_states& out);
  /// Items of another type as those of `wide_type`.
  void (*widen)(dtype type, const void* items, std::int64_t count, void* to);
};

/// Nulls where there are none: for other types than those of 4 and 8 bytes, but for best items of columns and of rows of
/// least_narrow_items, and for the baseline.
inline constexpr std::int64_t least_narrow_items = 64;
lane_loops find_lane_loops(lane_fold what, dtype type);

/// What is made of the moments of rows.
///
/// ddof       below length
struct spread_request {
  std::int64_t length;
  std::int64_t ddof;
  bool is_root;
  bool to_odd;
};
inline constexpr std::int64_t most_spread_items = std::int64_t{1} << 25;

/// What makes answers of `count` states, for one instruction set; nulls for the baseline. True: all are known. NaN
/// stands for those that must be found another way.
///
/// shape      |low| is at most half a unit of high, rounded to even. States have room for `lane_padding` more, answers
///            need none
/// sync       but for to_items: within a strict_arithmetic
struct lane_answers {
  /// The best items of their keys, which may be in the same place.
  /// `past_caches`: they are written without what lies there being read first.
  void (*to_items)(const lane_order& order, std::int64_t count, const void* keys, void* items,
                   bool past_caches);
  /// high + low over a divisor below 2^52, rounded once.
  bool (*divide)(const double* high, const double* low, std::int64_t count, std::int64_t divisor,
                 bool to_odd, double* out, bool past_caches);
  /// The same as float32.
  bool (*divide_to_floats)(const double* high, const double* low, std::int64_t count,
                           std::int64_t divisor, float* out);
  /// high + low, of integers; where that is not known, high is NaN.
  bool (*add)(const double* high, const double* low, std::int64_t count, std::int64_t* out);
  /// The variance or its root, rounded once, of 1 to most_spread_items items.
  bool (*spread)(const lane_states& of, std::int64_t count, const spread_request& what,
                 double* out);
  /// Adds states to `all`, which are doubles high, low, and the magnitude of what those do not hold.
  void (*join)(const double* high, const double* low, std::int64_t count, const lane_states& all);
};
lane_answers find_lane_answers(dtype type);

/// Copies floats as those of the same type or a wider one, each NaN as the quiet one. `past_caches`: as above.
using lane_copy = void (*)(const void* items, std::int64_t count, void* to, bool past_caches);
/// Null where there is none: for other types, and for the baseline.
lane_copy find_lane_copy(dtype from, dtype to);

}  // namespace monofold::runtime
