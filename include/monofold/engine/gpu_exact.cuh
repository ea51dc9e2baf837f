#pragma once
/// engine/gpu_exact: exact sums on a CUDA device, whose blocks may add up in any order.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

#include "monofold/engine/detail/exact_kernel.cuh"
#include "monofold/engine/detail/launch.cuh"
#include "monofold/engine/gpu_workspace.cuh"
#include "monofold/fold/exact/sum.hpp"
#include "monofold/level/load_ragged.cuh"
#include "monofold/level/warp_exact.cuh"
#include "monofold/plan/exact_launch.hpp"
#include "monofold/platform/strict_arithmetic.hpp"
#include "monofold/shape/view.hpp"

namespace monofold::detail {

/// Terms that kernels know how to add.
template <class Term>
inline constexpr bool has_thread_terms_v = requires {
  thread_terms<Term>::parts;
};

/// Whether a fold of a view is an exact sum that needs no tree.
template <class F, class View>
inline constexpr bool adds_exactly_v = false;
template <class F, class View>
requires(contiguous_item_view<View>&& requires {
  typename F::term;
}) inline constexpr bool adds_exactly_v<F, View> =
    std::is_base_of_v<exact_terms_fold<typename F::term>, F> &&
    has_thread_terms_v<typename F::term> &&
    std::is_same_v<typename View::item_type, typename F::item>;

template <class F, class View>
std::int64_t exact_tiles(const View& view) {
  // Up to 15 bytes before the first item belong to its tile.
  const auto range = aligned_range_of(view.data(), static_cast<std::int64_t>(view.size()));
  constexpr int tile_items = warp_exact<typename F::term>::tile_items;
  return (range.end + tile_items - 1) / tile_items;
}

/// Starts an exact sum of items that are there on so many blocks, any number of them.
template <class F, class View, class Sink>
failure add_exactly_on(std::int64_t blocks, cudaStream_t stream, const F& f, const View& view,
                       const gpu_workspace& workspace, const Sink& sink) {
  using term = typename F::term;
  const exact_meeting meeting{workspace.exact_words(), workspace.ticket()};
#if defined(MONOFOLD_EMULATED)
  const strict_arithmetic arithmetic;  // the emulated device has that of this thread
#endif
  return launch_early(add_exactly_kernel<term, F, Sink>, blocks, exact_threads,
                      exact_shared_bytes<warp_digits<typename term::number>>, stream, f,
                      aligned_range_of(view.data(), static_cast<std::int64_t>(view.size())),
                      meeting, sink);
}

/// The same on as many as suit the current device.
template <class F, class View, class Sink>
failure add_exactly(cudaStream_t stream, const F& f, const View& view,
                    const gpu_workspace& workspace, const Sink& sink) {
  int device = 0;
  int multiprocessors = 0;
  if (auto failed = failure_of(cudaGetDevice(&device), "cudaGetDevice")) return failed;
  if (auto failed = failure_of(
          cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
          "cudaDeviceGetAttribute")) {
    return failed;
  }
  return add_exactly_on(exact_blocks_for(exact_tiles<F>(view), multiprocessors), stream, f, view,
                        workspace, sink);
}

}  // namespace monofold::detail
