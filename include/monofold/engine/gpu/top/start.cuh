#pragma once
/// engine/gpu/top/start: the k best items on a CUDA device.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "monofold/engine/gpu/awaited.cuh"
#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/launch.cuh"
#include "monofold/engine/gpu/top/find_top_kernel.cuh"
#include "monofold/engine/gpu/workspace.cuh"
#include "monofold/fold/top.hpp"
#include "monofold/plan/tiles.hpp"
#include "monofold/plan/top_launch.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/shape/view.hpp"

namespace monofold {

/// Where the k best items and their indices go: k of each, in device, managed or pinned memory.
template <class Item>
struct top_out {
  Item* values;
  std::int64_t* indices;
};

namespace detail {

template <class F>
struct top_fold_facts {
  static constexpr bool is_top = false;
};
template <class Item, bool is_smallest, nan_rule which>
struct top_fold_facts<top_fold<Item, is_smallest, which>> {
  static constexpr bool is_top = true;
  static constexpr bool smallest = is_smallest;
  static constexpr nan_rule rule = which;
};
template <class F>
inline constexpr bool is_top_fold_v = top_fold_facts<F>::is_top;

/// The bytes of workspace for the k best of `count` items, wherever they begin.
template <class Item>
std::int64_t top_workspace_bytes(std::int64_t count, std::int64_t k) {
  if (count < k || k <= 0 || k > max_top_items) return 0;
  // Up to 15 bytes before the first item belong to its tile.
  const auto tiles = tile_count<Item>(count + lane_bytes / static_cast<int>(sizeof(Item)));
  const std::int64_t blocks = top_launch_for(tiles, tile_items_v<Item>).blocks;
  if (blocks == 1) return 0;
  return gpu_workspace::fixed_bytes +
         blocks * top_survivors(static_cast<int>(k)) * static_cast<std::int64_t>(sizeof(top_entry));
}

/// The range of a view, in tiles that begin at 16-byte boundaries.
template <class View>
top_range<typename View::item_type> top_range_of(const View& view) {
  return {aligned_range_of(view.data(), static_cast<std::int64_t>(view.size())), 0};
}

/// Starts the search for the k best items of a view, whose first has index `first_index`.
///
/// shape      f.k from 1 to 1024; out: k values and k indices, best first, and how many there are, in
///            device, managed or pinned memory; index -1 behind the last. Those of several chunks
///            of a range, as candidates of `top_fold::state`, are joined by `combine`
/// sync       does not wait. The workspace is in use until the stream gets there
/// errors     invalid_argument: the view's count, k, a workspace that is too small; unsupported: k above
///            1024. Nothing was started then
/// cost       one launch; no allocation
template <class F, class View>
failure top_async(const gpu_engine& engine, const F& f, const View& view, std::int64_t first_index,
                  const gpu_workspace& workspace, const top_places<typename View::item_type>& out) {
  using facts = top_fold_facts<F>;
  using item = typename View::item_type;
  static_assert(contiguous_item_view<View>,
                "on a GPU top and bottom take items that lie next to each other in memory: a "
                "std::span or contiguous_view");
  static_assert(std::is_same_v<item, typename F::item_type>,
                "the fold is for items of another type");
  const auto count = static_cast<std::int64_t>(view.size());
  if (count < 0) return {status::invalid_argument, "the range has a negative count"};
  if (f.k < 1) return {status::invalid_argument, "k is " + std::to_string(f.k)};
  if (f.k > max_top_items) {
    return {status::unsupported, "k is " + std::to_string(f.k) + "; a GPU picks up to " +
                                     std::to_string(max_top_items) + " items"};
  }
  if (auto failed = check_size(workspace, top_workspace_bytes<item>(count, f.k))) return failed;
  auto range = top_range_of(view);
  const auto plan = top_launch_for(tile_count<item>(range.end), tile_items_v<item>);
  range.index_shift = plan.index_shift;
  static_assert(sizeof(top_news) == gpu_workspace::top_scratch_bytes);
  top_meeting meeting{};
  if (plan.blocks > 1) {
    meeting = {static_cast<top_news*>(workspace.top_scratch()), workspace.ticket(),
               static_cast<top_entry*>(workspace.states())};
  }
  return launch_early(find_top_kernel<item, facts::smallest, facts::rule>, plan.blocks, top_threads,
                      static_cast<int>(sizeof(candidate_pool)), engine.stream, range, plan,
                      static_cast<int>(f.k), first_index, meeting, out);
}

/// The same after all checks of what the caller gave.
template <class F, class View>
failure top_into_async(const gpu_engine& engine, const F& f, const View& view,
                       const gpu_workspace& workspace,
                       const top_out<typename View::item_type>& out) {
  using item = typename View::item_type;
  int device = 0;
  if (auto failed = failure_of(cudaGetDevice(&device), "cudaGetDevice")) return failed;
  if (auto failed = check_view(view, device)) return failed;
  if (f.k == 0) return {};
  if (f.k > static_cast<std::int64_t>(view.size())) {
    return {status::empty_input, "k is " + std::to_string(f.k) + " and the range has " +
                                     std::to_string(view.size()) + " items"};
  }
  if (auto failed = check_pointer(out.values, "the values' place", alignof(item), device)) {
    return failed;
  }
  if (auto failed =
          check_pointer(out.indices, "the indices' place", alignof(std::int64_t), device)) {
    return failed;
  }
  if (auto failed = check_workspace(workspace, device)) return failed;
  return top_async(engine, f, view, 0, workspace,
                   top_places<item>{out.values, out.indices, nullptr, nullptr, 0});
}

/// Finds the k best and waits; they are then the candidates of `out`.
template <class F, class View>
failure top_and_wait(const gpu_engine& engine, const F& f, const View& view,
                     typename F::state& out) {
  using item = typename View::item_type;
  const std::int64_t k = f.k < 0 || f.k > max_top_items ? 0 : f.k;
  constexpr std::int64_t word = sizeof(std::int64_t);
  awaited_state* place = nullptr;
  if (auto failed =
          open_place(engine, view, word + k * (word + static_cast<std::int64_t>(sizeof(item))),
                     top_workspace_bytes<item>(view.size(), f.k), place)) {
    return failed;
  }
  // What needs no look at the items: `finish` says what it means.
  if (f.k <= 0 || f.k > static_cast<std::int64_t>(view.size())) return {};
  // The count, the indices, the values.
  auto* const count = static_cast<std::int64_t*>(place->state_place());
  std::int64_t* const indices = count + 1;
  auto* const values = reinterpret_cast<item*>(indices + k);
  const auto sink = place->template sink<std::int64_t>();
  if (auto failed = top_async(engine, f, view, 0, place->workspace(),
                              top_places<item>{values, indices, count, sink.line, sink.raised})) {
    return failed;
  }
  if (auto failed = place->wait(engine.stream)) return failed;
  for (std::int64_t i = 0; i < *count; ++i) {
    out.candidates.push_back({F::key_of(values[i]), indices[i]});
  }
  return {};
}

}  // namespace detail

}  // namespace monofold
