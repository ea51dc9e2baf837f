#pragma once
/// reduce_axis: one call that reduces some axes of an array, on a GPU.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/segment/array_indices.cuh"
#include "monofold/engine/gpu/segment/axis_path.cuh"
#include "monofold/engine/gpu/segment/top_rows.cuh"
#include "monofold/reduce_axis.hpp"
#include "monofold/reduce_segments.cuh"
#include "monofold/refused.cuh"
#include "monofold/shape/array_view.hpp"
#include "monofold/shape/axes.hpp"

namespace monofold {

/// A fold of items that lie in an array on a GPU.
template <class F, class Item>
concept gpu_fold_on =
    fold_on<F, Item> && detail::fits_a_kernel<bound_fold_t<F, Item>, contiguous_view<Item>>;

namespace detail {

template <class F, class Item>
struct axis_why_not : decltype(why_no_fold<F, Item>()) {};
template <class F, class Item>
requires fold_on<F, Item>
struct axis_why_not<F, Item> : gpu_why_not<contiguous_view<Item>, F> {
};
template <class F, class Item>
using axis_why_not_t = typename axis_why_not<F, Item>::type;

template <class F, class Item>
axis_path<F, Item> path_of(const device_stream& on, const F& f, const array_view<Item>& items,
                           const array_rows& rows) {
  return {f, items.data_of_first(), rows, multiprocessors_of(on)};
}

/// Checks an array, and starts the kernels; `path` is made of the same array and rows.
template <class F, class Item, class Sinks>
failure axis_into_async(const device_stream& on, const axis_path<F, Item>& path,
                        const array_view<Item>& items, const gpu_workspace& workspace,
                        const Sinks& sinks) {
  if (items.size() > 0) {
    if (auto failed = check_pointer(items.data_of_first(), "the array", alignof(Item), on.device)) {
      return failed;
    }
  }
  if (auto failed =
          check_pointer(sinks.out, "the result", alignof(decltype(*sinks.out)), on.device)) {
    return failed;
  }
  if (auto failed = check_workspace(workspace, on.device)) return failed;
  if (auto failed = check_size(workspace, path.workspace_bytes())) return failed;
  return path.start(on, workspace, sinks);
}

/// Answers of `top` and `bottom` whose indices are row-major ones of the array.
template <class Item>
void count_in_array(std::vector<result<top_answer<Item>>>& answers, const array_rows& rows) {
  for (std::size_t r = 0; r < answers.size(); ++r) {
    if (!answers[r]) continue;
    top_answer<Item> own = *answers[r];
    for (std::int64_t& index : own.indices) {
      index = rows.index_of(static_cast<std::int64_t>(r), index);
    }
    answers[r] = std::move(own);
  }
}

/// Rows without items where there is nothing to leave.
template <class F, class Item>
void throw_if_nothing(const array_rows& rows) {
  if (!can_finish_empty_v<F, Item> && rows.num_rows > 0 && rows.row_items == 0) {
    throw segment_error(status::empty_input, 0, "row");
  }
}

}  // namespace detail

/// The bytes of workspace that reducing axes of an array takes on the current device.
///
/// cost       a state for each node of several tiles of a row, if rows are few and long; for `top` and `bottom` along axes
///            that memory does not walk as one, a copy of the items
template <class Item, class F>
requires gpu_fold_on<F, Item> std::int64_t workspace_bytes(const array_view<Item>& items,
                                                           const axis_numbers& axes, const F& f) {
  const array_rows rows = rows_of(items.extents(), items.strides(), axes);
  if (rows.num_rows == 0) return 0;
  detail::device_stream on{};
  detail::throw_if(detail::open_device(on));
  const auto own = bind_fold<Item>(f);
  if constexpr (detail::is_top_fold_v<bound_fold_t<F, Item>>) {
    return detail::top_rows<bound_fold_t<F, Item>, Item>(on, own, items, rows,
                                                         detail::multiprocessors_of(on))
        .workspace_bytes();
  } else {
    return detail::path_of(on, own, items, rows).workspace_bytes();
  }
}

/// Starts a reduction of some axes of an array that the device can read, and leaves an answer a row, in
/// row-major order, as `finish` of the fold returns it.
///
/// shape      as reduce_axis on the CPU. Rows whose items lie side by side, one row behind the other, go the way
///            of segments; of other rows, a lane takes one and a warp 32 neighbouring ones
/// order      the bits of a row are those of `reduce` of its items. Indices of extrema count along the row; with
///            `global_index` they are row-major ones of the array: of extrema, also in an `all` with sums, means and
///            counts. Another fold does not compile with it
/// sync       does not wait, allocates nothing; may be captured in a graph
/// errors     as reduce_into; as reduce_axis_into on the CPU
/// cost       one or two launches, one pass. A lane adds the floats of an exact sum in bins; items that these do not
///            hold go to a state one by one, which is slow
/// tested by  tests/gpu/axes_test.cu
template <class Item, class F, class Indices = index_in_row>
requires gpu_fold_on<F, Item>
void reduce_axis_into(const gpu_engine& engine, const array_view<Item>& items,
                      const axis_numbers& axes, const F& f, finished_t<F, Item>* out,
                      const gpu_workspace& workspace, Indices = {}) {
  using bound = bound_fold_t<F, Item>;
  static_assert(!detail::is_all_fold<bound>::value,
                "all(...) is finished on the host: reduce_axis, or fold_axis_into");
  const bound own = bind_fold<Item>(f);
  detail::check_calls<bound, contiguous_view<Item>>();
  static_cast<void>(&detail::device_calls<bound, Item>::finish_needs_MONOFOLD_HD);
  const array_rows rows = rows_of(items.extents(), items.strides(), axes);
  detail::throw_if_nothing<F, Item>(rows);
  if (rows.num_rows == 0) return;
  detail::device_stream on{};
  detail::throw_if(detail::open_stream(engine, on));
  detail::throw_if(detail::axis_into_async(
      on, detail::path_of(on, own, items, rows), items, workspace,
      detail::sinks_with<Indices>(own, detail::segment_answers<finished_t<F, Item>>{out}, rows)));
}

/// The k best items of each row, by `top(k)` or `bottom(k)`, and their indices, best first: k of each a row.
///
/// shape      as reduce_segments_into of them, best with items side by side: others are loaded one by one
/// order      indices count along the row: `global_index` is for calls that wait
/// errors     as reduce_axis_into
/// cost       rows of several axes that memory does not walk as one are copied side by side first
/// tested by  tests/gpu/row_tops_test.cu, tests/gpu/axis_tops_test.cu
template <class Item, class F, class Indices = index_in_row>
requires gpu_fold_on<F, Item> && detail::is_top_fold_v<bound_fold_t<F, Item>>
void reduce_axis_into(const gpu_engine& engine, const array_view<Item>& items,
                      const axis_numbers& axes, const F& f, const top_out<Item>& out,
                      const gpu_workspace& workspace, Indices = {}) {
  static_assert(!detail::counts_from_view_v<Indices>,
                "global_index of top and bottom: by reduce_axis, which waits");
  const auto own = bind_fold<Item>(f);
  const array_rows rows = rows_of(items.extents(), items.strides(), axes);
  if (rows.num_rows == 0) return;
  if (rows.row_items < own.k) throw segment_error(status::empty_input, 0, "row");
  detail::device_stream on{};
  detail::throw_if(detail::open_stream(engine, on));
  detail::throw_if(detail::top_rows<bound_fold_t<F, Item>, Item>::start(
      on, own, items, rows, detail::multiprocessors_of(on), workspace, out));
}

/// Starts the same and leaves a state a row: for `all(...)`, and for what is combined later.
///
/// shape      as reduce_axis_into
/// sync       does not wait, allocates nothing; may be captured in a graph
/// errors     as reduce_axis_into
/// tested by  tests/gpu/axis_members_test.cu
template <class Item, class F, class Indices = index_in_row>
requires gpu_fold_on<F, Item>
void fold_axis_into(const gpu_engine& engine, const array_view<Item>& items,
                    const axis_numbers& axes, const F& f,
                    typename bound_fold_t<F, Item>::state* out, const gpu_workspace& workspace,
                    Indices = {}) {
  using bound = bound_fold_t<F, Item>;
  const bound own = bind_fold<Item>(f);
  detail::check_calls<bound, contiguous_view<Item>>();
  const array_rows rows = rows_of(items.extents(), items.strides(), axes);
  if (rows.num_rows == 0) return;
  if (rows.row_items == 0 && !has_identity_v<bound>) {
    throw segment_error(status::empty_input, 0, "row");
  }
  detail::device_stream on{};
  detail::throw_if(detail::open_stream(engine, on));
  detail::throw_if(detail::axis_into_async(
      on, detail::path_of(on, own, items, rows), items, workspace,
      detail::sinks_with<Indices>(own, detail::segment_states<typename bound::state>{out}, rows)));
}

/// Reduces some axes of an array that the device can read, and waits: a `result` a row.
///
/// shape      as reduce_axis_into; states of `all(...)` are finished on the host
/// errors     throws `error`: as reduce_axis on the CPU; as `reduce` of a GPU
/// cost       of `all(...)` also a copy of a state a row: an exact member has up to 312 bytes
template <class Item, class F, class Indices = index_in_row>
requires gpu_fold_on<F, Item>
auto try_reduce_axis(const gpu_engine& engine, const array_view<Item>& items,
                     const axis_numbers& axes, const F& f, keepdims keep = keepdims::no,
                     Indices = {}) {
  using bound = bound_fold_t<F, Item>;
  using answer = result<answer_t<bound>>;
  const bound own = bind_fold<Item>(f);
  detail::check_calls<bound, contiguous_view<Item>>();
  if constexpr (!detail::is_top_fold_v<bound> && !detail::is_all_fold<bound>::value) {
    static_cast<void>(&detail::device_calls<bound, Item>::finish_needs_MONOFOLD_HD);
  }
  const array_rows rows = rows_of(items.extents(), items.strides(), axes);
  axis_result<answer> out{detail::extents_of_result(items, axes, keep),
                          detail::room_for_answers<answer>(rows.num_rows)};
  if (rows.num_rows == 0) return out;
  detail::device_stream on{};
  detail::throw_if(detail::open_stream(engine, on));
  if constexpr (detail::is_top_fold_v<bound>) {
    out.values =
        detail::top_rows<bound, Item>::wait(on, own, items, rows, detail::multiprocessors_of(on));
    if constexpr (detail::counts_from_view_v<Indices>) detail::count_in_array(out.values, rows);
  } else {
    using awaited = detail::awaited_answers<bound>;
    if (awaited::are_states && rows.row_items == 0) {
      for (answer& value : out.values) value = finish_empty(own);
      return out;
    }
    const auto path = detail::path_of(on, own, items, rows);
    detail::segments_place<typename awaited::left> place;
    detail::throw_if(place.open(on, rows.num_rows, path.workspace_bytes()));
    detail::throw_if(detail::axis_into_async(
        on, path, items, place.workspace(),
        detail::sinks_with<Indices>(own, typename awaited::sinks{place.answers()}, rows)));
    std::vector<typename awaited::left> found(out.values.size());
    std::uint64_t report[2] = {};
    detail::throw_if(place.get(found, report));
    out.values = awaited::finished(own, std::move(found));
  }
  return out;
}

/// The same, of bare values.
///
/// errors     also throws segment_error with the status of the first row without an answer
template <class Item, class F, class Indices = index_in_row>
requires gpu_fold_on<F, Item>
auto reduce_axis(const gpu_engine& engine, const array_view<Item>& items, const axis_numbers& axes,
                 const F& f, keepdims keep = keepdims::no, Indices = {}) {
  auto found = try_reduce_axis(engine, items, axes, f, keep, Indices{});
  auto values = detail::values_of(found.values, "row");
  return axis_result<answer_t<bound_fold_t<F, Item>>>{std::move(found.extents), std::move(values)};
}

namespace detail {

/// The pairs of two arrays as a list of rows, and the rows of it.
template <class Left, class Right, class Pair>
struct listed_pairs {
  listed_pairs(const gpu_engine& engine, const array_pairs<Left, Right, Pair>& items,
               const axis_numbers& axes)
      : view(row_after_row(items.left(), axes), row_after_row(items.right(), axes)),
        rows(rows_in(items, axes).row_items, rows_in(items, axes).num_rows) {
    device_stream on{};
    throw_if(open_stream(engine, on));
    if (view.size() == 0) return;
    throw_if(
        check_pointer(items.left().data_of_first(), "the left array", alignof(Left), on.device));
    throw_if(
        check_pointer(items.right().data_of_first(), "the right array", alignof(Right), on.device));
  }
  static array_rows rows_in(const array_pairs<Left, Right, Pair>& items, const axis_numbers& axes) {
    return rows_of(extents_of_array(items), items.left().strides(), axes);
  }

