#include "runtime/lane_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "monofold/engine/axes.hpp"
#include "monofold/platform/strict_arithmetic.hpp"
#include "runtime/lane_totals.hpp"
#include "runtime/lanes.hpp"

namespace monofold::runtime {

namespace {

using slow_answers = std::function<void(const void* first, std::int64_t row, int width)>;

/// What a thread works with: states of `width` rows, or of as many tiles of one.
struct lane_room {
  lane_room(const lane_request& what, std::int64_t width, std::int64_t total_width)
      : first(array_for(width + lane_padding)),
        second(array_for(width + lane_padding)),
        scratch(array_for((width + lane_padding) * scratch_words)),
        squares(array_for(what.fold == lane_fold::moments ? 3 * (width + lane_padding) : 0)),
        padded_width(width + lane_padding),
        totals(make_lane_totals(what, total_width)) {}

  lane_states states() {
    return {first.get(),
            second.get(),
            scratch.get(),
            squares.get(),
            squares.get() + padded_width,
            squares.get() + 2 * padded_width};
  }

  using array = std::unique_ptr<double[]>;
  static array array_for(std::int64_t count) {
    return std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(count));
  }

  array first;
  array second;
  array scratch;
  array squares;
  std::int64_t padded_width;
  std::unique_ptr<lane_totals> totals;
};

/// The arithmetic that lanes ask for.
class lane_arithmetic {
 public:
  explicit lane_arithmetic(const lane_request& what) {
    if (what.fold == lane_fold::exact_sum || what.fold == lane_fold::moments) strict_.emplace();
  }

 private:
  std::optional<strict_arithmetic> strict_;
};

/// Folds the rows of an array of items of so many bytes.
template <class Word>
class lane_walker {
 public:
  using row_group = monofold::detail::row_group<Word>;

  lane_walker(const lane_request& what, const Word* first, const array_rows& rows, int num_threads,
              answer_sink& out, const slow_answers& answer_slowly)
      : what_(what),
        first_(first),
        rows_(rows),
        num_threads_(num_threads),
        threads_(monofold::detail::concurrency(num_threads)),
        loops_(find_lane_loops(what.fold, what.type)),
        out_(out),
        answer_slowly_(answer_slowly) {}

  bool fold() const {
    if (loops_.fold_rows == nullptr) return false;
    if (what_.fold == lane_fold::moments &&
        (rows_.row_items <= what_.ddof || rows_.row_items > most_spread_items)) {
      return false;
    }
    const bool in_rows = rows_.is_contiguous();
    if (!in_rows && (rows_.inner().stride != 1 || rows_.inner().extent < least_columns)) {
      return false;
    }
    if (!in_rows && part_tiles() < num_tiles()) {
      fold_columns_in_parts();
      return true;
    }
    const std::int64_t row_bytes = rows_.row_items * std::int64_t{sizeof(Word)};
    const std::int64_t fit = std::max<std::int64_t>(1, monofold::detail::piece_bytes / row_bytes);
    const std::int64_t width =
        in_rows ? std::min({rows_.inner().extent, most_rows, fit}) : columns_together();
    const monofold::detail::row_groups<Word> groups(first_, rows_, width);
    const std::int64_t count = groups.count();
    if (in_rows && threads_ > 1 && rows_.row_items > tile_items() && count < 4 * threads_)
      return false;
    const std::int64_t share =
        std::max<std::int64_t>(1, std::min(4 * fit / width, count / (8 * threads_)));
    monofold::detail::parallel_for(
        num_threads_, (count + share - 1) / share, [&](std::int64_t piece) {
          const bool by_tiles = in_rows && rows_.row_items > tile_items();
          lane_room room(what_, by_tiles ? tiles_at_once : width, by_tiles ? 1 : width);
          const lane_arithmetic arithmetic(what_);
          for (std::int64_t g = piece * share; g < std::min(count, (piece + 1) * share); ++g) {
            if (!in_rows) {
              fold_columns(groups[g], room);
            } else if (by_tiles) {
              fold_long_rows(groups[g], room);
            } else {
              fold_short_rows(groups[g], room);
            }
          }
        });
    return true;
  }

 private:
  static constexpr std::int64_t plan_tile = tile_items_v<Word>;
  static constexpr std::int64_t exact_tile = 256;
  static constexpr std::int64_t tiles_at_once = 64;
  static constexpr std::int64_t most_rows = 1024;
  static constexpr std::int64_t most_columns = 4096 / sizeof(Word);
  static constexpr std::int64_t least_columns = 8;

