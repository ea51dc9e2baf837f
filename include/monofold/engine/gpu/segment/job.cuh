#pragma once
/// engine/gpu/segment/job: what kernels of segments have to do, and where answers go.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/segment/indices.cuh"
#include "monofold/engine/gpu/segment/stretch_range.cuh"
#include "monofold/engine/gpu/segment/work_list.cuh"
#include "monofold/fold/fold.hpp"
#include "monofold/fold/shift_indices.hpp"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/shape/part.hpp"
#include "monofold/shape/segments.hpp"
#include "monofold/shape/view.hpp"

namespace monofold::detail {

/// Where the answer of each segment goes, or its state.
template <class Answer>
struct segment_answers {
  Answer* out;
  MONOFOLD_GPU answer_sink<Answer> of(std::int64_t segment) const { return {out + segment}; }
};
template <class State>
struct segment_states {
  State* out;
  MONOFOLD_GPU state_sink<State> of(std::int64_t segment) const { return {out + segment}; }
};

/// Gives the sink the identity or answer of no items; false where there is none.
template <class F, class Sink>
MONOFOLD_GPU bool finish_nothing(const F& f, const Sink& sink) {
  if constexpr (has_identity_v<F>) {
    sink(f, f.identity());
    return true;
  } else if constexpr (requires { *sink.out = status::empty_input; }) {
    *sink.out = status::empty_input;
    return true;
  } else {
    return false;
  }
}

/// Whether segments may lie apart in memory.
template <class Segments>
inline constexpr bool have_gaps_v = true;
template <class Offset>
inline constexpr bool have_gaps_v<offset_segments<Offset>> = false;

/// Where a segment begins and ends in its view.
struct segment_ends {
  std::int64_t begin;
  std::int64_t end;
  MONOFOLD_GPU std::int64_t count() const { return end - begin; }
};

/// Whether a list may say that its segments are several stretches of memory each.
template <class Segments>
concept have_stretches = requires(const Segments& segments) {
  segments.stretches();
};

/// From what exact sums load the items of a segment.
template <class View, class Segments>
struct range_of_segments {
  using type = segment_ends;
};
template <contiguous_item_view View, class Segments>
struct range_of_segments<View, Segments> {
  using item = typename View::item_type;
  using type =
      std::conditional_t<have_stretches<Segments>, stretch_range<item>, aligned_range<item>>;
};

/// A fold of each segment of a view. `from_view`: indices count from the view's first item; if not, from the
/// segment's.
template <class F, class View, class Segments, class Sinks, bool from_view>
struct segment_job {
  using fold = F;
  using view_type = View;
  using segments_type = Segments;
  using item = typename View::item_type;
  using state = typename F::state;
  static constexpr int tile_items = tile_items_v<item>;

  handed_layout layout;
  std::int64_t size;  // of the view
  Sinks sinks;
  Segments segments;
  View view;
  F f;

  MONOFOLD_GPU segment_ends ends_of(std::int64_t segment) const {
    return {static_cast<std::int64_t>(segments.begin(segment)),
            static_cast<std::int64_t>(segments.end(segment))};
  }
  MONOFOLD_GPU bool is_good(const segment_ends& ends) const {
    return ends.begin >= 0 && ends.end >= ends.begin && ends.end <= size;
  }
  MONOFOLD_GPU bool is_short(const segment_ends& ends) const {
    return is_good(ends) && ends.count() <= tile_items;
  }
  MONOFOLD_GPU static std::int64_t tiles_of(const segment_ends& ends) {
    return (ends.count() + tile_items - 1) / tile_items;
  }

  /// The segment as a view of its own.
  MONOFOLD_GPU auto part(const segment_ends& ends) const {
    if constexpr (contiguous_item_view<View>) {
      return contiguous_view<item>(view.data() + ends.begin, ends.count());
    } else {
      return part_view<View>(view, ends.begin, ends.count());
    }
  }
  using part_type =
      std::conditional_t<contiguous_item_view<View>, contiguous_view<item>, part_view<View>>;

  /// The items of the segment, as exact sums load them.
  using range_type = typename range_of_segments<View, Segments>::type;
  MONOFOLD_GPU range_type range_of(const segment_ends& ends) const {
    if constexpr (!contiguous_item_view<View>) {
      return ends;  // they load none
    } else if constexpr (have_stretches<Segments>) {
      const row_stretches* const stretches = segments.stretches();
      if (stretches == nullptr) {
        return {aligned_range_of(view.data() + ends.begin, ends.count()), nullptr};
      }
      return {{view.data() + stretches->begin(ends.begin), 0, ends.count()}, stretches};
    } else {
      return aligned_range_of(view.data() + ends.begin, ends.count());
    }
  }

  /// The sink of a segment.
  MONOFOLD_GPU auto sink_of(std::int64_t segment, const segment_ends& ends) const {
    if constexpr (from_view) {
      static_assert(can_count_elsewhere_v<F>, "global_index is for extrema");
      const auto sink = sinks.of(segment);
      return counted_sink<std::remove_const_t<decltype(sink)>, add_offset>{sink, {ends.begin}};
    } else {
      return sinks.of(segment);
    }
  }
};

/// Lists a segment that is not short, answers for an empty one, or reports a wrong one.
///
/// sync       all lanes of the warp; `is_one`: this lane has such a segment
template <class Job>
MONOFOLD_GPU void see_to_other(const Job& job, const segment_launch& plan, const work_list& list,
                               bool is_one, std::int64_t segment, const segment_ends& ends) {
  const bool is_good = job.is_good(ends);
  const std::int64_t tiles = is_one && is_good ? job.tiles_of(ends) : 0;
  if (any_lane(tiles > 1)) work_list::append(list, plan, segment, tiles > 1 ? tiles : 0);
  if (!is_one) return;
  if (!is_good) list.report_bad(segment);
  if (is_good && tiles == 0 && !finish_nothing(job.f, job.sinks.of(segment))) {
    list.report_empty(segment);
  }
}

}  // namespace monofold::detail
