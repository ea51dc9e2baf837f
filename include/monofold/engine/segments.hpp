#pragma once
/// engine/segments: folds segments of a view on the threads of this machine, each as its own array.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>
#include <vector>

#include "monofold/engine/cpu.hpp"
#include "monofold/engine/long_rows.hpp"
#include "monofold/fold/all.hpp"
#include "monofold/fold/exact/few.hpp"
#include "monofold/level/core.hpp"
#include "monofold/level/core_all.hpp"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/shape/segments.hpp"
#include "monofold/shape/view.hpp"

namespace monofold {

namespace detail {

/// A thread takes pieces of neighbouring segments that read so much together: the unit of work of one large
/// array. What starting and finishing a segment costs counts as so many bytes.
inline constexpr std::int64_t piece_bytes = 256 << 10;
inline constexpr std::int64_t row_work_bytes = 64;

/// Segments that one thread looks through at a time when they are shared out.
inline constexpr std::int64_t scanned_segments = 1 << 16;

inline constexpr std::int64_t no_segment = std::numeric_limits<std::int64_t>::max();

/// Rows of more items than this are cut at nodes.
template <class Item>
inline constexpr std::int64_t most_row_items = std::int64_t{tile_items_v<Item>} << span_level;

/// What there is to do for some segments.
struct segment_work {
  std::vector<std::int64_t> pieces;  // the first segment of each; long ones are left out
  std::vector<std::int64_t> rows;    // long segments
  std::int64_t bad = no_segment;     // the lowest that ends before it begins, or lies outside
  std::int64_t empty = no_segment;   // the lowest without items

  void append(const segment_work& next) {
    pieces.insert(pieces.end(), next.pieces.begin(), next.pieces.end());
    rows.insert(rows.end(), next.rows.begin(), next.rows.end());
    bad = std::min(bad, next.bad);
    empty = std::min(empty, next.empty);
  }
};

template <class Item, segment_list Segments>
segment_work scan_segments(const Segments& segments, std::int64_t first, std::int64_t end,
                           std::int64_t num_items) {
  segment_work work;
  std::int64_t bytes = piece_bytes;  // the first segment begins a piece
  for (std::int64_t s = first; s < end; ++s) {
    const std::int64_t from = segments.begin(s);
    const std::int64_t to = segments.end(s);
    if (from < 0 || to < from || to > num_items) {
      work.bad = s;
      return work;
    }
    const std::int64_t count = to - from;
    if (count == 0) work.empty = std::min(work.empty, s);
    if (count > most_row_items<Item>) {
      work.rows.push_back(s);
    } else {
      if (bytes >= piece_bytes) {
        work.pieces.push_back(s);
        bytes = 0;
      }
      bytes += row_work_bytes + count * static_cast<std::int64_t>(sizeof(Item));
    }
  }
  return work;
}

/// Shares out segments of a view of `num_items` items.
template <class Item, segment_list Segments>
segment_work share_segments(const cpu_engine& engine, const Segments& segments,
                            std::int64_t num_items) {
  const std::int64_t count = count_of(segments);
  const std::int64_t num_scans = (count + scanned_segments - 1) / scanned_segments;
  std::vector<segment_work> parts(static_cast<std::size_t>(num_scans));
  parallel_for(engine.num_threads, num_scans, [&](std::int64_t i) {
    const std::int64_t first = i * scanned_segments;
    parts[static_cast<std::size_t>(i)] =
        scan_segments<Item>(segments, first, std::min(count, first + scanned_segments), num_items);
  });
  segment_work all;
  for (const segment_work& part : parts) all.append(part);
  return all;
}

/// The state of a row that lies side by side, 1 to most_row_items of them; `index`: its first item's.
template <class F, class Item>
typename F::state fold_row(const F& f, const Item* items, std::int64_t count, std::int64_t index) {
  if (count <= tile_items_v<Item>) {
    return row_folder<F, Item>::fold(f, items, static_cast<int>(count), index);
  }
  return fold_node(f, contiguous_view<Item>(items, count), 0, count, index);
}

/// The answer for such a row.
template <class F, class Item>
result<answer_t<F>> answer_of_row(const F& f, const Item* items, std::int64_t count,
                                  std::int64_t index) {
  if constexpr (few_answers<F>::known) {
    result<answer_t<F>> out;
    if (count <= few_items && few_answers<F>::find(items, count, out)) return out;
  }
  return finish_state(f, fold_row(f, items, count, index));
}

/// That of several folds: of a few items each has its own way.
template <class Item, class First, class... Rest>
auto answers_of_row(const fold_list<First, Rest...>& folds, const Item* items, std::int64_t count,
                    std::int64_t index) -> result<std::tuple<answer_t<First>, answer_t<Rest>...>> {
  const result<answer_t<First>> first = answer_of_row(folds.first, items, count, index);
  if constexpr (sizeof...(Rest) == 0) {
    return answers_of<First>(first, std::tuple<>{});
  } else {
    return answers_of<First, Rest...>(first, answers_of_row(folds.rest, items, count, index));
  }
}
template <class Item, class... Folds>
auto answer_of_row(const all_fold<Folds...>& f, const Item* items, std::int64_t count,
                   std::int64_t index) -> result<answer_t<all_fold<Folds...>>> {
  if (count <= few_items) return answers_of_row(f.members, items, count, index);
  return finish_state(f, fold_row(f, items, count, index));
}

/// Answers for segments of a view, one after the other, on one thread.
template <class F, class View>
class segment_folder {
 public:
  using item = typename View::item_type;

