#pragma once
/// engine/gpu/pieces: what a running state needs from a device: the states of whole tiles, and single items.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "monofold/engine/gpu/dispatch.cuh"
#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/workspace.cuh"
#include "monofold/engine/tree_joiner.hpp"
#include "monofold/fold/all.hpp"
#include "monofold/fold/counted.hpp"
#include "monofold/fold/extrema.hpp"
#include "monofold/fold/shift_indices.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/level/thread.cuh"
#include "monofold/level/thread_calls.cuh"
#include "monofold/plan/tiles.hpp"
#include "monofold/plan/tree.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/shape/part.hpp"

namespace monofold {

namespace detail {

/// Whether states of a fold have indices that can be shifted afterwards. Kernels count items from 0. The library's
/// folds for which there are special kernels are given to these as they are, and the indices in their states are
/// shifted. Other folds may use an index for anything: they are wrapped, so that they get the right ones.
template <class F>
inline constexpr bool holds_places_v = is_top_fold_v<F>;
template <class Item, bool smallest, nan_rule rule>
inline constexpr bool holds_places_v<extremum_fold<Item, smallest, rule>> = true;
template <class Item, bool smallest, extremum_part part>
inline constexpr bool holds_places_v<extremum_answer_fold<Item, smallest, part>> = true;
template <class Item, nan_rule rule>
inline constexpr bool holds_places_v<extrema_fold<Item, rule>> = true;

template <class F, class View>
inline constexpr bool needs_no_index_v = sums_exactly_v<F, View>;
template <class Item, class View>
inline constexpr bool needs_no_index_v<integer_sum_fold<Item>, View> = true;

/// The fold that a kernel uses for items of which the first has index `first`.
template <class View, class F>
auto counted_from(const F& f, std::int64_t first) {
  if constexpr (holds_places_v<F> || needs_no_index_v<F, View>) {
    return f;
  } else {
    return counted_fold<F, typename View::item_type>{f, first};
  }
}
template <class View, class First, class... Rest>
auto counted_list(const fold_list<First, Rest...>& folds, std::int64_t first);
template <class View, class... Folds>
auto counted_from(const all_fold<Folds...>& f, std::int64_t first) {
  return [&]<class... Counted>(const fold_list<Counted...>& members) {
    return all_fold<Counted...>{members};
  }(counted_list<View>(f.members, first));
}
template <class View, class First, class... Rest>
auto counted_list(const fold_list<First, Rest...>& folds, std::int64_t first) {
  const auto own = counted_from<View>(folds.first, first);
  if constexpr (sizeof...(Rest) == 0) {
    return fold_list<std::remove_const_t<decltype(own)>>{own};
  } else {
    return [&]<class... Counted>(const fold_list<Counted...>& rest) {
      return fold_list<std::remove_const_t<decltype(own)>, Counted...>{own, rest};
    }(counted_list<View>(folds.rest, first));
  }
}

/// Shifts the indices in a state where `counted_from` did not change the fold.
template <class F>
void count_on(const F&, typename F::state& own, std::int64_t first) {
  if constexpr (holds_places_v<F>) shift_indices(own, first);
}
template <class... Folds>
void count_on(const all_fold<Folds...>& f, typename all_fold<Folds...>::state& own,
              std::int64_t first) {
  const auto each = [&](const auto& self, const auto& folds, auto& states) -> void {
    count_on(folds.first, states.first, first);
    if constexpr (requires { folds.rest; }) self(self, folds.rest, states.rest);
  };
  each(each, f.members, own);
}

/// Copies the items of a view to memory where a host waits for them.
///
/// shape      one block; an item or more
/// errors     traps where the host's compiler lays out a view otherwise
template <class View, class Item>
__global__ void copy_items_kernel(const View view, const std::int64_t count, const int view_bytes,
                                  const awaited_sink<Item> sink) {
  if (view_bytes != static_cast<int>(sizeof(View))) trap();
  wait_for_launches_before();
  auto* const out =
      reinterpret_cast<Item*>(static_cast<char*>(sink.line) + awaited_sink<Item>::flag_bytes);
  for (std::int64_t i = 1 + thread_rank(); i < count; i += threads_in_block()) out[i] = view[i];
  sync_block();  // items written above are there before the flag
  if (thread_rank() == 0) sink(view, view[0]);
}

/// Copies the items of a view, which must be few, to the memory in which this thread waits for a device.
template <class View>
failure copy_and_wait(const gpu_engine& engine, const View& view, awaited_state*& place) {
  using item = typename View::item_type;
  device_stream on{};
  if (auto failed = open_stream(engine, on)) return failed;
  if (auto failed = check_view(view, on.device)) return failed;
  if (auto failed = check_waitable(on)) return failed;
  place = &awaited_state::of_device(on.device);
  const auto count = static_cast<std::int64_t>(view.size());
  if (auto failed = place->reserve(count * static_cast<std::int64_t>(sizeof(item)), 0)) {
    return failed;
  }
  if (auto failed = launch_early(copy_items_kernel<View, item>, 1, 256, 0, on, view, count,
                                 static_cast<int>(sizeof(View)), place->template sink<item>())) {
    return failed;
  }
  return place->wait(on.stream);
}

}  // namespace detail

/// The same as fold_tiles of engine/cpu, for items that a device reads.
///
/// sync       waits for the engine's stream
/// errors     throws `error`, as `reduce`; `out` then has some of the nodes
/// cost       one pass; a launch, and a wait, for each power of two in the number of tiles
/// tested by  tests/gpu/running_state_test.cu
template <class F, class View>
void fold_tiles(const gpu_engine& engine, const F& f, const View& view, std::int64_t first_tile,
                std::int64_t first_index, tree_joiner<typename F::state>& out) {
  using item = typename View::item_type;
  constexpr std::int64_t tile = tile_items_v<item>;
  detail::check_device_view_calls<View>();
  if constexpr (!detail::is_top_fold_v<F>) detail::check_device_calls<F, item>();
  const std::int64_t end_tile = first_tile + tile_count<item>(view.size());
  for (std::int64_t next = first_tile; next < end_tile;) {
    const tree_node node = next_node(next, end_tile, 62);
    next = node.end_tile();
    const std::int64_t at = (node.first_tile() - first_tile) * tile;
    const std::int64_t end = std::min<std::int64_t>((next - first_tile) * tile, view.size());
    const auto part = detail::part_of(view, at, end - at);
    const auto counted =
        detail::counted_from<std::remove_const_t<decltype(part)>>(f, first_index + at);
    typename F::state own{};
    detail::throw_if(detail::fold_and_wait<detail::kernel_choice::one>(engine, counted, part, own));
    detail::count_on(f, own, first_index + at);
    out.push(f, node, std::move(own));
  }
}

/// The same as visit_items of engine/cpu, for up to a tile of items that a device reads.
template <class View, class Visit>
void visit_items(const gpu_engine& engine, const View& view, const Visit& visit) {
  using item = typename View::item_type;
  detail::check_device_view_calls<View>();
  detail::awaited_state* place = nullptr;
  detail::throw_if(detail::copy_and_wait(engine, view, place));
  const item* const items = static_cast<const item*>(place->state_place());
  for (std::int64_t i = 0; i < view.size(); ++i) visit(items[i]);
}

}  // namespace monofold
