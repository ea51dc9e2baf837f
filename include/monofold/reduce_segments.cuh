#pragma once
/// reduce_segments: one call that reduces each segment of a range, on a GPU.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "monofold/engine/gpu/dispatch.cuh"
#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/segment/faults.cuh"
#include "monofold/engine/gpu/segment/path.cuh"
#include "monofold/engine/gpu/segment/top_calls.cuh"
#include "monofold/reduce.cuh"
#include "monofold/reduce_segments.hpp"
#include "monofold/refused.cuh"
#include "monofold/shape/segments.hpp"

namespace monofold {

namespace detail {

/// The lowest segment of a list that a host can tell to be wrong; -1: none.
template <class Segments>
std::int64_t wrong_segment(const Segments&, std::int64_t) {
  return -1;
}
inline std::int64_t wrong_segment(const fixed_segments& list, std::int64_t size) {
  const auto is_good = [&](std::int64_t s) {
    return list.begin(s) >= 0 && list.length() >= 0 && list.end(s) <= size;
  };
  if (list.size() == 0) return list.length() >= 0 ? -1 : 0;
  if (is_good(list.size() - 1)) return is_good(0) ? -1 : 0;
  std::int64_t good = -1;  // they lie in a row: a boundary between good ones and others
  std::int64_t bad = list.size() - 1;
  while (bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    (is_good(middle) ? good : bad) = middle;
  }
  return bad;
}

/// Throws where all segments have one length that is less than `least`: none has an answer, and kernels of such rows
/// write no report.
template <class Segments>
void throw_if_too_short(const Segments&, std::int64_t) {}
inline void throw_if_too_short(const fixed_segments& list, std::int64_t least) {
  if (list.size() > 0 && list.length() < least) throw segment_error(status::empty_input, 0);
}

inline int multiprocessors_of(const device_stream& on) {
  int out = 0;
  throw_if(failure_of(cudaDeviceGetAttribute(&out, cudaDevAttrMultiProcessorCount, on.device),
                      "cudaDeviceGetAttribute"));
  return out;
}

template <class F, class View, class Segments>
auto path_of(const device_stream& on, const F& f, const View& view, const Segments& segments) {
  using path =
      typename std::conditional_t<is_top_fold_v<F>,
                                  std::type_identity<top_segments<F, View, Segments>>,
                                  std::type_identity<segment_path<F, View, Segments>>>::type;
  return path(f, view, segments, multiprocessors_of(on));
}

/// Checks what a caller gave, and starts the kernels; `path` is made of the same view and segments.
template <bool from_view, class F, class View, class Segments, class Sinks>
failure segments_into_async(const device_stream& on, const segment_path<F, View, Segments>& path,
                            const View& view, const Segments& segments,
                            const gpu_workspace& workspace, const Sinks& sinks) {
  if (auto failed = check_view(view, on.device)) return failed;
  const std::int64_t count = count_of(segments);
  if (count < 0) return {status::invalid_argument, "a negative count of segments"};
  if (count == 0) return {};
  if (auto failed =
          check_pointer(sinks.out, "the result", alignof(decltype(*sinks.out)), on.device)) {
    return failed;
  }
  if (auto failed = check_workspace(workspace, on.device)) return failed;
  if (auto failed = check_size(workspace, path.workspace_bytes())) return failed;
  return path.template start<from_view>(on, workspace, sinks);
}

template <class Segments, class View>
void throw_if_wrong(const Segments& segments, const View& view) {
  const std::int64_t wrong = wrong_segment(segments, static_cast<std::int64_t>(view.size()));
  if (wrong >= 0) throw segment_error(status::invalid_argument, wrong);
}

/// Where a waiting call has its answers: behind the workspace of this thread.
template <class Out>
class segments_place {
 public:
  failure open(const device_stream& on, std::int64_t segments, std::int64_t workspace_bytes) {
    on_ = on;
    if (auto failed = check_waitable(on_)) return failed;
    place_ = &awaited_state::of_device(on_.device);
    answers_at_ = (workspace_bytes + 255) / 256 * 256;
    count_ = segments;
    constexpr std::int64_t most = (std::int64_t{1} << 62) / static_cast<std::int64_t>(sizeof(Out));
    if (segments > most) return {status::out_of_memory, std::to_string(segments) + " answers"};
    return place_->reserve(0, answers_at_ + segments * static_cast<std::int64_t>(sizeof(Out)));
  }
  const gpu_workspace& workspace() const { return place_->workspace(); }
  Out* answers() const {
    return reinterpret_cast<Out*>(static_cast<char*>(workspace().states()) -
                                  gpu_workspace::fixed_bytes + answers_at_);
  }
  /// Waits, and gives the answers and what was wrong.
  failure get(std::vector<Out>& out, std::uint64_t (&report)[2]) {
    auto failed = copy(out.data(), answers(), count_ * static_cast<std::int64_t>(sizeof(Out)));
    if (!failed) failed = copy(report, workspace().segment_report(), sizeof(report));
    if (!failed) {
      failed = failure_of(cudaStreamSynchronize(on_.stream), "cudaStreamSynchronize");
    }
    if (failed) place_->discard_workspace();
    return failed;
  }