  /// Exact sums may be cut anywhere; the fewer items, the more often one double holds the sum of each column.
  std::int64_t tile_items() const {
    const bool is_exact = what_.fold == lane_fold::exact_sum || what_.fold == lane_fold::moments;
    return is_exact && !rows_.is_contiguous() ? exact_tile : plan_tile;
  }

  std::int64_t num_tiles() const { return (rows_.row_items + tile_items() - 1) / tile_items(); }

  /// Long stretches of each row of memory, but states that stay in the first-level cache, and some blocks for
  /// each thread.
  std::int64_t columns_together() const {
    const std::int64_t most = rows_.row_items < 8 ? most_columns / 2 : most_columns;
    const std::int64_t share = threads_ == 1 ? most : num_tiles() * rows_.num_rows / (4 * threads_);
    return std::min(rows_.inner().extent,
                    std::max(std::min(most, share), monofold::detail::least_columns<Word>));
  }

  /// The tiles of columns that a thread takes at a time, a power of two: all of them, unless there are too few blocks
  /// of columns for the threads.
  std::int64_t part_tiles() const {
    const std::int64_t width = columns_together();
    const std::int64_t blocks =
        rows_.num_rows / rows_.inner().extent * ((rows_.inner().extent + width - 1) / width);
    if (threads_ == 1 || blocks >= 4 * threads_) return num_tiles();
    const std::int64_t parts = 8 * threads_ / blocks;
    const std::int64_t tile_bytes = width * tile_items() * std::int64_t{sizeof(Word)};
    const std::int64_t least = (monofold::detail::piece_bytes / 4 + tile_bytes - 1) / tile_bytes;
    const std::int64_t share = (num_tiles() + parts - 1) / parts;
    return static_cast<std::int64_t>(
        std::bit_ceil(static_cast<std::uint64_t>(std::max(least, share))));
  }

  /// Whether there is nothing but items between the first one in memory and the last one.
  bool fills_memory() const {
    std::int64_t span = 1;
    const auto add = [&](const axis_step& step) {
      span += (step.extent - 1) * monofold::detail::distance(step.stride);
    };
    std::for_each(rows_.kept, rows_.kept + rows_.num_kept, add);
    std::for_each(rows_.reduced, rows_.reduced + rows_.num_reduced, add);
    return span == rows_.num_rows * rows_.row_items;
  }

  void fold_short_rows(const row_group& group, lane_room& room) const {
    loops_.fold_rows({group.first, rows_.inner().stride, group.width, rows_.row_items}, what_.order,
                     room.states());
    answer(group, room.states(), *room.totals);
  }

  void fold_long_rows(const row_group& group, lane_room& room) const {
    const std::int64_t tile = tile_items();
    lane_totals& totals = *room.totals;
    for (int r = 0; r < group.width; ++r) {
      const row_group row{group.first + r * rows_.inner().stride,
                          group.row + r * rows_.inner().number, 1};
      totals.clear();
      const std::int64_t full = rows_.row_items / tile;
      for (std::int64_t t = 0; t < full; t += tiles_at_once) {
        const std::int64_t count = std::min(tiles_at_once, full - t);
        loops_.fold_rows({row.first + t * tile, tile, count, tile}, what_.order, room.states());
        for (std::int64_t i = 0; i < count; ++i) {
          totals.push(room.states(), i, (t + i) * tile);
        }
      }
      if (const std::int64_t rest = rows_.row_items % tile; rest > 0) {
        loops_.fold_rows({row.first + full * tile, rest, 1, rest}, what_.order, room.states());
        totals.push(room.states(), 0, full * tile);
      }
      answer(row, totals.total(), totals);
    }
  }

  void fold_columns(const row_group& group, lane_room& room) const {
    push_tiles(group, room, 0, rows_.row_items);
    answer(group, rows_.row_items > tile_items() ? room.totals->total() : room.states(),
           *room.totals);
  }

  /// Items [begin, end) of each column; a single tile is left where the room's states are.
  void push_tiles(const row_group& group, lane_room& room, std::int64_t begin,
                  std::int64_t end) const {
    std::int64_t offsets[plan_tile];
    const std::int64_t tile = tile_items();
    const bool is_dense = fills_memory();
    room.totals->clear();
    for (std::int64_t at = begin; at < end; at += tile) {
      const std::int64_t count = std::min(tile, end - at);
      monofold::detail::row_walk walk(rows_, at);
      for (std::int64_t i = 0; i < count; walk.next_stretch()) {
        const std::int64_t stop = std::min(count, i + walk.items_left());
        for (std::int64_t k = 0; i < stop; ++i, ++k) offsets[i] = walk.offset() + k * walk.stride();
      }
      loops_.fold_columns({group.first, offsets, count, group.width, is_dense}, what_.order,
                          room.states());
      if (rows_.row_items > tile) room.totals->push(room.states(), 0, at);
    }
  }

