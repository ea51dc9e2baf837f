#pragma once
/// engine/gpu/segment/short_fold: folds segments of up to a tile, several side by side in a warp.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/segment/lane_items.cuh"
#include "monofold/engine/gpu/segment/team_extremum.cuh"
#include "monofold/engine/gpu/segment/teams.cuh"
#include "monofold/engine/gpu/tree/path.cuh"
#include "monofold/engine/gpu/tree/warp_fold.cuh"
#include "monofold/fold/all.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/slot_array.hpp"
#include "monofold/level/thread.cuh"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// True where a column's items come by pages.
template <class Items>
inline constexpr bool is_paged_v = requires(const Items& items) {
  items.turn_page();
};

/// Adds the items of a column to its accumulators. All loads are begun before one is used, unless items come by pages,
/// which have been loaded. `is_whole`: the column is full.
template <bool is_whole, class F, class Item, class Items, class Own>
MONOFOLD_GPU void absorb_far_column(const F& f, const Items& items, int first, int count,
                                    Own& own) {
  using access = fold_access<F, Item>;
  constexpr int each = tile_shape<Item>::items_per_lane;
  constexpr int chains = slot_shape<F, Item>::chains;
  constexpr bool is_paged = is_paged_v<Items>;  // the loads are done
  item_chunk<Item> rows[is_paged ? 1 : tile_rows];
  if constexpr (!is_paged) {
    MONOFOLD_UNROLL
    for (int r = 0; r < tile_rows; ++r) {
      rows[r] = items.template chunk<is_whole>(first + r * tile_shape<Item>::row_items, count);
    }
  }
  MONOFOLD_UNROLL
  for (int r = 0; r < tile_rows; ++r) {
    item_chunk<Item>& row = rows[is_paged ? 0 : r];
    if constexpr (is_paged) {
      row = items.template chunk<is_whole>(first + r * tile_shape<Item>::row_items, count);
    }
    MONOFOLD_UNROLL
    for (int v = 0; v < each; ++v) {
      const int at = first + r * tile_shape<Item>::row_items + v;
      if (!is_whole && at >= count) continue;
      if (r == 0 && v < chains) {
        own[v] = access::open(f, row[v], items.index(at));
      } else {
        access::absorb(f, own[v % chains], row[v], items.index(at));
      }
    }
  }
}

/// Whether lanes wait for their loads, since few warps have work.
template <class Items>
inline constexpr bool is_awaited_v = requires {
  Items::is_awaited;
};

/// Folds a column, which has at least one item, and joins its slots.
template <class F, class Item, class Items>
MONOFOLD_GPU accumulator_t<F> fold_column(const F& f, const Items& items, int count, int column) {
  using access = fold_access<F, Item>;
  using shape = slot_shape<F, Item>;
  constexpr int each = tile_shape<Item>::items_per_lane;
  constexpr int chains = shape::chains;
  // Striped columns go on in the next row of the tile; others are a run.
  constexpr int step = shape::striped ? tile_shape<Item>::row_items : each;
  const int first = column * column_items<F, Item>;
  const int end = shape::striped || first + column_items<F, Item> > count
                      ? count
                      : first + column_items<F, Item>;
  slot_array<accumulator_t<F>, chains> own;
  bool is_done = false;
  if constexpr (is_paged_v<Items>) items.turn_page();
  if constexpr (Items::is_far && shape::striped && !is_large_v<F, Item> && sizeof(Item) <= 16) {
    is_done = count == tile_items_v<Item>;
    if (is_done) {
      absorb_far_column<true, F, Item>(f, items, first, count, own);
    } else if ((is_awaited_v<Items> || is_paged_v<Items>)&&count > tile_shape<Item>::row_items) {
      absorb_far_column<false, F, Item>(f, items, first, count, own);
      is_done = true;
    }
  }
  if (!is_done) {
    const auto chunk = items.chunk(first, end);
    MONOFOLD_UNROLL
    for (int v = 0; v < each; ++v) {
      if (first + v >= end) continue;
      if (v < chains) {
        own[v] = access::open(f, chunk[v], items.index(first + v));
      } else {
        access::absorb(f, own[v % chains], chunk[v], items.index(first + v));
      }
    }
    MONOFOLD_ROLL
    for (int at = first + step; at < end; at += step) {
      const auto next = items.chunk(at, end);
      MONOFOLD_UNROLL
      for (int v = 0; v < each; ++v) {
        if (at + v < end) access::absorb(f, own[v % chains], next[v], items.index(at + v));
      }
    }
  }
  MONOFOLD_UNROLL
  for (int width = 1; width < chains; width *= 2) {
    MONOFOLD_UNROLL
    for (int i = 0; i + width < chains; i += 2 * width) {
      if (first + i + width < end) {
        own[i] = lane_access<F, Item>::join(f, own[i], own[i + width]);
      }
    }
  }
  return own[0];
}