 private:
  failure copy(void* to, const void* from, std::int64_t bytes) const {
    return failure_of(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes),
                                      cudaMemcpyDeviceToHost, on_.stream),
                      "cudaMemcpyAsync");
  }

  device_stream on_{};
  awaited_state* place_ = nullptr;
  std::int64_t answers_at_ = 0;
  std::int64_t count_ = 0;
};

/// What kernels leave for a call that waits: an answer a segment or a row; of several folds a state, which the host
/// finishes.
template <class F>
struct awaited_answers {
  using answer = result<answer_t<F>>;
  static constexpr bool are_states = is_all_fold<F>::value;
  using left = std::conditional_t<are_states, typename F::state, answer>;
  using sinks = std::conditional_t<are_states, segment_states<left>, segment_answers<left>>;

  static std::vector<answer> finished(const F& f, std::vector<left>&& found) {
    if constexpr (are_states) {
      std::vector<answer> out;
      out.reserve(found.size());
      for (const left& state : found) out.push_back(finish_state(f, state));
      return out;
    } else {
      return std::move(found);
    }
  }
};

template <bool from_view, class F, class View, class Segments>
auto segments_and_wait(const gpu_engine& engine, const View& view, const Segments& segments,
                       const F& f) {
  using awaited = awaited_answers<F>;
  using left = typename awaited::left;
  check_calls<F, View>();
  if constexpr (!is_all_fold<F>::value) {
    static_cast<void>(&device_calls<F, typename View::item_type>::finish_needs_MONOFOLD_HD);
  }
  throw_if_wrong(segments, view);
  const std::int64_t count = std::max<std::int64_t>(count_of(segments), 0);
  if (awaited::are_states && known_segments<Segments>::length(segments) == 0) {
    auto out = room_for_answers<typename awaited::answer>(count);
    std::fill(out.begin(), out.end(), finish_empty(f));
    return out;
  }
  device_stream on{};
  throw_if(open_stream(engine, on));
  const auto path = path_of(on, f, view, segments);
  segments_place<left> place;
  throw_if(place.open(on, count, path.workspace_bytes()));
  throw_if(segments_into_async<from_view>(on, path, view, segments, place.workspace(),
                                          typename awaited::sinks{place.answers()}));
  auto found = room_for_answers<left>(count);
  if (count == 0) return std::vector<typename awaited::answer>();
  std::uint64_t report[2] = {};
  throw_if(place.get(found, report));
  if (path.reports()) {
    if (report[0] != 0) {
      throw segment_error(status::invalid_argument, static_cast<std::int64_t>(~report[0]));
    }
    if (report[1] != 0 && is_all_fold<F>::value) {
      throw segment_error(status::empty_input, static_cast<std::int64_t>(~report[1]));
    }
  }
  return awaited::finished(f, std::move(found));
}

/// The k best of each segment.
template <class F, class View, class Segments>
auto tops_and_wait(const gpu_engine& engine, const View& view, const Segments& segments, const F& f,
                   bool from_view) {
  throw_if_wrong(segments, view);
  device_stream on{};
  throw_if(open_stream(engine, on));
  std::int64_t bad = -1;
  auto out = path_of(on, f, view, segments).wait(on, from_view, bad);
  if (bad >= 0) throw segment_error(status::invalid_argument, bad);
  return out;
}

/// Starts the kernels, and does not wait.
template <bool from_view, class F, class View, class Segments, class Sinks>
void start_segments(const gpu_engine& engine, const View& view, const Segments& segments,
                    const F& f, const gpu_workspace& workspace, const Sinks& sinks) {
  check_calls<F, View>();
  throw_if_wrong(segments, view);
  if constexpr (!has_identity_v<F> && !requires { *sinks.out = status::empty_input; }) {
    throw_if_too_short(segments, 1);
  }
  device_stream on{};
  throw_if(open_stream(engine, on));
  throw_if(segments_into_async<from_view>(on, path_of(on, f, view, segments), view, segments,
                                          workspace, sinks));
}

