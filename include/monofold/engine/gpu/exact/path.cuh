#pragma once
/// engine/gpu/exact/path: exact sums on a CUDA device, whose blocks may add up in any order.

#include <cuda_runtime_api.h>

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/exact/add_exactly_kernel.cuh"
#include "monofold/engine/gpu/exact/add_few_kernel.cuh"
#include "monofold/engine/gpu/exact/few_bins.cuh"
#include "monofold/engine/gpu/exact/few_finish.cuh"
#include "monofold/engine/gpu/exact/few_state.cuh"
#include "monofold/engine/gpu/exact/few_tile.cuh"
#include "monofold/engine/gpu/exact/load_computed.cuh"
#include "monofold/engine/gpu/exact/load_pairs.cuh"
#include "monofold/engine/gpu/exact/term_bins.cuh"
#include "monofold/engine/gpu/exact/term_check.cuh"
#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/exact/thread_pairs.cuh"
#include "monofold/engine/gpu/exact/warp_exact.cuh"
#include "monofold/engine/gpu/launch.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/workspace.cuh"
#include "monofold/fold/exact/moments.hpp"
#include "monofold/fold/exact/sum.hpp"
#include "monofold/plan/exact_launch.hpp"
#include "monofold/plan/few_launch.hpp"
#include "monofold/shape/view.hpp"

namespace monofold::detail {

/// A term whose items a view computes, so that they do not lie in an array.
template <class Term, class View>
struct computed_term {
  using item = typename Term::item;
};
template <class Term, class View>
inline constexpr bool is_computed_v<computed_term<Term, View>> = true;
template <class Term, class View>
struct term_format<computed_term<Term, View>> : term_format<Term> {
  using range = computed_range<View>;
  static constexpr bool is_compact_ragged = false;
};
template <class Term, class View>
struct term_bins<computed_term<Term, View>> : term_bins<Term> {
  static constexpr bool copies_ahead = false;
};
template <class Term, class View>
struct term_check<computed_term<Term, View>> : term_check<Term> {};
template <class Term, class View>
struct lane_terms<computed_term<Term, View>> : lane_terms<Term> {};

/// The term of an exact fold; void for other folds.
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

/// Terms that the kernel can add: of floating-point items, or of pairs of them of one type.
template <class Term>
concept kernel_adds = requires {
  typename term_format<Term>::range;
};

/// The range in memory where the items of a view lie.
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

/// Whether the items of a view lie in memory as the kernel loads them for this term.
template <class Term, class View>
concept lies_in_range = requires(const View& view) {
  { exact_range_of(view) } -> std::same_as<typename term_format<Term>::range>;
};

/// How many items a view may compute for one sum: few enough that an int counts tiles.
inline constexpr std::int64_t most_computed_items = std::int64_t{1} << 38;

/// The term by which the kernel adds a fold of a view; void where the plan's tree folds it.
template <class F, class View>
struct view_term {
  using type = void;
};
template <class F, class View>
requires kernel_adds<kernel_term_t<F>> && std::is_same_v<typename View::item_type, typename F::item>
struct view_term<F, View> {
  using term = kernel_term_t<F>;
  using type = std::conditional_t<lies_in_range<term, View>, term, computed_term<term, View>>;
};
template <class F, class View>
using view_term_t = typename view_term<F, View>::type;

/// Whether the kernel for exact sums folds this view: it needs no tree.
template <class F, class View>
inline constexpr bool adds_exactly_v = !std::is_void_v<view_term_t<F, View>>;

template <class Term, class View>
auto range_for(const View& view) {
  if constexpr (is_computed_v<Term>) {
    return computed_range<View>{view, static_cast<std::int64_t>(view.size())};
  } else {
    return exact_range_of(view);
  }
}

/// Starts an exact sum of `Term` over items that are there on so many blocks, any number up to
/// max_exact_blocks, and what its companion folds.
template <class Term, class Companion, class F, class View, class Sink>
failure start_exact_kernel(std::int64_t blocks, const device_stream& on, const F& f,
                           const View& view, const gpu_workspace& workspace, const Sink& sink) {
  static_assert(exact_shared<Term>::digits::num_wide_words <= gpu_workspace::num_exact_words);
  auto range = range_for<Term>(view);
  const exact_layout layout = exact_layout_of<F, decltype(range), Sink>();
  const auto kernel = add_exactly_kernel<Term, Companion, F, Sink>;
  constexpr int most_shared = exact_shared<Term>::bytes_with_words;
  const bool has_wide_words = wide_room<Term>::is_possible &&
                              !takes_few_tiles(warp_exact<Term>::tiles_in(range), blocks) &&
                              may_share(kernel, most_shared);
  const exact_scratch scratch{workspace.exact_words(), workspace.ticket(), workspace.mail(),
                              workspace.states(), has_wide_words};
  return launch_early(kernel, blocks, exact_threads,
                      has_wide_words ? most_shared : exact_shared_bytes<Term, Companion>, on,
                      layout, f, range, scratch, sink);
}

/// Whether the kernel for few items can add this term of this view.
template <class Term, class View>
concept may_be_few = lies_in_range<Term, View> && requires {
  few_plan<Term>::most_bytes;
};
/// Whether a view has few enough items for the kernel for few items.
template <class Term, class View>
bool are_few(const View& view) {
  return exact_range_of(view).end * static_cast<std::int64_t>(sizeof(typename Term::item)) <=
         few_plan<Term>::most_bytes;
}

/// Starts the exact sums of few items and their extrema, by a kernel of their own.
template <class Term, class Extrema, class F, class View, class Sink>
failure start_few_kernel(const device_stream& on, const F& f, const View& view,
                         const gpu_workspace& workspace, const Sink& sink) {
  using block = few_block<Term, Extrema>;
  using item = typename Term::item;
  static_assert(block::digits::num_wide_words <= gpu_workspace::num_exact_words);
  const aligned_range<item> items = exact_range_of(view);
  const int tiles = few_tiles_for(items.end * static_cast<std::int64_t>(sizeof(item)));
  const few_range<item> range{items.base, static_cast<std::int32_t>(items.first),
                              static_cast<std::int32_t>(items.end), tiles};
  const few_scratch scratch{workspace.exact_words(), workspace.mail()};
  return launch_early(add_few_kernel<Term, Extrema, F, Sink>,
                      few_blocks_for(tiles, Extrema::count > 0),
                      block::threads_for(tiles, is_of_few_answer_v<F, Sink>), block::shared_bytes,
                      on, f, range, scratch, sink);
}

/// How many blocks to start for a view on the current device.
template <class Term, class View>
failure exact_blocks_of(const device_stream& on, const View& view, std::int64_t& out) {
  if (is_computed_v<Term> && view.size() > most_computed_items) {
    return {status::unsupported, "an exact sum on a GPU of more than 2^38 computed items"};
  }
  int multiprocessors = 0;
  if (auto failed = failure_of(
          cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, on.device),
          "cudaDeviceGetAttribute")) {
    return failed;
  }
  out = exact_blocks_for(warp_exact<Term>::tiles_in(range_for<Term>(view)), multiprocessors);
  return {};
}

