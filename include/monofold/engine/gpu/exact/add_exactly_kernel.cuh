#pragma once
/// engine/gpu/exact/add_exactly_kernel: the kernel that adds a range exactly, whatever the order of its blocks.

#include <cstdint>

#include "monofold/engine/gpu/exact/block_sum.cuh"
#include "monofold/engine/gpu/exact/companion.cuh"
#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/exact_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Whether a range's items are computed by what a user wrote.
template <class Term>
inline constexpr bool is_computed_v = false;

/// How the host's compiler lays out what it hands to the kernel, see `handed_layout`.
struct exact_layout {
  int fold_bytes;
  int range_bytes;
  int sink_bytes;
  friend constexpr bool operator==(const exact_layout&, const exact_layout&) = default;
};
template <class F, class Range, class Sink>
MONOFOLD_HD_CALL constexpr exact_layout exact_layout_of() {
  return {static_cast<int>(sizeof(F)), static_cast<int>(sizeof(Range)),
          static_cast<int>(sizeof(Sink))};
}

/// Adds the terms of a range and hands the state to `sink`, and what its companion folds.
///
/// shape      any number of blocks of `exact_threads` threads, which stay until the end
/// order      exact: the state's bytes do not depend on it
/// errors     traps where the host's compiler lays out a view of a user otherwise: results would be wrong
template <class Term, class Companion, class F, class Sink>
__global__ void __launch_bounds__(exact_threads, exact_resident_blocks)
    add_exactly_kernel(const exact_layout layout, const F f,
                       const typename term_format<Term>::range range, const exact_scratch scratch,
                       const Sink sink) {
  if constexpr (is_computed_v<Term>) {
    using range_type = typename term_format<Term>::range;
    if (layout != exact_layout_of<F, range_type, Sink>()) trap();
  }
  let_next_launch_begin();
  auto* const bytes = reinterpret_cast<char*>(dynamic_shared());
  block_sum<Term, Companion> block(bytes, warp_exact<Term>::tiles_in(range), scratch);
  auto own = block.warp_sum();
  wait_for_launches_before();
  block.read_call();
  Companion companion(bytes + exact_shared<Term>::companion_at);
  own.add(range, block.first_tile(), block.tile_step(), companion);
  block.combine_warps(own);
  if (!block.combine_blocks(companion)) return;
  if constexpr (Companion::is_any) companion.collect(range, scratch.states);
  block.finish(f, range.end - range.first, companion.sink_for(sink));
}

}  // namespace monofold::detail
