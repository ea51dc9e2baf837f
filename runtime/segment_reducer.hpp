#pragma once
/// runtime/segment_reducer: reduces segments of an array whose type and operations are chosen at run time.

#include <cstdint>

#include "monofold/engine/segments.hpp"
#include "runtime/answer_sink.hpp"
#include "runtime/row_reducer.hpp"

namespace monofold::runtime {

/// Segment s has the items [starts[s], stops[s]).
struct segment_request {
  const void* items;
  std::int64_t num_items;
  const std::int64_t* starts;
  const std::int64_t* stops;
  std::int64_t count;
};

/// Reduces each segment as an array of its own.
///
/// order      the bits of a segment are those of a `reducer` that gets its items; indices count from its first one
/// sync       `request.num_threads` threads
/// cost       one pass over the items and two over the segments. Threads share short segments by bytes, and each
///            of those that hold more than a thread's share: no mixture of lengths is bad
/// tested by  tests/runtime/segment_reducer_test.cpp
class segment_reducer {
 public:
  segment_reducer(const row_reducer& rows, const segment_request& segments);

  /// The first segment that ends before it begins or lies outside the array, or -1.
  std::int64_t bad_segment() const {
    return work_.bad != monofold::detail::no_segment ? work_.bad : -1;
  }
  /// Where no segment is bad.
  void fold(answer_sink& out) const;

 private:
  std::int64_t length(std::int64_t s) const { return all_.stops[s] - all_.starts[s]; }
  const char* first_item(std::int64_t s) const {
    return static_cast<const char*>(all_.items) + all_.starts[s] * item_bytes_;
  }
  std::int64_t num_like(std::int64_t first, std::int64_t end) const;
  void fold_piece(std::int64_t first, std::int64_t end, answer_sink& out) const;
  void fold_long(answer_sink& out) const;

  const row_reducer& rows_;
  segment_request all_;
  std::int64_t item_bytes_;
  monofold::detail::segment_work work_;
};

}  // namespace monofold::runtime