/// Path of an exact sum.
///
/// cost       one launch, one pass
template <class F, class View, kernel_choice kernels = kernel_choice::by_count>
class exact_path : public state_path<F, View> {
 public:
  using term = view_term_t<F, View>;
  using state_path<F, View>::state_path;

  std::int64_t workspace_bytes() const { return gpu_workspace::fixed_bytes; }

  template <class Sink>
  failure start(const device_stream& on, const gpu_workspace& workspace, const Sink& sink) const {
    if constexpr (kernels == kernel_choice::by_count && may_be_few<term, View>) {
      if (are_few<term>(this->view())) {
        return start_few_kernel<term, no_extrema>(on, this->f(), this->view(), workspace, sink);
      }
    }
    std::int64_t blocks = 0;
    if (auto failed = exact_blocks_of<term>(on, this->view(), blocks)) return failed;
    return start_blocks(blocks, on, workspace, sink);
  }
  /// Starts the kernel for many items on so many blocks, up to max_exact_blocks.
  template <class Sink>
  failure start_blocks(std::int64_t blocks, const device_stream& on, const gpu_workspace& workspace,
                       const Sink& sink) const {
    return start_exact_kernel<term, no_companion>(blocks, on, this->f(), this->view(), workspace,
                                                  sink);
  }
};

}  // namespace monofold::detail
