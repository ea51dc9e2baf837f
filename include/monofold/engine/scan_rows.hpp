#pragma once
/// engine/scan_rows: what the slots of a tile join to, after each item of a row.

#include "monofold/level/slot_array.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// The tree over the slots of a tile whose rows come one after the other, an item a slot.
///
/// Up to an item, slots before it have this row's item and slots after it do not. So of two neighbours in the tree,
/// the left one goes with all of its beginnings before what the right one was after the last row, and the right one
/// with all of its own behind the whole left one: at each height a join an item, and none waits for another.
template <class State, int slots>
class row_beginnings {
 public:
  /// Replaces `used` slots of a row, which have its items, by what all slots join to after each. Fewer than all
  /// are used by the last row alone.
  ///
  /// order      join(left, right) as join_slots of level/core
  /// cost       log2(slots) joins an item, side by side
  template <class Join>
  MONOFOLD_INLINE void join(const Join& join, State* row, int used, bool is_first) {
    if (is_first) {
      join_from<1, true>(join, row, used, rights_.values);
    } else if (used < slots) {
      join_from<1, false>(join, row, used, rights_.values);
    } else {
      join_quads(join, row);
      join_above_quads(join, row);
    }
  }

  /// The same of a row that has all its items and is not the first, from the third height on; `quad_rights` is for who
  /// joins by itself up to there: what the right pair of each four slots joined to in the last row.
  template <class Join>
  MONOFOLD_INLINE void join_above_quads(const Join& join, State* row) {
    join_from<4, false>(join, row, slots, quad_rights() + slots / 4);
  }
  MONOFOLD_INLINE State* quad_rights() { return rights_.values + slots / 2; }

 private:
  static_assert(slots >= 4 && (slots & (slots - 1)) == 0);

  /// The two lowest heights of join_from at once, of a row that has all its items: four slots stay in registers.
  template <class Join>
  MONOFOLD_INLINE void join_quads(const Join& join, State* row) {
    State* const right = rights_.values;
    State* const upper_right = quad_rights();
    for (int at = 0; at < slots; at += 4) {
      const State second = row[at + 1], fourth = row[at + 3];
      const State low = join(row[at], second);
      const State own_first = join(row[at], right[at / 2]);
      const State own_third = join(row[at + 2], right[at / 2 + 1]);
      const State high = join(row[at + 2], fourth);
      const State before = upper_right[at / 4];
      right[at / 2] = second;
      right[at / 2 + 1] = fourth;
      upper_right[at / 4] = high;
      row[at] = join(own_first, before);
      row[at + 1] = join(low, before);
      row[at + 2] = join(low, own_third);
      row[at + 3] = join(low, high);
    }
  }

  /// `rights`: the right nodes of this height after the last row, and of those above.
  template <int width, bool is_first, class Join>
  MONOFOLD_INLINE static void join_from(const Join& join, State* row, int used, State* rights) {
    if constexpr (width < slots) {
      for (int at = 0; at < used; at += 2 * width) {
        State* const left = row + at;
        State* const right = left + width;
        State& last_right = rights[at / (2 * width)];
        const int rest = used - at;
        const int in_right = rest < 2 * width ? rest - width : width;  // below 1: none
        const auto join_right = [&] {
          if (in_right <= 0) return;
          const State all_left = right[-1];
          last_right = right[in_right - 1];
          for (int c = 0; c < in_right; ++c) right[c] = join(all_left, right[c]);
        };
        if constexpr (is_first) {
          join_right();
        } else {
          const int in_left = rest < width ? rest : width;
          const State before = last_right;
          join_right();
          for (int c = 0; c < in_left; ++c) left[c] = join(left[c], before);
        }
      }
      join_from<2 * width, is_first>(join, row, used, rights + slots / (2 * width));
    }
  }

  slot_array<State, slots> rights_;
};

}  // namespace monofold::detail