  array_pairs<Left, Right, Pair> view;
  fixed_segments rows;
};

}  // namespace detail

/// The same of the pairs of two arrays, as `zip` makes them and `dot` takes them.
///
/// shape      as reduce_segments of a computed view: a lane loads pairs one by one. It divides for the place of
///            each where arrays have several axes that memory does not walk as one
/// tested by  tests/gpu/axes_test.cu
template <class Left, class Right, class Pair, class F>
requires gpu_folded_range<array_pairs<Left, Right, Pair>, F> std::int64_t workspace_bytes(
    const array_pairs<Left, Right, Pair>& items, const axis_numbers& axes, const F& f) {
  const detail::listed_pairs<Left, Right, Pair> all(gpu, items, axes);
  return workspace_bytes(all.view, all.rows, f);
}
template <class Left, class Right, class Pair, class F>
requires gpu_folded_range<array_pairs<Left, Right, Pair>, F>
void reduce_axis_into(const gpu_engine& engine, const array_pairs<Left, Right, Pair>& items,
                      const axis_numbers& axes, const F& f, finished_t<F, Pair>* out,
                      const gpu_workspace& workspace) {
  const detail::listed_pairs<Left, Right, Pair> all(engine, items, axes);
  detail::throw_if_nothing<F, Pair>(all.rows_in(items, axes));
  reduce_segments_into(engine, all.view, all.rows, f, out, workspace);
}
template <class Left, class Right, class Pair, class F>
requires gpu_folded_range<array_pairs<Left, Right, Pair>, F>
auto try_reduce_axis(const gpu_engine& engine, const array_pairs<Left, Right, Pair>& items,
                     const axis_numbers& axes, const F& f, keepdims keep = keepdims::no) {
  const detail::listed_pairs<Left, Right, Pair> all(engine, items, axes);
  auto found = try_reduce_segments(engine, all.view, all.rows, f);
  return axis_result<typename decltype(found)::value_type>{
      detail::extents_of_result(items, axes, keep), std::move(found)};
}
template <class Left, class Right, class Pair, class F>
requires gpu_folded_range<array_pairs<Left, Right, Pair>, F>
auto reduce_axis(const gpu_engine& engine, const array_pairs<Left, Right, Pair>& items,
                 const axis_numbers& axes, const F& f, keepdims keep = keepdims::no) {
  auto found = try_reduce_axis(engine, items, axes, f, keep);
  auto values = detail::values_of(found.values, "row");
  return axis_result<answer_t<bound_fold_t<F, Pair>>>{std::move(found.extents), std::move(values)};
}

#if defined(__CUDACC__)
template <class Item, class F, class... More, class Why = detail::axis_why_not_t<F, Item>>
requires(!gpu_fold_on<F, Item>) void try_reduce_axis(const gpu_engine&, const array_view<Item>&,
                                                     const axis_numbers&, const F&,
                                                     More...) = delete;
template <class Item, class F, class... More, class Why = detail::axis_why_not_t<F, Item>>
requires(!gpu_fold_on<F, Item>) void reduce_axis(const gpu_engine&, const array_view<Item>&,
                                                 const axis_numbers&, const F&, More...) = delete;
template <class Item, class F, class Out, class... More,
          class Why = detail::axis_why_not_t<F, Item>>
requires(!gpu_fold_on<F, Item>) void reduce_axis_into(const gpu_engine&, const array_view<Item>&,
                                                      const axis_numbers&, const F&, const Out&,
                                                      const gpu_workspace&, More...) = delete;
#endif
template <class Item, class F, class Out, class... More,
          class Why = why::out_must_point_to<finished_t<F, Item>>>
requires(gpu_fold_on<F, Item> && !std::is_same_v<Out, finished_t<F, Item>>) void reduce_axis_into(
    const gpu_engine&, const array_view<Item>&, const axis_numbers&, const F&, Out*,
    const gpu_workspace&, More...) = delete;

}  // namespace monofold
