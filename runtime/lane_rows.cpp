#include "runtime/lane_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "monofold/engine/axes.hpp"
#include "runtime/column_tiles.hpp"
#include "runtime/lane_room.hpp"
#include "runtime/lane_totals.hpp"
#include "runtime/lanes.hpp"
#include "runtime/prefetch.hpp"
#include "runtime/raw_items.hpp"
#include "runtime/stopping.hpp"

namespace monofold::runtime {

namespace {

using slow_answers = std::function<void(const void* first, std::int64_t row, int width)>;

/// Folds the rows of an array.
class lane_walker {
 public:
  using row_group = monofold::detail::row_group<char>;

  lane_walker(const lane_request& what, const void* first, const array_rows& rows, int num_threads,
              answer_sink& out, const slow_answers& answer_slowly)
      : what_(what),
        item_bytes_(monofold::info(what.item).size_bytes),
        first_(static_cast<const char*>(first)),
        rows_(in_bytes(rows, item_bytes_)),
        in_rows_(rows.is_contiguous() && !are_single_items(rows)),
        is_dense_(fills_memory(rows)),
        num_threads_(in_rows_ || are_shared(what, rows.num_rows * rows.row_items * item_bytes_,
                                            monofold::detail::concurrency(num_threads))
                         ? num_threads
                         : 1),
        threads_(monofold::detail::concurrency(num_threads_)),
        reading_(in_rows_ ? column_reading::asked
                          : reading_of(rows_, rows_.num_rows * rows_.row_items * item_bytes_,
                                       is_in_any_order(what.fold))),
        loops_(find_lane_loops(what.fold, what.type)),
        out_(out),
        answer_slowly_(answer_slowly) {}

