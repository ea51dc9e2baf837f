#pragma once
/// engine/gpu/segment/slot_page: a warp folds neighbouring segments whose items have slots of their own.
///
/// How a segment is folded depends on its length. Neighbouring lanes load neighbouring items, each one item at a time,
/// so segments may begin anywhere. Cells are joined by halves: in each step a lane keeps one of two cells and gives
/// its partner the other one. In the end each lane has one cell, of another segment or another part of one.

#include <bit>
#include <cstdint>

#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/segment/slot_cells.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Returns `place` in a way that keeps the compiler from computing it again for each use.
template <class Item>
MONOFOLD_GPU const Item* kept_pointer(const Item* place) {
#if defined(__CUDA_ARCH__)
  asm("" : "+l"(place));
#endif
  return place;
}

/// How many bits of a lane's rank say which cell it has in the end: those for segments; where order counts, also those
/// for the parts of a segment.
template <class Cells, int cells_level, int level>
inline constexpr int lane_bits_told_apart = Cells::any_order ? cells_level - level : cells_level;

/// Joins the cells of lanes in teams of 2^team_level. Each 2^level neighbours of a lane's cells belong to one segment.
///
/// order      cells of neighbouring lanes first, as in the plan's tree, then the parts of a segment; with `any_order`
///            the parts first
/// sync       all lanes of the warp; the lowest bits of a lane's rank say of which cells own[0] is the total
template <int cells_level, int level, class Cells, class Cell>
MONOFOLD_GPU Cell join_cells(const Cells& cells, Cell* own, int team_level) {
  constexpr int apart = lane_bits_told_apart<Cells, cells_level, level>;
  const int lane = lane_rank();
  const auto join_across = [&](int bit) {
    own[0] = cells.join(own[0], shuffle_from(own[0], lane ^ 1 << bit));
  };
  if constexpr (Cells::any_order) {
    MONOFOLD_UNROLL
    for (int part = 0; part < level; ++part) {
      MONOFOLD_UNROLL
      for (int c = 0; c < (1 << cells_level) >> (part + 1); ++c) {
        own[c] = cells.join(own[2 * c], own[2 * c + 1]);
      }
    }
  }
  MONOFOLD_UNROLL
  for (int bit = 0; bit < apart; ++bit) {
    const bool is_odd = (lane >> bit & 1) != 0;
    MONOFOLD_UNROLL
    for (int c = 0; c < (1 << apart) >> (bit + 1); ++c) {
      const Cell kept = is_odd ? own[2 * c + 1] : own[2 * c];
      const Cell given = is_odd ? own[2 * c] : own[2 * c + 1];
      own[c] = cells.join(kept, shuffle_from(given, lane ^ 1 << bit));
    }
  }
  if constexpr (level == 0) {
    MONOFOLD_ROLL
    for (int bit = apart; bit < team_level; ++bit) join_across(bit);
  } else {
    MONOFOLD_UNROLL
    for (int bit = apart; bit < 5; ++bit) join_across(bit);
  }
  if constexpr (!Cells::any_order) {
    MONOFOLD_UNROLL
    for (int bit = 0; bit < level; ++bit) join_across(bit);
  }
  return own[0];
}

/// A segment of a warp's page: where it begins, how many items it has, and its place in the page. Nothing is folded if
/// it has no items.
struct alignas(16) slot_segment {
  std::int64_t begin;
  std::int32_t count;
  std::int32_t place;

  /// The same segment, read from memory by one load.
  MONOFOLD_GPU slot_segment brought() const {
    return bits_as<slot_segment>(*reinterpret_cast<const bytes16*>(this));
  }
};

/// Folds the segments of a page, and gives each total to one lane.
///
/// | of `Cells` | meaning |
/// |---|---|
/// | `cell`, `num_cells` | what is kept of items; how many a lane has, 4 or 8 |
/// | `slot_level` | a tile has slots for 2^slot_level items a lane |
/// | `any_order` | cells of a segment may be joined in any order, else neighbours first, as in the plan's tree |
/// | `absent()`, `filler()`, `take(step, item, i)`, `join(a, b)` | see slot_cells |
/// | `add(step, a, item, i)` | cell a joined with the cell of the item |
/// | `watch` | an object that sees every item, and fillers |
/// | `step` | what `prepared(watch, are_all)` finds out from the first items; made without arguments: nothing |
///
/// `use(total, segment, is_one, watch, step)` is called by all lanes; `is_one`: this lane has the total of `segment`.
template <class Cells, class Item, class Use>
class slot_page {
 public:
  using cell = typename Cells::cell;
  using watch = typename Cells::watch;
  static constexpr int num_cells = Cells::num_cells;
  static constexpr int cells_level = num_cells == 8 ? 3 : 2;
  static constexpr int max_level =
      Cells::slot_level < cells_level ? Cells::slot_level : cells_level;

