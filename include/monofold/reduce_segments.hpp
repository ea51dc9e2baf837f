#pragma once
/// reduce_segments: one call that reduces each segment of a range.

#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "monofold/engine/segments.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/refused.hpp"
#include "monofold/shape/segments.hpp"
#include "monofold/shape/view.hpp"

namespace monofold {

/// Thrown where a segment or a row has no answer, or is not one.
class segment_error : public error {
 public:
  segment_error(status code, std::int64_t segment, const char* what = "segment")
      : error(code, what + (' ' + std::to_string(segment))), segment_(segment) {}

  /// The lowest such segment; of reduce_axis, the row by its place in the result.
  std::int64_t segment() const noexcept { return segment_; }

 private:
  std::int64_t segment_;
};

namespace detail {

/// The lowest row without an answer, found by several threads.
class lowest_failure {
 public:
  void note(std::int64_t row, status code) {
    const std::int64_t own = row << 8 | static_cast<std::int64_t>(code);
    std::int64_t lowest = __atomic_load_n(&lowest_, __ATOMIC_RELAXED);
    while (own < lowest && !__atomic_compare_exchange_n(&lowest_, &lowest, own, true,
                                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
  }
  void throw_if_any(const char* what) const {
    if (lowest_ == no_segment) return;
    throw segment_error(static_cast<status>(lowest_ & 0xff), lowest_ >> 8, what);
  }

 private:
  std::int64_t lowest_ = no_segment;
};

/// What `make` returns, which has room for so many answers.
///
/// errors     throws `error`, out_of_memory
template <class Make>
auto with_room(std::int64_t count, const Make& make) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {  // of a vector: more than there are addresses
  }
  throw error(status::out_of_memory, std::to_string(count) + " answers");
}
template <class Answer>
std::vector<Answer> room_for_answers(std::int64_t count) {
  return with_room(count, [=] { return std::vector<Answer>(static_cast<std::size_t>(count)); });
}

/// Answers by their rows; threads cannot write the bools of a vector side by side.
template <class Answer, class Fill>
std::vector<Answer> fill_answers(std::int64_t count, const Fill& fill) {
  if constexpr (std::is_same_v<Answer, bool>) {
    const auto out = with_room(count, [=] { return heap_array<bool>(count); });
    fill(out.data());
    return with_room(count, [&] { return std::vector<bool>(out.data(), out.data() + count); });
  } else {
    auto out = room_for_answers<Answer>(count);
    fill(out.data());
    return out;
  }
}

/// Leaves the values of answers, or throws naming the lowest row that has none.
template <class Answer, class Fold>
std::vector<Answer> values_of_rows(std::int64_t count, const char* what, const Fold& fold) {
  return fill_answers<Answer>(count, [&](Answer* out) {
    lowest_failure failed;
    fold([&](std::int64_t row, const result<Answer>& answer) {
      if (answer) {
        out[row] = *answer;
      } else {
        failed.note(row, answer.code());
      }
    });
    failed.throw_if_any(what);
  });
}

/// Leaves what `finish` gives.
template <class Finished, class Fold>
void finish_rows(Finished* out, const Fold& fold) {
  fold([out](std::int64_t row, const auto& answer) {
    if constexpr (std::is_same_v<Finished, std::remove_cvref_t<decltype(answer)>>) {
      out[row] = answer;
    } else {
      out[row] = *answer;
    }
  });
}

/// Whether a row of no items has something to leave where `finish` gives no `result`.
template <class F, class Item>
inline constexpr bool can_finish_empty_v =
    has_identity_v<bound_fold_t<F, Item>> ||
    !std::is_same_v<finished_t<F, Item>, answer_t<bound_fold_t<F, Item>>>;

/// The segments of a range, checked and shared out.
template <class Range, class F, class Segments>
class checked_segments {
 public:
  using item = folded_item_t<Range, F>;
  using bound = bound_fold_t<F, item>;
  using answer = answer_t<bound>;