/// The same for a column that is one whole chunk.
template <class F, class Item, class Items>
MONOFOLD_GPU accumulator_t<F> fold_whole_column(const F& f, const Items& items, int count,
                                                int column) {
  using access = fold_access<F, Item>;
  constexpr int each = tile_shape<Item>::items_per_lane;
  constexpr int chains = slot_shape<F, Item>::chains;
  const int first = column * each;
  slot_array<accumulator_t<F>, chains> own;
  const auto chunk = items.template chunk<true>(first, count);
  MONOFOLD_UNROLL
  for (int v = 0; v < each; ++v) {
    if (v < chains) {
      own[v] = access::open(f, chunk[v], items.index(first + v));
    } else {
      access::absorb(f, own[v % chains], chunk[v], items.index(first + v));
    }
  }
  MONOFOLD_UNROLL
  for (int width = 1; width < chains; width *= 2) {
    MONOFOLD_UNROLL
    for (int i = 0; i + width < chains; i += 2 * width) {
      own[i] = lane_access<F, Item>::join(f, own[i], own[i + width]);
    }
  }
  return own[0];
}

/// How many columns a lane folds at once: four where they fit registers.
template <class F, class Item, class Items>
inline constexpr int columns_together =
    sizeof(accumulator_t<F>) <= 8 && slot_shape<F, Item>::striped && !is_large_v<F, Item> &&
            (!Items::is_far || is_awaited_v<Items>)
        ? 4
        : 1;

/// Folds and joins `mine` columns from `first` on, at most columns_together.
template <class F, class Item, class Items>
MONOFOLD_GPU accumulator_t<F> fold_few_columns(const F& f, const Items& items, int count, int first,
                                               int mine) {
  using access = lane_access<F, Item>;
  constexpr int most = columns_together<F, Item, Items>;
  slot_array<accumulator_t<F>, most> own;
  bool is_whole = false;
  if constexpr (most > 1) {
    is_whole = mine >= most && count <= tile_shape<Item>::row_items &&
               (first + most) * column_items<F, Item> <= count;
    if (is_whole) {
      MONOFOLD_UNROLL
      for (int c = 0; c < most; ++c) {
        own[c] = fold_whole_column<F, Item>(f, items, count, first + c);
      }
      MONOFOLD_UNROLL
      for (int width = 1; width < most; width *= 2) {
        MONOFOLD_UNROLL
        for (int i = 0; i + width < most; i += 2 * width) {
          own[i] = access::join(f, own[i], own[i + width]);
        }
      }
    }
  }
  if (!is_whole) {
    MONOFOLD_UNROLL
    for (int c = 0; c < most; ++c) {
      if (c < mine) own[c] = fold_column<F, Item>(f, items, count, first + c);
    }
    MONOFOLD_UNROLL
    for (int width = 1; width < most; width *= 2) {
      MONOFOLD_UNROLL
      for (int i = 0; i + width < most; i += 2 * width) {
        if (i + width < mine) own[i] = access::join(f, own[i], own[i + width]);
      }
    }
  }
  return own[0];
}

/// Folds the columns of a lane, `mine` of at most `width`, and joins them as a binary counter does. All lanes run the
/// same loops, and the counter's places are registers.
template <class F, class Item, class Items>
MONOFOLD_GPU accumulator_t<F> fold_columns(const F& f, const Items& items, int count, int first,
                                           int mine, int width) {
  using access = lane_access<F, Item>;
  constexpr int together = columns_together<F, Item, Items>;
  constexpr int levels = together == 4 ? 4 : 6;
  slot_array<accumulator_t<F>, levels> stack;
  int nodes = 0;
  MONOFOLD_ROLL
  for (int i = 0; i < width; i += together) {
    if (i >= mine) continue;
    auto own = fold_few_columns<F, Item>(f, items, count, first + i, mine - i);
    bool is_kept = false;
    MONOFOLD_UNROLL
    for (int level = 0; level < levels; ++level) {
      if (is_kept) continue;
      if ((nodes >> level & 1) != 0) {
        own = access::join(f, stack[level], own);
      } else {
        stack[level] = own;
        is_kept = true;
      }
    }
    ++nodes;
  }
  // What is left of nodes that are no power of two, from the last one up.
  accumulator_t<F> total = stack[0];
  bool any = (nodes & 1) != 0;
  MONOFOLD_UNROLL
  for (int level = 1; level < levels; ++level) {
    if ((nodes >> level & 1) == 0) continue;
    total = any ? access::join(f, stack[level], total) : stack[level];
    any = true;
  }
  return total;
}