  /// shape      list: shared memory for a page
  MONOFOLD_GPU slot_page(const Cells& cells, const Item* items, slot_segment* list, const Use& use)
      : cells_(cells), items_(items), list_(list), use_(use) {}

  /// Folds the segment of each lane; segments of similar length are folded together.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU void fold(const slot_segment& own) const {
    if (any_lane(own.count > 0 && own.count <= most_alone)) fold_alone(own);
    if (!any_lane(own.count > most_alone)) return;
    MONOFOLD_ROLL
    for (int level = first_team_level; level <= 5; ++level) {
      fold_class<0, false>(own, 1 << (level - 1), 1 << level, level);
    }
    fold_larger<1>(own);
  }

 private:
  static constexpr int whole_row = warp_lanes << max_level;
  /// Whether a lane adds items of a segment one after the other: to shuffle cells of four words takes longer than to
  /// add an item.
  ///
  /// source     one H200: 0.3 to 0.9 of the time for exact sums of up to 256 float64 and means of squares of float32
  static constexpr bool adds_in_lanes = Cells::any_order && num_cells == 4;
  /// A segment of at most so many items, 64 bytes of them, is folded by one lane.
  static constexpr int most_alone =
      adds_in_lanes ? (sizeof(Item) < 4 ? 16 : 64 / static_cast<int>(sizeof(Item))) : num_cells;
  static constexpr int first_team_level = std::bit_width(unsigned{most_alone});

  template <int level>
  MONOFOLD_GPU void fold_larger(const slot_segment& own) const {
    if constexpr (level <= max_level) {
      fold_class<level, false>(own, warp_lanes << (level - 1), warp_lanes << level, 5);
      fold_larger<level + 1>(own);
    } else {
      fold_class<max_level, true>(own, whole_row, 1 << 30, 5);
    }
  }

  /// Folds segments of up to most_alone items, each by one lane.
  MONOFOLD_GPU void fold_alone(slot_segment own) const {
    if (own.count > most_alone) own.count = 0;
    const Item* const at = kept_pointer(items_ + own.begin);
    cell total = cells_.absent();
    watch seen;
    typename Cells::step step{};
    MONOFOLD_ROLL
    for (int first = 0; first == 0 || (adds_in_lanes && any_lane(first < own.count));
         first += num_cells) {
      Item x[num_cells];
      MONOFOLD_UNROLL
      for (int c = 0; c < num_cells; ++c) {
        x[c] = first + c < own.count ? load_item(at + first + c) : cells_.filler();
      }
      MONOFOLD_UNROLL
      for (int c = 0; c < num_cells; ++c) seen.see(x[c]);
      if (first == 0) step = cells_.prepared(seen, !adds_in_lanes);
      cell all[num_cells];
      MONOFOLD_UNROLL
      for (int c = 0; c < num_cells; ++c) all[c] = cells_.take(step, x[c], first + c);
      MONOFOLD_UNROLL
      for (int width = 1; width < num_cells; width *= 2) {
        MONOFOLD_UNROLL
        for (int c = 0; c < num_cells; c += 2 * width) all[c] = cells_.join(all[c], all[c + width]);
      }
      total = first == 0 ? all[0] : cells_.join(total, all[0]);
    }
    use_(total, own, own.count > 0, seen, step);
  }

  /// Lists the segments of more than `least` and up to `most` items, and folds them by teams of 2^team_level lanes;
  /// each lane has 2^level cells of a segment. `is_deep`: segments may have more items than a tile has slots.
  template <int level, bool is_deep>
  MONOFOLD_GPU void fold_class(const slot_segment& own, int least, int most, int team_level) const {
    const bool is_mine = own.count > least && own.count <= most;
    const std::uint32_t lanes = lanes_with(is_mine);
    if (lanes == 0) return;
    const std::uint32_t below = first_lanes(lane_rank() + 1) >> 1;
    const int number = count_bits(lanes);
    const int at = is_mine ? count_bits(lanes & below) : number + count_bits(~lanes & below);
    sync_warp();  // the list has been read
    list_[at] = is_mine ? own : slot_segment{0, 0, 0};
    sync_warp();  // what lanes wrote above others read
    if constexpr (adds_in_lanes && level > 0) {
      const bool are_long = any_lane(is_mine && own.count > 8 * warp_lanes);
      if (number >= num_cells && !are_long) return fold_listed<0, true>(number, team_level);
    }
    fold_listed<level, is_deep>(number, team_level);
  }

  struct lane_items {
    Item x[num_cells];
  };
  template <int level>
  MONOFOLD_GPU lane_items bring(int first, int member, int row) const {
    constexpr int parts = 1 << level;
    lane_items out;
    MONOFOLD_UNROLL
    for (int s = 0; s < num_cells / parts; ++s) {
      const slot_segment segment = list_[first + s].brought();
      const Item* const at = kept_pointer(items_ + segment.begin + (row + member));
      const int left = segment.count - (row + member);
      MONOFOLD_UNROLL
      for (int p = 0; p < parts; ++p) {
        out.x[s * parts + p] =
            warp_lanes * p < left ? load_item(at + warp_lanes * p) : cells_.filler();
      }
    }
    return out;
  }

  /// Folds the listed segments. The items of the next ones are loaded while cells are joined.
  template <int level, bool is_deep>
  MONOFOLD_GPU void fold_listed(int number, int team_level) const {
    constexpr int parts = 1 << level;
    const int member = lane_rank() & ((1 << team_level) - 1);
    const int first = lane_rank() >> team_level << (cells_level - level);
    const int at_once = num_cells / parts << (5 - team_level);
    int row = 0;
    lane_items here = bring<level>(first, member, 0);
    cell own[num_cells];
    MONOFOLD_UNROLL
    for (int c = 0; c < num_cells; ++c) own[c] = cells_.absent();
    watch seen;
    typename Cells::step step{};
    MONOFOLD_ROLL
    for (int s = 0; s < number;) {
      int next = s + at_once;
      int next_row = 0;
      if constexpr (is_deep) {
        constexpr int row_items = warp_lanes << level;
        if (row + row_items < longest_of<level>(s)) {
          next = s;
          next_row = row + row_items;
        }
      }
      lane_items coming = here;
      if (next < number) coming = bring<level>(next + first, member, next_row);
      MONOFOLD_UNROLL
      for (int c = 0; c < num_cells; ++c) seen.see(here.x[c]);
      if (row == 0) step = cells_.prepared(seen, !is_deep);
      MONOFOLD_UNROLL
      for (int c = 0; c < num_cells; ++c) {
        const int i = row + member + warp_lanes * (c % parts);
        own[c] = is_deep ? cells_.add(step, own[c], here.x[c], i) : cells_.take(step, here.x[c], i);
      }
      if (!is_deep || next != s) {
        const cell total = join_cells<cells_level, level>(cells_, own, team_level);
        const int place = s + place_of_lane<level>(team_level);
        const slot_segment segment = list_[place].brought();
        use_(total, segment, is_first<level>(team_level) && segment.count > 0, seen, step);
        if constexpr (is_deep) {
          MONOFOLD_UNROLL
          for (int c = 0; c < num_cells; ++c) own[c] = cells_.absent();
        }
        seen = watch{};
      }
      here = coming;
      s = next;
      row = next_row;
    }
  }
  template <int level>
  MONOFOLD_GPU int longest_of(int s) const {
    int longest = 0;
    MONOFOLD_UNROLL
    for (int k = 0; k < num_cells >> level; ++k) {
      longest = list_[s + k].count > longest ? list_[s + k].count : longest;
    }
    return longest;
  }

  template <int level>
  static constexpr int told_apart = lane_bits_told_apart<Cells, cells_level, level>;

  /// Which of the segments of a step this lane gets the total of, and whether it is the lane that uses it.
  template <int level>
  MONOFOLD_GPU static int place_of_lane(int team_level) {
    const int own = lane_rank() & ((1 << told_apart<level>)-1);
    return (Cells::any_order ? own : own >> level) +
           (lane_rank() >> team_level << (cells_level - level));
  }
  template <int level>
  MONOFOLD_GPU static bool is_first(int team_level) {
    const int member = lane_rank() & ((1 << team_level) - 1);
    return member >> told_apart<level> == 0 &&
           (Cells::any_order || (member & ((1 << level) - 1)) == 0);
  }

  const Cells& cells_;
  const Item* items_;
  slot_segment* list_;
  const Use& use_;
};

}  // namespace monofold::detail
