#pragma once
/// engine/gpu_exact: exact sums on a CUDA device, whose blocks may add up in any order.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>
#include <utility>

#include "monofold/engine/detail/exact_kernel.cuh"
#include "monofold/engine/detail/launch.cuh"
#include "monofold/engine/gpu_workspace.cuh"
#include "monofold/fold/exact/moments.hpp"
#include "monofold/fold/exact/sum.hpp"
#include "monofold/level/load_pairs.cuh"
#include "monofold/level/load_ragged.cuh"
#include "monofold/level/thread_pairs.cuh"
#include "monofold/level/thread_terms.cuh"
#include "monofold/level/warp_exact.cuh"
#include "monofold/plan/exact_launch.hpp"
#include "monofold/platform/strict_arithmetic.hpp"
#include "monofold/shape/view.hpp"

namespace monofold::detail {

/// The kernel's term of a fold: void where it has none.
template <class F>
struct kernel_term {
  using type = void;
};
template <class F>
requires std::is_base_of_v<exact_terms_fold<typename F::term>, F>
struct kernel_term<F> {
  using type = typename F::term;
};
template <class F>
requires std::is_base_of_v<exact_moments_fold<typename F::item>, F>
struct kernel_term<F> {
  using type = moments_term<typename F::item>;
};
template <class F>
using kernel_term_t = typename kernel_term<F>::type;

/// Where the items of a view lie.
template <contiguous_item_view View>
auto exact_range_of(const View& view) {
  return aligned_range_of(view.data(), static_cast<std::int64_t>(view.size()));
}
template <contiguous_pair_view View>
requires std::is_same_v<decltype(std::declval<const View&>().left_data()),
                        decltype(std::declval<const View&>().right_data())>
auto exact_range_of(const View& view) {
  return pair_range_of(view.left_data(), view.right_data(), static_cast<std::int64_t>(view.size()));
}

/// Whether a fold of a view is an exact sum that needs no tree: floating-point items, or pairs of them
/// of one type, in memory.
template <class F, class View>
inline constexpr bool adds_exactly_v = requires(const View& view) {
  typename thread_terms<kernel_term_t<F>>::range;
  requires std::is_same_v<typename View::item_type, typename F::item>;
  requires std::is_same_v<decltype(exact_range_of(view)),
                          typename thread_terms<kernel_term_t<F>>::range>;
};

template <class F, class View>
std::int64_t exact_tiles(const View& view) {
  constexpr int tile_items = warp_exact<kernel_term_t<F>>::tile_items;
  // Up to 15 bytes before the first item belong to its tile.
  return (exact_range_of(view).end + tile_items - 1) / tile_items;
}

/// Starts an exact sum of items that are there on so many blocks, any number of them.
template <class F, class View, class Sink>
failure add_exactly_on(std::int64_t blocks, cudaStream_t stream, const F& f, const View& view,
                       const gpu_workspace& workspace, const Sink& sink) {
  using term = kernel_term_t<F>;
  using shared = exact_shared<term>;
  static_assert(shared::digits::num_wide_words <= gpu_workspace::num_exact_words);
  const exact_meeting meeting{workspace.exact_words(), workspace.ticket(), workspace.mail()};
#if defined(MONOFOLD_EMULATED)
  const strict_arithmetic arithmetic;  // the emulated device has that of this thread
#endif
  return launch_early(add_exactly_kernel<term, F, Sink>, blocks, exact_threads, shared::bytes,
                      stream, f, exact_range_of(view), meeting, sink);
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