/// Folds the columns of one member of a team that shares a segment, and joins them: `width` columns from member *
/// width on, without those that are not `used`.
template <class F, class Item, class Items>
MONOFOLD_GPU accumulator_t<F> fold_member_slots(const F& f, const Items& items, int count,
                                                int member, int width, int used) {
  const int first = member * width;
  const int left = used - first;
  const int mine = left < 0 ? 0 : left < width ? left : width;
  if (width > 1) return fold_columns<F, Item>(f, items, count, first, mine, width);
  accumulator_t<F> own;
  if (mine > 0) own = fold_column<F, Item>(f, items, count, first);
  return own;
}

/// Folds a segment of `count` items and joins all its slots, in the first lane of its team. A lane takes neighbouring
/// columns, a power of two: a node of the plan's tree.
template <class F, class Item, class Items>
MONOFOLD_GPU accumulator_t<F> fold_team_slots(const F& f, const Items& items, int count,
                                              const short_teams& teams) {
  constexpr int each = column_items<F, Item>;
  const int width = columns_a_member(columns_in_use<each>(teams.longest), teams.level);
  const int member = teams.member();
  const int used = columns_in_use<each>(count);
  auto own = fold_member_slots<F, Item>(f, items, count, member, width, used);
  const int holders = (used + width - 1) / width;
  MONOFOLD_ROLL
  for (int distance = 1; distance < teams.lanes(); distance *= 2) {
    const auto above = shuffle_down(own, distance);
    if (member + distance < holders) own = lane_access<F, Item>::join(f, own, above);
  }
  return own;
}

template <class Item, class First, class... Rest, class Items>
MONOFOLD_GPU auto fold_team_members(const fold_list<First, Rest...>& folds, const Items& items,
                                    int count, const short_teams& teams);

/// The state of a segment of `count` items, up to a tile, in the first lane of its team; any state if there are no
/// items.
///
/// order      the slots of plan/tiles.hpp, joined neighbours first: that of the segment as an array
/// sync       all lanes of the warp
template <class F, class Item, class Items>
MONOFOLD_GPU typename F::state fold_team(const F& f, const Items& items, int count,
                                         const short_teams& teams) {
  using access = fold_access<F, Item>;
  if constexpr (is_all_fold<F>::value) {
    return fold_team_members<Item>(f.members, items, count, teams);
  } else if constexpr (is_extremum_fold_v<F>) {
    return team_extremum<F, Item>::find(f, items, count, teams);
  } else if constexpr (is_extrema_fold_v<F>) {
    return {team_extremum<typename F::low, Item>::find({}, items, count, teams),
            team_extremum<typename F::high, Item>::find({}, items, count, teams)};
  } else if constexpr (has_short_fold_v<F>) {
    using short_fold = typename F::short_fold;
    return static_cast<typename F::state>(
        fold_team<short_fold, Item>(short_fold{}, items, count, teams));
  } else {
    const auto total = fold_team_slots<F, Item>(f, items, count, teams);
    if constexpr (may_repeat_v<F>) {
      const auto all = shuffle_from(total, lane_rank() - teams.member());
      const bool is_again = count > 0 && !f.suffices(all, count);
      if (any_lane(is_again)) {
        const F second = is_again ? f.again(all, count) : f;
        const auto other = fold_team_slots<F, Item>(second, items, count, teams);
        if (is_again) return access::flush(second, other, count);
      }
    }
    return access::flush(f, total, count);
  }
}

/// Folds a segment by the members of an `all`, one after the other.
template <class Item, class First, class... Rest, class Items>
MONOFOLD_GPU auto fold_team_members(const fold_list<First, Rest...>& folds, const Items& items,
                                    int count, const short_teams& teams) {
  using states = state_list<typename First::state, typename Rest::state...>;
  if constexpr (sizeof...(Rest) == 0) {
    return states{fold_team<First, Item>(folds.first, items, count, teams)};
  } else {
    auto first = fold_team<First, Item>(folds.first, items, count, teams);
    return states{first, fold_team_members<Item>(folds.rest, items, count, teams)};
  }
}

}  // namespace monofold::detail