  bool fold() const {
    if (loops_.fold_columns == nullptr) return false;
    // Sums of integers stay below 2^63.
    if ((is_widened() || adds_integers()) && rows_.row_items >= most_row_items) return false;
    if (what_.fold == lane_fold::moments &&
        (rows_.row_items <= what_.ddof || rows_.row_items > most_spread_items)) {
      return false;
    }
    if (!in_rows_ &&
        (rows_.inner().stride != item_bytes_ || rows_.inner().extent < least_columns)) {
      return false;
    }
    if (in_rows_ && rows_.row_items > longest_row()) return false;
    if (!in_rows_ && part_tiles() < num_tiles()) return fold_columns_in_parts();
    const std::int64_t fit =
        std::max<std::int64_t>(1, monofold::detail::piece_bytes / (rows_.row_items * item_bytes_));
    const std::int64_t width =
        in_rows_ ? std::min({rows_.inner().extent, most_rows,
                             is_widened() ? most_wide_items / rows_.row_items : fit})
                 : columns_together();
    const monofold::detail::row_groups<char> groups(first_, rows_, width);
    const std::int64_t count = groups.count();
    const auto exceeds = [&](std::int64_t items) {
      return in_rows_ && !is_widened() && rows_.row_items > items;
    };
    if (exceeds(std::min(most_tile, tile_items())) && threads_ > 1 && count < 4 * threads_) {
      return false;
    }
    // Plain sums of rows know their tiles.
    const bool by_tiles = exceeds(tile_items()) && what_.fold != lane_fold::plain_sum;
    const std::int64_t share =
        std::max<std::int64_t>(1, std::min(16 * fit / width, count / (8 * threads_)));
    monofold::detail::parallel_for(
        num_threads_, (count + share - 1) / share, [&](std::int64_t piece) {
          lane_room room(what_, by_tiles ? tiles_at_once : width, by_tiles ? 1 : width,
                         wide_items(width));
          const lane_arithmetic arithmetic(what_);
          for (std::int64_t g = piece * share; g < std::min(count, (piece + 1) * share); ++g) {
            if (!in_rows_) {
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
  static constexpr std::int64_t most_row_items = std::int64_t{1} << 31;
  static constexpr std::int64_t most_tile = column_tiles::most_items;
  static constexpr std::int64_t exact_tile = 256;
  static constexpr std::int64_t most_searched = 1 << 20;  // an int32 tells where in it
  static constexpr std::int64_t most_wide_items = 4096;   // for a first-level cache
  static constexpr std::int64_t tiles_at_once = 64;
  static constexpr std::int64_t most_rows = 1024;
  static constexpr std::int64_t least_columns = 8;

  /// Plain sums have the plan's tiles. Exact sums may be cut anywhere; the fewer items, the more often one double holds
  /// the sum of each column, or of a row of float32. Squares are taken from the cache.
  std::int64_t tile_items() const {
    const bool is_sum = what_.fold == lane_fold::exact_sum;
    if (!in_rows_ && (is_sum || what_.fold == lane_fold::moments)) return exact_tile;
    if (in_rows_ && what_.fold > lane_fold::moments) return most_searched;
    const bool is_long = is_sum && what_.type != dtype::float32;
    return in_rows_ && is_long ? most_tile : tile_items_of(static_cast<int>(item_bytes_));
  }

  /// Longer ones have loops of their own, faster ones, which take longer to begin.
  std::int64_t longest_row() const {
    const bool is_floating = monofold::info(what_.item).is_floating;
    if (is_widened()) return what_.fold == lane_fold::exact_sum && !is_floating ? 512 : 2048;
    if (adds_integers()) return 16384;
    if (what_.fold == lane_fold::best && item_bytes_ == 1) return 32768;
    // A rest behind a whole tile may have fewer items than loops of narrow rows need.
    if (what_.fold == lane_fold::best && item_bytes_ == 2) return most_searched;
    return std::numeric_limits<std::int64_t>::max();
  }
  /// From a row to what memory is asked for while that is read, whole rows where there are gaps between them. Longer
  /// ones side by side come by themselves, and faster, or ask by themselves.
  std::int64_t items_ahead() const {
    if (rows_.row_items > most_tile) return 0;
    const std::int64_t row_bytes = rows_.row_items * item_bytes_;
    if (rows_.num_rows * row_bytes <= prefetch_bytes) return 0;
    const std::int64_t pitch_bytes = rows_.inner().stride;
    if (pitch_bytes == row_bytes) {
      const std::int64_t most = monofold::detail::fetches_in_line() ? 256 : 1024;
      return row_bytes < most ? prefetch_bytes / item_bytes_ : 0;
    }
    return std::max<std::int64_t>(1, prefetch_bytes / row_bytes) * pitch_bytes / item_bytes_;
  }
  /// From an item of such a longer row to what memory is asked for, in bytes, where the processor fetches no next page.
  std::int64_t bytes_ahead_in_row() const {
    return items_ahead() == 0 ? ahead_in_order(prefetch_bytes) : no_prefetch;
  }
  /// From an item of columns to what memory is asked for while that is read: what comes next, columns or rows.
  std::int64_t bytes_ahead(std::int64_t width) const {
    if (is_widened()) return 0;
    const std::int64_t width_bytes = width * item_bytes_;
    const bool is_small = rows_.row_items * width_bytes <= most_ahead_bytes;
    if (is_small && width < rows_.inner().extent) return width_bytes;
    // Plain sums read slots of one item, or of several, a step: see plain_lanes.
    const std::int64_t slots =
        what_.fold == lane_fold::plain_sum ? 512 / item_bytes_ : rows_.row_items;
    const std::int64_t step = rows_.row_items <= slots ? 8 : rows_.row_items <= 4 * slots ? 4 : 1;
    return step * rows_.reduced[rows_.num_reduced - 1].stride;
  }
  bool is_widened() const { return what_.item != what_.type; }
  bool adds_integers() const {
    return what_.fold == lane_fold::exact_sum && !monofold::info(what_.item).is_floating;
  }
  std::int64_t wide_items(std::int64_t width) const {
    if (!is_widened()) return 0;
    return in_rows_ ? most_wide_items + lane_padding : 8 * (width + lane_padding);
  }

  std::int64_t num_tiles() const { return (rows_.row_items + tile_items() - 1) / tile_items(); }

  /// Some blocks for each thread.
  std::int64_t columns_together() const {
    const std::int64_t most = most_columns(what_, rows_.row_items);
    const std::int64_t share = threads_ == 1 ? most : num_tiles() * rows_.num_rows / (4 * threads_);
    return std::min(
        rows_.inner().extent,
        std::max(std::min(most, share), monofold::detail::least_columns<char> / item_bytes_));
  }

  /// The tiles of columns that a thread takes at a time, a power of two: all of them, unless there are too few blocks
  /// of columns for the threads.
  std::int64_t part_tiles() const {
    const std::int64_t width = columns_together();
    const std::int64_t blocks =
        rows_.num_rows / rows_.inner().extent * ((rows_.inner().extent + width - 1) / width);
    if (threads_ == 1 || blocks >= 4 * threads_) return num_tiles();
    const std::int64_t parts = 8 * threads_ / blocks;
    const std::int64_t tile_bytes = width * tile_items() * item_bytes_;
    const std::int64_t least = (monofold::detail::piece_bytes / 4 + tile_bytes - 1) / tile_bytes;
    const std::int64_t share = (num_tiles() + parts - 1) / parts;
    return static_cast<std::int64_t>(
        std::bit_ceil(static_cast<std::uint64_t>(std::max(least, share))));
  }

  /// Whether there is nothing but items between the first one in memory and the last one.
  static bool fills_memory(const array_rows& rows) {
    std::int64_t span = 1;
    const auto add = [&](const axis_step& step) {
      span += (step.extent - 1) * monofold::detail::distance(step.stride);
    };
    std::for_each(rows.kept, rows.kept + rows.num_kept, add);
    std::for_each(rows.reduced, rows.reduced + rows.num_reduced, add);
    return span == rows.num_rows * rows.row_items;
  }

  void fold_short_rows(const row_group& group, lane_room& room) const {
    const std::int64_t length = rows_.row_items;
    const std::int64_t pitch_bytes = rows_.inner().stride;
    const std::int64_t pitch = pitch_bytes / item_bytes_;
    lane_rows rows{group.first, pitch, group.width, length, items_ahead(), bytes_ahead_in_row()};
    if (is_widened()) {
      const bool is_gapless = pitch == length;
      prefetch_lines(group.first + group.width * pitch_bytes,
                     length * item_bytes_ * (is_gapless ? group.width : 0));
      const std::int64_t at_once = is_gapless ? length * group.width : length;
      for (std::int64_t r = 0; r < (is_gapless ? 1 : group.width); ++r) {
        loops_.widen(what_.item, group.first + r * pitch_bytes, at_once,
                     reinterpret_cast<char*>(room.wide()) +
                         r * length * monofold::info(what_.type).size_bytes);
      }
      rows = {room.wide(), length, group.width, length, 0};
    }
    const lane_states states = states_of(group, room);
    loops_.fold_rows(rows, what_.order, states);
    answer(group, states, *room.totals);
  }

  void fold_long_rows(const row_group& group, lane_room& room) const {
    const std::int64_t tile = tile_items();
    const std::int64_t ahead = bytes_ahead_in_row();
    lane_totals& totals = *room.totals;
    for (int r = 0; r < group.width; ++r) {
      const row_group row{group.first + r * rows_.inner().stride,
                          group.row + r * rows_.inner().number, 1};
      totals.clear();
      const auto fold = [&](std::int64_t at, std::int64_t count, std::int64_t length) {
        loops_.fold_rows({row.first + at * item_bytes_, length, count, length, 0, ahead},
                         what_.order, room.states());
        for (std::int64_t i = 0; i < count; ++i) totals.push(room.states(), i, at + i * length);
      };
      const std::int64_t full = rows_.row_items / tile;
      for (std::int64_t t = 0; t < full; t += tiles_at_once) {
        fold(t * tile, std::min(tiles_at_once, full - t), tile);
      }
      if (const std::int64_t rest = rows_.row_items % tile; rest > 0) fold(full * tile, 1, rest);
      answer(row, totals.total(), totals);
    }
  }

  void fold_columns(const row_group& group, lane_room& room) const {
    const lane_states states = states_of(group, room);
    push_tiles(group, room, states, 0, rows_.row_items);
    answer(group, rows_.row_items > tile_items() ? room.totals->total() : states, *room.totals);
  }

  /// Items [begin, end) of each column; a single tile is left where the room's states are.
  void push_tiles(const row_group& group, lane_room& room, const lane_states& states,
                  std::int64_t begin, std::int64_t end) const {
    const std::int64_t tile = tile_items();
    const bool in_streams = reading_ == column_reading::in_streams;
    const std::int64_t ahead = reading_ == column_reading::asked ? bytes_ahead(group.width) : 0;
    room.totals->clear();
    column_tiles tiles(rows_, begin, end, tile, in_streams);
    while (tiles.next()) {
      stop_of_call.check();
      loops_.fold_columns({group.first, tiles.offsets(), tiles.count(), group.width, is_dense_,
                           what_.item, is_widened() ? room.wide() : nullptr, ahead},
                          what_.order, states);
      if (rows_.row_items > tile) room.totals->push(states, 0, tiles.first_index());
    }
  }

  /// Long columns of which there are few: threads share their tiles, and parts meet as tiles do.
  bool fold_columns_in_parts() const {
    const std::int64_t width = columns_together();
    const std::int64_t part = part_tiles() * tile_items();
    const std::int64_t parts = (rows_.row_items + part - 1) / part;
    const monofold::detail::row_groups<char> groups(first_, rows_, width);
    std::vector<std::unique_ptr<lane_totals>> totals(
        static_cast<std::size_t>(groups.count() * parts));
    const auto total_of = [&](std::int64_t group,
                              std::int64_t number) -> std::unique_ptr<lane_totals>& {
      return totals[static_cast<std::size_t>(group * parts + number)];
    };
    monofold::detail::parallel_for(num_threads_, groups.count() * parts, [&](std::int64_t i) {
      lane_room room(what_, width, width, wide_items(width));
      const lane_arithmetic arithmetic(what_);
      const std::int64_t begin = i % parts * part;
      push_tiles(groups[i / parts], room, room.states(), begin,
                 std::min(begin + part, rows_.row_items));
      total_of(i / parts, i % parts) = std::move(room.totals);
    });
    for (std::int64_t g = 0; g < groups.count(); ++g) {
      const lane_arithmetic arithmetic(what_);
      const std::unique_ptr<lane_totals> all = make_lane_totals(what_, width);
      for (std::int64_t i = 0; i < parts; ++i) all->join(*total_of(g, i));
      const row_group group = groups[g];
      const bool are_known = finish(group, all->total(), *all);
      const std::int64_t share = are_known ? group.width : (group.width + threads_ - 1) / threads_;
      monofold::detail::parallel_for(
          num_threads_, (group.width + share - 1) / share, [&](std::int64_t i) {
            const int begin = static_cast<int>(i * share);
            const int end = static_cast<int>(std::min<std::int64_t>(group.width, begin + share));
            store_answers(group, begin, end, are_known, *all);
          });
    }
    return true;
  }

  void answer(const row_group& group, const lane_states& states, lane_totals& totals) const {
    const bool are_known = finish(group, states, totals);
    store_answers(group, 0, group.width, are_known, totals);
  }

  bool finish(const row_group& group, const lane_states& states, lane_totals& totals) const {
    return totals.finish(states, group.width, rows_.row_items, place_of(group, totals));
  }

  /// The room's states, but for those that lie where answers made of them belong, if vectors of them end there.
  lane_states states_of(const row_group& group, lane_room& room) const {
    lane_states states = room.states();
    const bool is_single = in_rows_ || rows_.row_items <= tile_items();
    if (!is_single || group.width % lane_padding != 0 || what_.has_many_answers) return states;
    const dtype type = room.totals->type();
    const bool are_alike = what_.fold == lane_fold::exact_sum ? type == dtype::float64
                           : what_.fold == lane_fold::moments ? false
                                                              : type == what_.type;
    void* const to = place_of(group, *room.totals).wide;
    if (are_alike && to != nullptr) states.first = to;
    return states;
  }
  /// Where the answers of a group belong.
  answer_place place_of(const row_group& group, const lane_totals& totals) const {
    if (rows_.inner().number != 1) return {};
    const bool is_narrow = what_.to_odd && totals.type() == dtype::float64;
    return {out_.place_of(totals.type(), group.row),
            is_narrow ? static_cast<float*>(out_.place_of(dtype::float32, group.row)) : nullptr,
            what_.has_many_answers};
  }

  /// Stores answers of a group; if not all are known, NaN of exact sums stand for those to be found another way.
  void store_answers(const row_group& group, int begin, int end, bool are_known,
                     const lane_totals& totals) const {
    if (are_known) return keep(group, begin, end, totals);
    const double* const values = totals.sums();
    const int gap = are_sums_of_doubles(what_) ? 32 : 0;  // known rows at which a call does not end
    for (int c = begin, next = c; c < end; c = next) {
      while (next < end && !std::isnan(values[next])) ++next;
      if (next > c) keep(group, c, next, totals);
      const int first = next;
      int known = 0;
      while (next < end && known <= gap) known = std::isnan(values[next++]) ? 0 : known + 1;
      next -= known;
      if (next == first) continue;
      answer_slowly_(group.first + first * rows_.inner().stride,
                     group.row + first * rows_.inner().number, next - first);
    }
  }

  void keep(const row_group& group, int begin, int end, const lane_totals& totals) const {
    const answer_place to = place_of(group, totals);
    if (totals.values() == to.wide || totals.values() == to.narrow) return;
    const std::int64_t bytes = monofold::info(totals.type()).size_bytes;
    out_.keep_numbers({what_.op, group.row + begin * rows_.inner().number, rows_.inner().number,
                       end - begin, totals.type(),
                       static_cast<const char*>(totals.values()) + begin * bytes,
                       totals.indices() != nullptr ? totals.indices() + begin : nullptr});
  }

  const lane_request& what_;
  std::int64_t item_bytes_;
  const char* first_;
  array_rows rows_;  // strides in bytes
  bool in_rows_;
  bool is_dense_;
  int num_threads_;
  std::int64_t threads_;
  column_reading reading_;
  lane_loops loops_;
  answer_sink& out_;
  const slow_answers& answer_slowly_;
};

}  // namespace

array_rows in_bytes(array_rows rows, std::int64_t item_bytes) {
  if (rows.num_reduced == 0) rows.reduced[rows.num_reduced++] = {1, 0, 1};
  for (axis_step& step : rows.kept) step.stride *= item_bytes;
  for (axis_step& step : rows.reduced) step.stride *= item_bytes;
  return rows;
}

bool answer_by_lanes(const row_reducer& reducer, const void* first, const array_rows& rows,
                     answer_sink& out, const slow_answers& answer_slowly) {
  lane_request what{};
  if (!as_lane_request(reducer, rows, what)) return false;
  return lane_walker(what, first, rows, reducer.what().num_threads, out, answer_slowly).fold();
}

}  // namespace monofold::runtime
