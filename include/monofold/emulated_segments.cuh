#pragma once
/// emulated_segments: calls that reduce each segment of a range in host memory, on the emulated device.

#include <cstdint>
#include <vector>

#include "monofold/emulated.cuh"
#include "monofold/reduce_segments.cuh"
#include "monofold/refused.cuh"
#include "monofold/shape/segments.hpp"
#include "monofold/shape/view.hpp"

namespace monofold {

namespace detail {

/// A view as the emulated device gets it: items side by side are copied, others are computed from what lies in host
/// memory.
template <class View>
class emulated_view {
 public:
  explicit emulated_view(const View& from) : view_(from) {}
  const View& view() const { return view_; }

 private:
  View view_;
};

template <contiguous_item_view View>
class emulated_view<View> {
 public:
  using item = typename View::item_type;

  explicit emulated_view(const View& from) : view_(from.data(), from.size()) {
    if (from.size() <= 0 || from.data() == nullptr) return;  // refused, or nothing to copy
    throw_if(copy_.make(view_));
    view_ = copy_.view();
  }
  const contiguous_view<item>& view() const { return view_; }

 private:
  emulated_copy<item> copy_;
  contiguous_view<item> view_;
};

/// A list of segments as the emulated device gets it: a list of a user's reads host memory.
template <class Segments>
class emulated_list {
 public:
  explicit emulated_list(const Segments& from) : list_(from) {}
  const Segments& list() const { return list_; }

 private:
  Segments list_;
};

template <class Offset>
class emulated_list<offset_segments<Offset>> {
 public:
  using list_type = offset_segments<Offset>;

  explicit emulated_list(const list_type& from) : list_(from) {
    if (from.size() <= 0) return;
    std::vector<Offset> offsets;
    for (std::int64_t s = 0; s < from.size(); ++s) {
      offsets.push_back(static_cast<Offset>(from.begin(s)));
    }
    offsets.push_back(static_cast<Offset>(from.end(from.size() - 1)));
    throw_if(copy_.make({offsets.data(), std::ssize(offsets)}));
    list_ = list_type(copy_.data(), from.size());
  }
  const list_type& list() const { return list_; }

 private:
  emulated_copy<Offset> copy_;
  list_type list_;
};

template <class Offset>
class emulated_list<range_segments<Offset>> {
 public:
  using list_type = range_segments<Offset>;

  explicit emulated_list(const list_type& from) : list_(from) {
    if (from.size() <= 0) return;
    std::vector<Offset> starts;
    std::vector<Offset> stops;
    for (std::int64_t s = 0; s < from.size(); ++s) {
      starts.push_back(static_cast<Offset>(from.begin(s)));
      stops.push_back(static_cast<Offset>(from.end(s)));
    }
    throw_if(starts_.make({starts.data(), from.size()}));
    throw_if(stops_.make({stops.data(), from.size()}));
    list_ = list_type(starts_.data(), stops_.data(), from.size());
  }
  const list_type& list() const { return list_; }

 private:
  emulated_copy<Offset> starts_;
  emulated_copy<Offset> stops_;
  list_type list_;
};

}  // namespace detail

/// Reduces each segment of a range in host memory, by the kernels of the GPU engine: a `result` a segment.
///
/// shape      range: as `reduce` of the emulated device; segments: lists whose arrays lie in host memory. Those of
///            offset_segments and range_segments are copied
/// order      as on the CPU, with its bits
/// sync       as `reduce` of the emulated device
/// errors     as `try_reduce_segments` of a GPU
/// tested by  tests/emulation/segments_test.cu
template <reducible Range, segment_list Segments, class F, class Indices = index_in_row>
requires gpu_folded_range<Range, F>
auto try_reduce_segments(const emulated_engine&, const Range& range, const Segments& segments,
                         const F& f, Indices = {}) {
  const detail::emulated_view<folded_view_t<Range, F>> items(detail::view_for<F>(range));
  const detail::emulated_list<Segments> own(segments);
  return try_reduce_segments(gpu, items.view(), own.list(), f, Indices{});
}

/// The same, returning bare values.
///
/// errors     also throws segment_error with the status of the lowest segment without an answer
template <reducible Range, segment_list Segments, class F, class Indices = index_in_row>
requires gpu_folded_range<Range, F>
auto reduce_segments(const emulated_engine& engine, const Range& range, const Segments& segments,
                     const F& f, Indices = {}) {
  return detail::values_of(try_reduce_segments(engine, range, segments, f, Indices{}), "segment");
}

}  // namespace monofold
