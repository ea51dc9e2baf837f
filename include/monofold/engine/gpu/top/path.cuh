#pragma once
/// engine/gpu/top/path: starts the search for the k best items of a view.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>
#include <type_traits>

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

/// Path of a search for the k best items of a view that lies in memory.
///
/// cost       one launch, one pass
template <class F, class View>
class top_path {
 public:
  using facts = top_fold_facts<F>;
  using item = typename View::item_type;
  using places = top_places<item>;
  static_assert(contiguous_item_view<View>,
                "on a GPU top and bottom take items that lie next to each other in memory: a "
                "std::span or contiguous_view");
  static_assert(std::is_same_v<item, typename F::item_type>,
                "the fold is for items of another type");

  top_path(const F& f, const View& view)
      : count_(static_cast<std::int64_t>(view.size())), items_(view.data()), k_(f.k) {}

  /// Whether there is nothing to look for, or fewer than k items: then `finish` says what the answer is.
  bool is_empty() const { return k_ <= 0 || k_ > count_; }

  /// Enough for so many items at any alignment. A tile may begin up to 15 bytes before the first item.
  std::int64_t workspace_bytes() const {
    if (is_empty() || k_ > max_top_items) return 0;
    constexpr int most_ahead = lane_bytes / static_cast<int>(sizeof(item));
    const std::int64_t one = workspace_bytes_of(plan_of(tile_count<item>(count_)));
    const std::int64_t other = workspace_bytes_of(plan_of(tile_count<item>(count_ + most_ahead)));
    return one > other ? one : other;
  }

  /// Starts the search; the view's first item has index `first_index`.
  ///
  /// shape      k from 1 to 1024; out: k values and k indices, best first, and how many there are, in
  ///            device, managed or pinned memory; index -1 behind the last. Those of several chunks
  ///            of a range, as candidates of `top_fold::state`, are joined by `combine`
  /// sync       does not wait. The workspace is in use until the stream gets there
  /// errors     invalid_argument: the view's count, k; unsupported: k above 1024. Nothing was started then
  failure start(const device_stream& on, const gpu_workspace& workspace, const places& out,
                std::int64_t first_index = 0) const {
    if (count_ < 0) return {status::invalid_argument, "the range has a negative count"};
    if (k_ < 1) return {status::invalid_argument, "k is " + std::to_string(k_)};
    if (k_ > max_top_items) {
      return {status::unsupported, "k is " + std::to_string(k_) + "; a GPU picks up to " +
                                       std::to_string(max_top_items) + " items"};
    }
    // In tiles that begin at 16-byte boundaries.
    top_range<item> range{aligned_range_of(items_, count_), 0};
    auto plan = plan_of(tile_count<item>(range.end));
    if (plan.has_rounds()) {
      // Blocks that start late would begin when the others end.
      int multiprocessors = 0;
      if (auto failed = failure_of(
              cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, on.device),
              "cudaDeviceGetAttribute")) {
        return failed;
      }
      const int resident = min_resident_blocks * multiprocessors;
      if (resident < plan.blocks) plan = plan_of(plan.tiles, resident);
    }
    range.index_shift = plan.index_shift;
    static_assert(sizeof(shared_bounds) == gpu_workspace::top_scratch_bytes);
    top_scratch scratch{};
    if (plan.blocks > 1) {
      scratch = {nullptr, workspace.ticket(), static_cast<top_entry*>(workspace.states()),
                 workspace.mail()};
      if (plan.has_rounds() || !plan.is_mailed) {
        scratch.shared = static_cast<shared_bounds*>(workspace.top_scratch());
      }
    }
    return launch_early(find_top_kernel<item, facts::smallest, facts::rule>, plan.blocks,
                        top_threads, static_cast<int>(sizeof(candidate_pool)), on, range, plan,
                        static_cast<int>(k_), first_index, scratch, out);
  }

  // A host waits for the count, the indices and the values.

  std::int64_t awaited_bytes() const {
    return word + awaited_k() * (word + static_cast<std::int64_t>(sizeof(item)));
  }
  places sink_in(awaited_state& place) const {
    const auto sink = place.template sink<std::int64_t>();
    std::int64_t* const count = count_in(place);
    return {values_in(place), count + 1, count, sink.line, sink.raised};
  }
  void get(const awaited_state& place, typename F::state& out) const {
    const std::int64_t* const count = count_in(place);
    const item* const values = values_in(place);
    for (std::int64_t i = 0; i < *count; ++i) {
      out.candidates.push_back({F::key_of(values[i]), count[1 + i]});
    }
  }

 private:
  top_launch plan_of(std::int64_t tiles, int most_blocks = max_top_blocks) const {
    return top_launch_for(tiles, tile_items_v<item>, k_, most_blocks);
  }
  std::int64_t workspace_bytes_of(const top_launch& plan) const {
    if (plan.blocks == 1) return 0;
    if (plan.is_mailed) return gpu_workspace::fixed_bytes;
    return gpu_workspace::fixed_bytes + std::int64_t{plan.blocks} *
                                            top_survivors(static_cast<int>(k_)) *
                                            static_cast<std::int64_t>(sizeof(top_entry));
  }

  static constexpr std::int64_t word = sizeof(std::int64_t);

  std::int64_t awaited_k() const { return k_ < 0 || k_ > max_top_items ? 0 : k_; }
  static std::int64_t* count_in(const awaited_state& place) {
    return static_cast<std::int64_t*>(place.state_place());
  }
  item* values_in(const awaited_state& place) const {
    return reinterpret_cast<item*>(count_in(place) + 1 + awaited_k());
  }

  std::int64_t count_;
  const item* items_;
  std::int64_t k_;
};

/// Checks what the caller gave, and starts the search.
template <class F, class View>
failure top_into_async(const gpu_engine& engine, const F& f, const View& view,
                       const gpu_workspace& workspace,
                       const top_out<typename View::item_type>& out) {
  using item = typename View::item_type;
  device_stream on{};
  if (auto failed = open_stream(engine, on)) return failed;
  if (auto failed = check_view(view, on.device)) return failed;
  if (f.k == 0) return {};
  if (f.k > static_cast<std::int64_t>(view.size())) {
    return {status::empty_input, "k is " + std::to_string(f.k) + " and the range has " +
                                     std::to_string(view.size()) + " items"};
  }
  if (auto failed = check_pointer(out.values, "the values' place", alignof(item), on.device)) {
    return failed;
  }
  if (auto failed =
          check_pointer(out.indices, "the indices' place", alignof(std::int64_t), on.device)) {
    return failed;
  }
  if (auto failed = check_workspace(workspace, on.device)) return failed;
  const top_path<F, View> path(f, view);
  return start_path(path, on, workspace,
                    top_places<item>{out.values, out.indices, nullptr, nullptr, 0});
}

}  // namespace detail

}  // namespace monofold
