#pragma once
/// traced/mistakes: the only list of mistakes that can be played, and what each needs to show.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ladder/traced/items.hpp"
#include "ladder/tracing.hpp"

namespace monofold::ladder {

// The rung, the operator that it shows with, how many items, what they are like, and how often the
// rung is called.
// clang-format off
#define MONOFOLD_MISTAKES(MISTAKE)                                        \
  MISTAKE(warp_shared_halving,           sum,     32, usual,      1)      \
  MISTAKE(warp_shared_halving_unguarded, sum,     32, usual,      1)      \
  MISTAKE(warp_shared_adjacent,          letters, 32, usual,      1)      \
  MISTAKE(warp_shared_adjacent_padded,   max,     20, below_zero, 1)      \
  MISTAKE(warp_shuffle,                  sum,     20, usual,      1)      \
  MISTAKE(warp_redux,                    sum,     32, large,      1)      \
  MISTAKE(block_global_inplace,          sum,    100, usual,      1)      \
  MISTAKE(block_global_constant_bounds,  sum,    128, usual,      1)      \
  MISTAKE(block_shared,                  sum,     64, usual,      1)      \
  MISTAKE(block_shared_dynamic,          sum,     64, usual,      1)      \
  MISTAKE(block_shared_warp_sync,        sum,     64, usual,      1)      \
  MISTAKE(block_shared_shuffle,          sum,     64, usual,      1)      \
  MISTAKE(block_accumulate,              sum,    256, large,      1)      \
  MISTAKE(block_warps,                   sum,     64, usual,      1)      \
  MISTAKE(block_ordered_stream,          max,    100, below_zero, 1)      \
  MISTAKE(grid_partials_host,            sum,    256, usual,      1)      \
  MISTAKE(grid_two_launch,               sum,    128, usual,      1)      \
  MISTAKE(grid_atomic,                   sum,    320, one_large,  2)      \
  MISTAKE(grid_atomic_warp_sync,         sum,    320, one_large,  2)      \
  MISTAKE(grid_atomic_shuffle,           sum,    320, one_large,  2)      \
  MISTAKE(grid_stride_two_launch,        sum,    256, usual,      1)      \
  MISTAKE(grid_last_block,               sum,    256, usual,      2)      \
  MISTAKE(grid_ordered_two_launch,       sum,    448, usual,      1)      \
  MISTAKE(grid_ordered_last_block,       letters, 26, usual,      1)      \
  MISTAKE(grid_vector,                   sum,    129, usual,      1)      \
  MISTAKE(grid_bulk,                     sum,    512, usual,      1)      \
  MISTAKE(top2_two_phase,                top2,    64, usual,      1)      \
  MISTAKE(top2_shuffle,                  top2,    32, usual,      1)      \
  MISTAKE(top_k,                         top2,     1, usual,      1)

// The rung, and why its mistake cannot be played.
#define MONOFOLD_UNPLAYED(MISTAKE) \
  MISTAKE(engine, "it is in how one measures; the emulated device reads host memory too")
// clang-format on

struct mistake {
  rung_id which;
  trace_operation op;
  std::int64_t n;
  likeness like;
  int calls;
};

inline constexpr auto all_mistakes = std::to_array<mistake>({
#define MONOFOLD_MISTAKE_ROW(name, op, n, like, calls) \
  {rung_id::name, trace_operation::op, n, likeness::like, calls},
    MONOFOLD_MISTAKES(MONOFOLD_MISTAKE_ROW)
#undef MONOFOLD_MISTAKE_ROW
});

/// Null where the mistake of a rung cannot be shown: `why_unplayed` says why.
constexpr const mistake* mistake_of(rung_id which) {
  for (const mistake& own : all_mistakes) {
    if (own.which == which) return &own;
  }
  return nullptr;
}

constexpr std::string_view why_unplayed(rung_id which) {
  switch (which) {
#define MONOFOLD_WHY_UNPLAYED(name, why) \
  case rung_id::name: return why;
    MONOFOLD_UNPLAYED(MONOFOLD_WHY_UNPLAYED)
#undef MONOFOLD_WHY_UNPLAYED
    default: return {};
  }
}

constexpr bool each_is_played_or_not() {
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    const auto which = static_cast<rung_id>(i);
    if ((mistake_of(which) != nullptr) == !why_unplayed(which).empty()) return false;
  }
  return true;
}
static_assert(each_is_played_or_not(), "each rung is in one of the two lists");

}  // namespace monofold::ladder