  /// Long columns of which there are few: threads share their tiles, and parts meet as tiles do.
  void fold_columns_in_parts() const {
    const std::int64_t width = columns_together();
    const std::int64_t part = part_tiles() * tile_items();
    const std::int64_t parts = (rows_.row_items + part - 1) / part;
    const monofold::detail::row_groups<Word> groups(first_, rows_, width);
    std::vector<std::unique_ptr<lane_totals>> totals(
        static_cast<std::size_t>(groups.count() * parts));
    const auto total_of = [&](std::int64_t group,
                              std::int64_t number) -> std::unique_ptr<lane_totals>& {
      return totals[static_cast<std::size_t>(group * parts + number)];
    };
    monofold::detail::parallel_for(num_threads_, groups.count() * parts, [&](std::int64_t i) {
      lane_room room(what_, width, width);
      const lane_arithmetic arithmetic(what_);
      const std::int64_t begin = i % parts * part;
      push_tiles(groups[i / parts], room, begin, std::min(begin + part, rows_.row_items));
      total_of(i / parts, i % parts) = std::move(room.totals);
    });
    for (std::int64_t g = 0; g < groups.count(); ++g) {
      const lane_arithmetic arithmetic(what_);
      const std::unique_ptr<lane_totals> all = make_lane_totals(what_, width);
      for (std::int64_t i = 0; i < parts; ++i) all->join(*total_of(g, i));
      const row_group group = groups[g];
      const bool are_known = all->finish(all->total(), group.width, rows_.row_items);
      const std::int64_t share = are_known ? group.width : (group.width + threads_ - 1) / threads_;
      monofold::detail::parallel_for(
          num_threads_, (group.width + share - 1) / share, [&](std::int64_t i) {
            const int begin = static_cast<int>(i * share);
            const int end = static_cast<int>(std::min<std::int64_t>(group.width, begin + share));
            hand_on(group, begin, end, are_known, *all);
          });
    }
  }

  void answer(const row_group& group, const lane_states& states, lane_totals& totals) const {
    const bool are_known = totals.finish(states, group.width, rows_.row_items);
    hand_on(group, 0, group.width, are_known, totals);
  }

  /// Hands on answers of a group; if not all are known, NaN of exact sums stand for those to be found another way.
  void hand_on(const row_group& group, int begin, int end, bool are_known,
               const lane_totals& totals) const {
    if (are_known) return keep(group, begin, end, totals);
    const auto* const values = static_cast<const double*>(totals.values());
    for (int c = begin; c < end;) {
      int next = c;
      while (next < end && !std::isnan(values[next])) ++next;
      if (next > c) keep(group, c, next, totals);
      for (c = next; next < end && std::isnan(values[next]);) ++next;
      if (next > c) {
        answer_slowly_(group.first + c * rows_.inner().stride, group.row + c * rows_.inner().number,
                       next - c);
      }
      c = next;
    }
  }

  void keep(const row_group& group, int begin, int end, const lane_totals& totals) const {
    const auto bytes = static_cast<std::int64_t>(monofold::info(totals.type()).size_bytes);
    out_.keep_numbers({what_.op, group.row + begin * rows_.inner().number, rows_.inner().number,
                       end - begin, totals.type(),
                       static_cast<const char*>(totals.values()) + begin * bytes,
                       totals.indices() != nullptr ? totals.indices() + begin : nullptr});
  }

  const lane_request& what_;
  const Word* first_;
  const array_rows& rows_;
  int num_threads_;
  std::int64_t threads_;
  lane_loops loops_;
  answer_sink& out_;
  const slow_answers& answer_slowly_;
};

}  // namespace

bool answer_by_lanes(const row_reducer& reducer, const void* first, const array_rows& rows,
                     answer_sink& out, const slow_answers& answer_slowly) {
  lane_request what{};
  if (!as_lane_request(reducer, what)) return false;
  const int threads = reducer.what().num_threads;
  if (monofold::info(what.type).size_bytes == 4) {
    return lane_walker<std::uint32_t>(what, static_cast<const std::uint32_t*>(first), rows, threads,
                                      out, answer_slowly)
        .fold();
  }
  return lane_walker<std::uint64_t>(what, static_cast<const std::uint64_t*>(first), rows, threads,
                                    out, answer_slowly)
      .fold();
}

}  // namespace monofold::runtime