/// The values of answers that the host has, or an error that names the lowest row that has none.
template <class Answer>
std::vector<Answer> values_of(const std::vector<result<Answer>>& found, const char* what) {
  return values_of_rows<Answer>(std::ssize(found), what, [&](const auto& put) {
    for (std::size_t r = 0; r < found.size(); ++r) put(static_cast<std::int64_t>(r), found[r]);
  });
}

template <class Indices>
inline constexpr bool counts_from_view_v = std::is_same_v<Indices, index_in_all>;

}  // namespace detail

/// The bytes of workspace that reducing the segments of a range takes on the current device.
///
/// cost       8 bytes a segment if segments may overlap, else at most 8 a tile of items; and 20 bytes and a state for
///            each node of several tiles
template <reducible Range, segment_list Segments, class F>
requires gpu_folded_range<Range, F> std::int64_t workspace_bytes(const Range& range,
                                                                 const Segments& segments,
                                                                 const F& f) {
  detail::device_stream on{};
  detail::throw_if(detail::open_device(on));
  return detail::path_of(on, bind_fold<folded_item_t<Range, F>>(f), detail::view_for<F>(range),
                         segments)
      .workspace_bytes();
}

/// Starts a reduction of each segment of a range, and leaves its answer as `finish` of the fold returns it.
///
/// shape      range: as `reduce` of a GPU, best contiguous; segments: a list whose arrays the device can read;
///            out: one a segment. Not for `all`: see fold_segments_into
/// order      the bits of a segment are those of `reduce` of its items. With `global_index` extrema
///            count indices from the range's first item, also in an `all` with sums, means and counts
/// sync       does not wait, allocates nothing, reads no offset on the host; may be captured in a graph
/// errors     as reduce_into. No answer is written for a segment that ends before it begins or lies outside the
///            range, and none for an empty one whose fold has no answer: read_segment_faults names them. Of
///            fixed_segments the host knows, and throws segment_error
/// cost       one launch for up to 1024 segments by offsets, for 64 by starts and stops, and for those of one length,
///            mostly; else two; one pass
/// tested by  tests/gpu/segments_test.cu
template <reducible Range, segment_list Segments, class F, class Indices = index_in_row>
requires gpu_folded_range<Range, F>
void reduce_segments_into(const gpu_engine& engine, const Range& range, const Segments& segments,
                          const F& f, finished_t<F, folded_item_t<Range, F>>* out,
                          const gpu_workspace& workspace, Indices = {}) {
  using bound = bound_fold_t<F, folded_item_t<Range, F>>;
  using answer = finished_t<F, folded_item_t<Range, F>>;
  static_assert(!detail::is_all_fold<bound>::value,
                "all(...) is finished on the host: call fold_segments_into, then finish_state");
  static_cast<void>(
      &detail::device_calls<bound, folded_item_t<Range, F>>::finish_needs_MONOFOLD_HD);
  detail::start_segments<detail::counts_from_view_v<Indices>>(
      engine, detail::view_for<F>(range), segments, bind_fold<folded_item_t<Range, F>>(f),
      workspace, detail::segment_answers<answer>{out});
}

/// The k best items of each segment of a contiguous range, by `top(k)` or `bottom(k)`, and their indices, best first: k
/// of each a segment, segment after segment.
///
/// shape      k from 0 to 1024; out: memory that the device can write. Segments that may overlap: of a range of fewer
///            than 2^32 items
/// order      what `reduce` of the segment's items gives: ties go to the lower index, NaN come last
/// sync       as reduce_segments_into
/// errors     as reduce_segments_into; a segment of fewer than k items is one without an answer
/// cost       two launches, or one where all have one length of up to a tile; one pass. The workspace has room for k
///            places of each node of several tiles, of 8 bytes each, 16 for items of 8 bytes
/// tested by  tests/gpu/row_tops_test.cu
template <reducible Range, segment_list Segments, class F, class Indices = index_in_row>
requires gpu_folded_range<Range, F> &&
    detail::is_top_fold_v<bound_fold_t<F, folded_item_t<Range, F>>>