  checked_segments(const cpu_engine& engine, const Range& range, const Segments& segments,
                   const F& f)
      : engine_(engine), fold_(bind_fold<item>(f)), view_(view_for<F>(range)), segments_(segments) {
    if (view_.size() < 0 || size() < 0) {
      throw error(status::invalid_argument, "a negative count");
    }
    if constexpr (contiguous_item_view<folded_view_t<Range, F>>) {
      if (view_.size() > 0 && view_.data() == nullptr) {
        throw error(status::invalid_argument, "null items");
      }
    }
    work_ = with_room(size(), [&] { return share_segments<item>(engine, segments, view_.size()); });
    if (work_.bad != no_segment) throw segment_error(status::invalid_argument, work_.bad);
  }

  std::int64_t size() const { return count_of(segments_); }
  std::int64_t lowest_empty() const { return work_.empty; }
  template <class Indices, class Put>
  void fold(const Put& put) const {
    fold_segments<Indices>(engine_, fold_, view_, segments_, work_, put);
  }

 private:
  cpu_engine engine_;
  bound fold_;
  folded_view_t<Range, F> view_;
  Segments segments_;
  segment_work work_;
};

}  // namespace detail

/// Reduces each segment of a range, as if it were an array of its own.
///
/// shape      range: as `reduce`; segments: offset_segments, range_segments, fixed_segments or any
///            segment_list. An answer a segment, in their order; of no items: the fold's identity, finished, or
///            `empty_input`
/// order      the bits of a segment are those of `reduce` of its items, whatever lies around it. Indices (of
///            extrema, say) count from the segment's first item; with `global_index` from the range's
/// sync       as `reduce`
/// errors     throws segment_error, invalid_argument: the lowest segment that ends before it begins or lies
///            outside the range; `error`, out_of_memory: room for the answers. Nothing is folded then. The answers
///            hold what `finish` returns
/// cost       one pass over the items and two over the segments; no state a segment is kept. Long segments are
///            shared by threads, short ones not, so no mixture of lengths is bad
/// tested by  tests/api/reduce_segments_test.cpp
template <reducible Range, segment_list Segments, class F, class Indices = index_in_row>
requires folded_range<Range, F>
auto try_reduce_segments(const cpu_engine& engine, const Range& range, const Segments& segments,
                         const F& f, Indices = {}) {
  const detail::checked_segments<Range, F, Segments> all(engine, range, segments, f);
  using answer = result<typename decltype(all)::answer>;
  return detail::fill_answers<answer>(all.size(), [&](answer* out) {
    detail::finish_rows(out, [&](const auto& put) { all.template fold<Indices>(put); });
  });
}

/// The same, returning bare values.
///
/// errors     also throws segment_error with the status of the lowest segment without an answer
template <reducible Range, segment_list Segments, class F, class Indices = index_in_row>
requires folded_range<Range, F>
auto reduce_segments(const cpu_engine& engine, const Range& range, const Segments& segments,
                     const F& f, Indices = {}) {
  const detail::checked_segments<Range, F, Segments> all(engine, range, segments, f);
  return detail::values_of_rows<typename decltype(all)::answer>(
      all.size(), "segment", [&](const auto& put) { all.template fold<Indices>(put); });
}

/// The same, left where `out` points: what `finish` of the fold returns, a value or a `result`, a segment.
///
/// errors     also throws segment_error, empty_input: an empty segment where `finish` returns bare values and
///            there is no identity. Nothing is written then
template <reducible Range, segment_list Segments, class F, class Indices = index_in_row>
requires folded_range<Range, F>
void reduce_segments_into(const cpu_engine& engine, const Range& range, const Segments& segments,
                          const F& f, finished_t<F, folded_item_t<Range, F>>* out, Indices = {}) {
  const detail::checked_segments<Range, F, Segments> all(engine, range, segments, f);
  if (!detail::can_finish_empty_v<F, folded_item_t<Range, F>> &&
      all.lowest_empty() != detail::no_segment) {
    throw segment_error(status::empty_input, all.lowest_empty());
  }
  detail::finish_rows(out, [&](const auto& put) { all.template fold<Indices>(put); });
}

}  // namespace monofold