  segment_folder(const F& f, const View& view)
      : fold_(f), view_(view), buffer_(is_read_in_place ? 0 : tile_items_v<item>) {}

  /// The answer of 1 to most_row_items items; `index`: the first one's.
  result<answer_t<F>> answer(std::int64_t at, std::int64_t count, std::int64_t index) const {
    if constexpr (is_read_in_place) {
      return answer_of_row(fold_, view_.data() + at, count, index);
    } else {
      if (count > tile_items_v<item>) {
        return finish_state(fold_, fold_node(fold_, view_, at, count, index - at));
      }
      for (std::int64_t i = 0; i < count; ++i) buffer_[i] = view_[at + i];
      return answer_of_row(fold_, buffer_.data(), count, index);
    }
  }

 private:
  static constexpr bool is_read_in_place = contiguous_item_view<View>;

  const F& fold_;
  const View& view_;
  heap_array<item> buffer_;
};

}  // namespace detail

/// Folds each segment of a view as an array of its own, and hands on its answer.
///
/// shape      put(s, answer) takes a `result` for each segment, from any thread; `work`: of share_segments,
///            which found no bad segment
/// order      the plan's tree over the segment's own tiles: the bits of a segment depend on its items alone,
///            wherever it lies and whatever else is there
/// sync       as fold_tiles of engine/cpu
/// cost       one pass over the items. Work is shared by bytes: many short segments are one thread's, and long
///            ones, of more than 64 tiles, are cut at nodes of their trees
/// tested by  tests/api/reduce_segments_test.cpp
template <class Indices, class F, class View, segment_list Segments, class Put>
void fold_segments(const cpu_engine& engine, const F& f, const View& view, const Segments& segments,
                   const detail::segment_work& work, const Put& put) {
  using item = typename View::item_type;
  constexpr std::int64_t tile = tile_items_v<item>;
  constexpr bool is_global = std::is_same_v<Indices, index_in_all>;
  const std::int64_t num_pieces = std::ssize(work.pieces);
  detail::parallel_for(engine.num_threads, num_pieces, [&](std::int64_t piece) {
    const auto place = static_cast<std::size_t>(piece);
    const std::int64_t end =
        piece + 1 < num_pieces ? work.pieces[place + 1] : detail::count_of(segments);
    const detail::segment_folder<F, View> folder(f, view);
    for (std::int64_t s = work.pieces[place]; s < end; ++s) {
      const std::int64_t at = segments.begin(s);
      const std::int64_t count = segments.end(s) - at;
      if (count == 0) {
        put(s, finish_empty(f));
      } else if (count <= detail::most_row_items<item>) {
        put(s, folder.answer(at, count, is_global ? at : 0));
      }
    }
  });
  const auto row = [&](std::int64_t group) { return work.rows[static_cast<std::size_t>(group)]; };
  detail::fold_long_rows(
      engine, f, std::ssize(work.rows), 1,
      [&](std::int64_t group) {
        return tile_count<item>(segments.end(row(group)) - segments.begin(row(group)));
      },
      [&](std::int64_t group, const tree_node& node, typename F::state* out) {
        const std::int64_t begin = segments.begin(row(group));
        const std::int64_t at = begin + node.first_tile() * tile;
        const std::int64_t end =
            std::min<std::int64_t>(begin + node.end_tile() * tile, segments.end(row(group)));
        *out = detail::fold_node(f, view, at, end - at, is_global ? 0 : -begin);
      },
      [&](std::int64_t group, typename F::state* total) {
        put(row(group), finish_state(f, *total));
      });
}

}  // namespace monofold