void reduce_segments_into(const gpu_engine& engine, const Range& range, const Segments& segments,
                          const F& f, const top_out<folded_item_t<Range, F>>& out,
                          const gpu_workspace& workspace, Indices = {}) {
  const auto view = detail::view_for<F>(range);
  const auto own = bind_fold<folded_item_t<Range, F>>(f);
  detail::throw_if_wrong(segments, view);
  detail::throw_if_too_short(segments, own.k);
  detail::device_stream on{};
  detail::throw_if(detail::open_stream(engine, on));
  detail::throw_if(detail::path_of(on, own, view, segments)
                       .start(on, workspace, out, detail::counts_from_view_v<Indices>));
}

/// The same, leaving states.
template <reducible Range, segment_list Segments, class F, class Indices = index_in_row>
requires gpu_folded_range<Range, F>
void fold_segments_into(const gpu_engine& engine, const Range& range, const Segments& segments,
                        const F& f, typename bound_fold_t<F, folded_item_t<Range, F>>::state* out,
                        const gpu_workspace& workspace, Indices = {}) {
  using state = typename bound_fold_t<F, folded_item_t<Range, F>>::state;
  detail::start_segments<detail::counts_from_view_v<Indices>>(
      engine, detail::view_for<F>(range), segments, bind_fold<folded_item_t<Range, F>>(f),
      workspace, detail::segment_states<state>{out});
}

/// Reduces each segment of a range that the device can read, and waits: a `result` a segment.
///
/// errors     throws segment_error, invalid_argument: the lowest segment that ends before it begins or lies
///            outside the range; and, empty_input, the lowest empty one for an `all(...)` without identity, but of
///            fixed_segments; else as `reduce` of a GPU
template <reducible Range, segment_list Segments, class F, class Indices = index_in_row>
requires gpu_folded_range<Range, F>
auto try_reduce_segments(const gpu_engine& engine, const Range& range, const Segments& segments,
                         const F& f, Indices = {}) {
  constexpr bool from_view = detail::counts_from_view_v<Indices>;
  const auto own = bind_fold<folded_item_t<Range, F>>(f);
  if constexpr (detail::is_top_fold_v<bound_fold_t<F, folded_item_t<Range, F>>>) {
    return detail::tops_and_wait(engine, detail::view_for<F>(range), segments, own, from_view);
  } else {
    return detail::segments_and_wait<from_view>(engine, detail::view_for<F>(range), segments, own);
  }
}

/// The same, returning bare values.
///
/// errors     also throws segment_error with the status of the lowest segment without an answer
template <reducible Range, segment_list Segments, class F, class Indices = index_in_row>
requires gpu_folded_range<Range, F>
auto reduce_segments(const gpu_engine& engine, const Range& range, const Segments& segments,
                     const F& f, Indices = {}) {
  return detail::values_of(try_reduce_segments(engine, range, segments, f, Indices{}), "segment");
}

#if defined(__CUDACC__)
template <class Range, segment_list Segments, class F, class... More,
          class Why = detail::gpu_why_not_t<Range, F>>
requires(!gpu_folded_range<Range, F>) void try_reduce_segments(const gpu_engine&, const Range&,
                                                               const Segments&, const F&,
                                                               More...) = delete;
template <class Range, segment_list Segments, class F, class... More,
          class Why = detail::gpu_why_not_t<Range, F>>
requires(!gpu_folded_range<Range, F>) void reduce_segments(const gpu_engine&, const Range&,
                                                           const Segments&, const F&,
                                                           More...) = delete;
template <class Range, segment_list Segments, class F, class Out, class... More,
          class Why = detail::gpu_why_not_t<Range, F>>
requires(!gpu_folded_range<Range, F>) void reduce_segments_into(const gpu_engine&, const Range&,
                                                                const Segments&, const F&,
                                                                const Out&, const gpu_workspace&,
                                                                More...) = delete;
template <class Range, segment_list Segments, class F, class Out, class... More,
          class Why = detail::gpu_why_not_t<Range, F>>
requires(!gpu_folded_range<Range, F>) void fold_segments_into(const gpu_engine&, const Range&,
                                                              const Segments&, const F&, Out*,
                                                              const gpu_workspace&,
                                                              More...) = delete;
#endif
template <class Range, segment_list Segments, class F, class Out, class... More,
          class Answer = finished_t<F, folded_item_t<Range, F>>,
          class Why = why::out_must_point_to<Answer>>
requires(gpu_folded_range<Range, F> &&
         !std::is_same_v<Out, Answer>) void reduce_segments_into(const gpu_engine&, const Range&,
                                                                 const Segments&, const F&, Out*,
                                                                 const gpu_workspace&,
                                                                 More...) = delete;

}  // namespace monofold
