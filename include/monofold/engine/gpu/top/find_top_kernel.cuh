#pragma once
/// engine/gpu/top/find_top_kernel: the kernel that finds the k best items of a range.

#include <cstdint>

#include "monofold/engine/gpu/top/block_candidates.cuh"
#include "monofold/engine/gpu/top/join_blocks.cuh"
#include "monofold/engine/gpu/top/search_tiles.cuh"
#include "monofold/engine/gpu/top/warp_candidates.cuh"
#include "monofold/engine/gpu/top/warp_top_work.cuh"
#include "monofold/engine/gpu/workspace.cuh"
#include "monofold/fold/nan.hpp"
#include "monofold/fold/top_rank.hpp"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/launch.hpp"
#include "monofold/plan/tiles.hpp"
#include "monofold/plan/top_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Where the answer goes. `count` may be null; so may `line`, which a host that waits reads, see `awaited_sink`.
template <class Item>
struct top_places {
  Item* values;
  std::int64_t* indices;
  std::int64_t* count;
  void* line;
  std::uint32_t raised;
};

/// Finds the k best items of a range. The last block writes them and their indices, best first.
///
/// shape      plan: of range; first_index: that of the range's first item; 0 < k <= max_top_items. Where
///            there are fewer items (NaN are none under `omit`), index -1 stands in the other places
/// order      any: the answer does not depend on it
template <class Item, bool smallest, nan_rule rule>
__global__ void __launch_bounds__(top_threads, min_resident_blocks)
    find_top_kernel(const top_range<Item> range, const top_launch plan, const int k,
                    const std::int64_t first_index, const top_scratch scratch,
                    const top_places<Item> out) {
  let_next_launch_begin();
  wait_for_launches_before();
  using ranks = top_rank<Item, smallest>;
  auto& pool = *reinterpret_cast<candidate_pool*>(dynamic_shared());
  const std::uint32_t call = plan.is_mailed ? scratch.mail.read_call() : 0;
  bool is_begun = false;
  if (k <= max_few_top_items) {
    is_begun = search_first_tiles<Item, smallest, rule>(range, plan, k, pool);
    if (is_begun && plan.has_rounds()) report_first(scratch.shared, k, pool);
  } else {
    pool.start(may_have_ties<Item, smallest>(range));
    sync_block();  // what was written above is read and added to below
  }
  if (!is_begun || plan.has_rounds()) {
    search_tiles<Item, smallest, rule>(range, plan, is_begun, k, scratch.shared, pool);
  }
  top_blocks::end_search(pool, scratch.shared, k, plan.is_mailed || plan.blocks == 1);
  if (plan.is_mailed) {
    const top_mail<Item> mail{scratch.mail, call, plan.blocks * k};
    if (!mail.join(pool, scratch.shared, plan.blocks, k, out.line != nullptr)) return;
  } else if (plan.blocks > 1) {
    if (!top_blocks::join_by_ticket(pool, scratch.shared, scratch.ticket, scratch.list, plan.blocks,
                                    k)) {
      return;
    }
  }
  const int found = static_cast<int>(pool.count);
  for_best(pool, k, [&](int place, const top_entry& entry) {
    out.values[place] = ranks::item_of(rank_of_score<typename ranks::type>(entry.score));
    out.indices[place] = place < found ? entry.position - range.first + first_index : -1;
  });
  const int count = found < k ? found : k;
  if (out.count != nullptr && rank_in_block() == 0) *out.count = count;
  if (out.line == nullptr) return;
  sync_block();  // values and indices written above are behind the fence of thread 0
  if (rank_in_block() == 0) {
#if defined(__CUDA_ARCH__)
    __threadfence_system();  // a reader of the flag, on the host too, sees what was written above
#endif
    *static_cast<volatile std::uint32_t*>(out.line) = out.raised;
  }
}

}  // namespace monofold::detail
