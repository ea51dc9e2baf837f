#pragma once
/// gpus: one call that reduces on several GPUs of this machine at once.

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include "monofold/engine/gpus/devices.cuh"
#include "monofold/engine/gpus/host_items.cuh"
#include "monofold/engine/gpus/shard.cuh"
#include "monofold/plan/split.hpp"
#include "monofold/reduce.cuh"

namespace monofold {

/// Ranges that each lie on a device.
template <class Shards, class F>
concept gpu_folded_shards = std::ranges::range<const Shards> && !folded_range<Shards, F> &&
                            gpu_folded_range<std::ranges::range_value_t<Shards>, F>;

/// A range of host memory that can be brought to devices: its items lie side by side.
template <class Range, class F>
concept gpu_folded_host_range =
    gpu_folded_range<Range, F> && contiguous_item_view<folded_view_t<Range, F>> &&
    std::is_trivially_copyable_v<folded_item_t<Range, F>>;

namespace detail {

template <class F>
auto answer_of(const F& f, const std::optional<typename F::state>& total) -> result<answer_t<F>> {
  return total ? finish_state(f, *total) : finish_empty(f);
}

template <class Shards, class F>
auto reduce_shards(const gpus_engine& engine, const Shards& shards, const F& f, failure& failed) {
  using range = std::ranges::range_value_t<Shards>;
  using item = folded_item_t<range, F>;
  using view = folded_view_t<range, F>;
  using bound = bound_fold_t<F, item>;
  check_calls<bound, view>();
  const bound fold = bind_fold<item>(f);
  std::vector<view> views;
  for (const auto& shard : shards) views.push_back(view_for<F>(shard));
  std::optional<typename bound::state> total;
  failed = fold_shards(engine.devices, fold, views, total);
  return failed ? result<answer_t<bound>>(failed.code) : answer_of(fold, total);
}

template <class Range, class F>
auto reduce_host_items(const gpus_engine& engine, const Range& range, const F& f, failure& failed) {
  using item = folded_item_t<Range, F>;
  using bound = bound_fold_t<F, item>;
  check_calls<bound, contiguous_view<item>>();
  const bound fold = bind_fold<item>(f);
  const auto view = view_for<F>(range);
  std::optional<typename bound::state> total;
  if (engine.devices.empty()) {
    failed = {status::device_unavailable, "no device"};
  } else if (view.size() < 0 || (view.size() > 0 && view.data() == nullptr)) {
    failed = {status::invalid_argument,
              view.size() < 0 ? "the range has a negative count" : "the range is a null pointer"};
  } else if (view.size() > 0) {
    const current_device kept;
    failed = fold_host_items(engine.devices, fold, contiguous_view<item>(view.data(), view.size()),
                             total.emplace());
  }
  return failed ? result<answer_t<bound>>(failed.code) : answer_of(fold, total);
}

}  // namespace detail

/// Reduces shards, one on each device, as if they stood one behind the other.
///
/// shape      a range of ranges, as many as the engine has devices: shard i can be read by devices[i], and may be
///            empty. `tile_split` cuts an array so that no item leaves its device
/// order      that of one call on all items, with its bits, whatever the devices and wherever shards are cut. Indices
///            count through all shards
/// sync       all devices work at once, in their default streams; waits for all of them. The calling thread's current
///            device stays
/// errors     as `reduce` on one GPU, with the shard's number before what is wrong; invalid_argument: another number
///            of shards than devices; device_unavailable: no such device. If several shards fail, the first
///            one's. Nothing of the call runs any more then
/// cost       on each device one pass; a launch for exact folds, else one for each power of two in the number of
///            whole tiles, and for each end that is no whole tile. States of up to 8 KiB come by mapped memory
/// tested by  tests/gpu/gpus_test.cu
template <class Shards, class F>
requires gpu_folded_shards<Shards, F>
auto try_reduce(const gpus_engine& engine, const Shards& shards, const F& f) {
  detail::failure failed;
  return detail::reduce_shards(engine, shards, f, failed);
}

/// The same, returning the bare value.
///
/// errors     throws `error` with the status, and what is wrong
template <class Shards, class F>
requires gpu_folded_shards<Shards, F>
auto reduce(const gpus_engine& engine, const Shards& shards, const F& f) {
  detail::failure failed;
  const auto answer = detail::reduce_shards(engine, shards, f, failed);
  detail::throw_if(failed);
  return answer.value();
}

/// Reduces a range of host memory on all devices: pieces of 8 MiB go to the next one that is free.
///
/// shape      a contiguous range of host, pinned or managed memory; pinned memory goes without a copy
/// order      as above: pieces are nodes of the plan's tree
/// sync       starts threads, up to four a device and one a core; waits
/// errors     as above; invalid_argument: memory of a device, which belongs to shards
/// cost       one pass over the buses. A call's first piece on a device makes buffers, which stay
template <class Range, class F>
requires gpu_folded_host_range<Range, F>
auto try_reduce(const gpus_engine& engine, const Range& range, const F& f) {
  detail::failure failed;
  return detail::reduce_host_items(engine, range, f, failed);
}

/// The same, returning the bare value.
template <class Range, class F>
requires gpu_folded_host_range<Range, F>
auto reduce(const gpus_engine& engine, const Range& range, const F& f) {
  detail::failure failed;
  const auto answer = detail::reduce_host_items(engine, range, f, failed);
  detail::throw_if(failed);
  return answer.value();
}

}  // namespace monofold
