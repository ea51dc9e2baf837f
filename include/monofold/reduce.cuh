#pragma once
/// reduce: one call that reduces a range, on a GPU.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>
#include <type_traits>

#include "monofold/engine/gpu/dispatch.cuh"
#include "monofold/engine/gpu/workspace.cuh"
#include "monofold/fold/all.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/level/thread_calls.cuh"
#include "monofold/platform/status.hpp"
#include "monofold/reduce.hpp"
#include "monofold/refused.cuh"
#include "monofold/shape/view.hpp"

namespace monofold {

namespace detail {

/// Has nvcc look at what kernels will call of a fold and a view; runs nothing.
template <class F, class View>
void check_calls() {
  check_device_view_calls<View>();
  if constexpr (!is_top_fold_v<F>) check_device_calls<F, typename View::item_type>();
}

template <class F, class View>
auto reduce_and_wait(const gpu_engine& engine, const View& view, const F& f, failure& failed)
    -> result<answer_t<F>> {
  check_calls<F, View>();
  if (view.size() == 0) return finish_empty(f);
  const auto& folded = fold_for_answer(f);
  typename std::remove_cvref_t<decltype(folded)>::state total{};
  failed = fold_and_wait(engine, folded, view, total);
  if (failed) return failed.code;
  return finish_state(folded, total);
}

}  // namespace detail

/// Reduces a range that the device can read, and waits for the answer.
///
/// Mark functions of yours that a fold or a view calls MONOFOLD_HD (lambdas: MONOFOLD_HD_LAMBDA, with nvcc's
/// option --extended-lambda); a function without the mark does not compile. `finish` runs on the host here.
///
/// shape      a contiguous range (std::span, contiguous_view) over device, managed or pinned memory,
///            or a view computed from such memory (transform, zip, strided_view, generate); no items:
///            the fold's identity, finished, or `empty_input`. No byte outside the range is read
/// order      the plan's tree (docs/decisions/0001): the bits of the CPU engine, whatever the
///            alignment, the device and the launch. Folds not tagged commutative keep order
/// sync       waits for the engine's stream, which must belong to the current device; any number of
///            threads and streams at once. Cannot be captured
/// errors     invalid_argument: a negative count, a null, misaligned, host or other device's pointer
///            of a contiguous range (other views are taken at their word); unsupported: an exact sum of
///            more than 2^38 items that a view computes; device_unavailable, out_of_memory; what `finish`
///            returns
/// cost       one pass, one launch. In an `all` with exact sums of floats in memory, one pass serves sum, mean,
///            variance, standard_deviation, count, min, max, argmin, argmax and extrema; each other member
///            has a pass of its own. An exact sum behind `where` takes two passes. Pairs of two types, and `where`
///            of more than one adapter, take the tree, with states of hundreds of bytes, which is slow. The first
///            call of a thread allocates pinned memory and a workspace, which stay
/// tested by  tests/gpu/types_test.cu, tests/gpu/views_test.cu, tests/gpu/exact_members_test.cu
template <reducible Range, class F>
requires gpu_folded_range<Range, F>
auto try_reduce(const gpu_engine& engine, const Range& range, const F& f)
    -> result<answer_t<bound_fold_t<F, folded_item_t<Range, F>>>> {
  detail::failure failed;
  return detail::reduce_and_wait(engine, detail::view_for<F>(range),
                                 bind_fold<folded_item_t<Range, F>>(f), failed);
}

/// The same, returning the bare value.
///
/// errors     throws `error` with the status, the argument's name and what is wrong with it
template <reducible Range, class F>
requires gpu_folded_range<Range, F>
auto reduce(const gpu_engine& engine, const Range& range, const F& f) {
  detail::failure failed;
  const auto answer = detail::reduce_and_wait(engine, detail::view_for<F>(range),
                                              bind_fold<folded_item_t<Range, F>>(f), failed);
  detail::throw_if(failed);
  return answer.value();
}

/// The bytes of workspace that reducing such a range takes.
template <reducible Range, class F>
requires gpu_folded_range<Range, F> std::int64_t workspace_bytes(const Range& range, const F& f) {
  const auto view = detail::view_for<F>(range);
  const auto bound = bind_fold<folded_item_t<Range, F>>(f);
  using path = detail::gpu_path<bound_fold_t<F, folded_item_t<Range, F>>, folded_view_t<Range, F>>;
  return path(bound, view).workspace_bytes();
}

/// Starts a reduction that leaves the state of a fold where `out` points.
///
/// shape      as `reduce`; out: device, managed or pinned memory, outside the range: folds of several
///            passes write parts of it before the last pass reads. No items: the identity
/// sync       does not wait, allocates nothing, may be captured in a graph and replayed. `workspace`
///            is in use until the stream has got there; calls that may overlap need one each
/// errors     throws `error`, invalid_argument: as `reduce`, a null, misaligned, host or other
///            device's `out`, a workspace too small or of another device; empty_input: no items
///            and no identity. Nothing is started or written then
/// cost       as many launches as `reduce` has passes; workspace_bytes(range, f)
/// tested by  tests/gpu/into_test.cu
template <reducible Range, class F>
requires gpu_folded_range<Range, F>
void fold_into(const gpu_engine& engine, const Range& range, const F& f,
               typename bound_fold_t<F, folded_item_t<Range, F>>::state* out,
               const gpu_workspace& workspace) {
  using bound = bound_fold_t<F, folded_item_t<Range, F>>;
  using state = typename bound::state;
  detail::check_calls<bound, folded_view_t<Range, F>>();
  detail::throw_if(detail::fold_into_async(engine, bind_fold<folded_item_t<Range, F>>(f),
                                           detail::view_for<F>(range), workspace,
                                           detail::state_sink<state>{out}, out));
}

/// The same, finished on the device: `out` is what the fold's `finish` returns, a value or, for folds
/// that may have none, a `result`.
///
/// shape      not for `all`, whose answer is a std::tuple: `fold_into`, then `finish_state` on the host
template <reducible Range, class F>
requires gpu_folded_range<Range, F> &&
    (!detail::is_top_fold_v<bound_fold_t<F, folded_item_t<Range, F>>>)void reduce_into(
        const gpu_engine& engine, const Range& range, const F& f,
        finished_t<F, folded_item_t<Range, F>>* out, const gpu_workspace& workspace) {
  using bound = bound_fold_t<F, folded_item_t<Range, F>>;
  static_assert(!detail::is_all_fold<bound>::value,
                "all(...) is finished on the host: call fold_into, then finish_state");
  using answer = finished_t<F, folded_item_t<Range, F>>;
  detail::check_calls<bound, folded_view_t<Range, F>>();
  static_cast<void>(
      &detail::device_calls<bound, folded_item_t<Range, F>>::finish_needs_MONOFOLD_HD);
  detail::throw_if(detail::fold_into_async(engine, bind_fold<folded_item_t<Range, F>>(f),
                                           detail::view_for<F>(range), workspace,
                                           detail::answer_sink<answer>{out}, out));
}

/// The k best items of a contiguous range, by `top(k)` or `bottom(k)`, and their indices, best first.
///
/// shape      k up to 1024; out: k values and k indices; k = 0 starts nothing. If NaN are omitted and fewer
///            than k items are left, index -1 stands in the other places
/// order      any: the answer does not depend on it. Ties, NaN and zeros as the fold has them
/// errors     as above; invalid_argument: k below 0; empty_input: fewer than k items; unsupported: k above
///            1024
/// cost       one launch, one pass; workspace_bytes(range, f)
/// tested by  tests/gpu/top_test.cu
template <reducible Range, class F>
requires gpu_folded_range<Range, F> &&
    detail::is_top_fold_v<bound_fold_t<F, folded_item_t<Range, F>>>
void reduce_into(const gpu_engine& engine, const Range& range, const F& f,
                 const top_out<folded_item_t<Range, F>>& out, const gpu_workspace& workspace) {
  detail::check_device_view_calls<folded_view_t<Range, F>>();
  detail::throw_if(detail::top_into_async(engine, bind_fold<folded_item_t<Range, F>>(f),
                                          detail::view_for<F>(range), workspace, out));
}

#if defined(__CUDACC__)
template <class Range, class F, class Why = detail::gpu_why_not_t<Range, F>>
requires(!gpu_folded_range<Range, F>) void try_reduce(const gpu_engine&, const Range&,
                                                      const F&) = delete;
template <class Range, class F, class Why = detail::gpu_why_not_t<Range, F>>
requires(!gpu_folded_range<Range, F>) void reduce(const gpu_engine&, const Range&,
                                                  const F&) = delete;
template <class Range, class F, class Out, class Why = detail::gpu_why_not_t<Range, F>>
requires(!gpu_folded_range<Range, F>) void fold_into(const gpu_engine&, const Range&, const F&,
                                                     Out*, const gpu_workspace&) = delete;
template <class Range, class F, class Out, class Why = detail::gpu_why_not_t<Range, F>>
requires(!gpu_folded_range<Range, F>) void reduce_into(const gpu_engine&, const Range&, const F&,
                                                       Out*, const gpu_workspace&) = delete;
#endif
template <class Range, class F, class Out,
          class Why = why::out_must_point_to<finished_t<F, folded_item_t<Range, F>>>>
requires gpu_folded_range<Range, F> &&
    (!std::is_same_v<Out, finished_t<F, folded_item_t<Range, F>>>)void reduce_into(
        const gpu_engine&, const Range&, const F&, Out*, const gpu_workspace&) = delete;

template <class Range, class F, class Out,
          class Why =
              why::out_must_point_to<typename bound_fold_t<F, folded_item_t<Range, F>>::state>>
requires gpu_folded_range<Range, F> &&
    (!std::is_same_v<Out, typename bound_fold_t<F, folded_item_t<Range, F>>::state>)void fold_into(
        const gpu_engine&, const Range&, const F&, Out*, const gpu_workspace&) = delete;

}  // namespace monofold
