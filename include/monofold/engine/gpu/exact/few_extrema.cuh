#pragma once
/// engine/gpu/exact/few_extrema: the smallest and largest of few items, and where they are, found with their sum.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/exact/companion.cuh"
#include "monofold/engine/gpu/exact/few_tile.cuh"
#include "monofold/engine/gpu/exact/warp_rows.cuh"
#include "monofold/engine/gpu/lane_best.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/mailbox.cuh"
#include "monofold/engine/gpu/warp_extremum.cuh"
#include "monofold/fold/all.hpp"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/few_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// An item and its index, the larger the better: its rank, and the complement of the index. Zeros stand for nothing.
template <class Rank>
struct ranked_place {
  static constexpr int words = static_cast<int>(sizeof(Rank) / 4) + 1;
  static constexpr int pairs = (words + 1) / 2;  // of words by mail

  Rank rank = 0;
  std::uint32_t rest = 0;

  /// Word w of those that go by mail.
  MONOFOLD_GPU std::uint32_t word(int w) const {
    return w == 0 ? rest : static_cast<std::uint32_t>(w == words - 1 ? high_half() : rank);
  }
  MONOFOLD_GPU static ranked_place of(const std::uint32_t (&word)[2 * pairs]) {
    if constexpr (words == 2) {
      return {word[1], word[0]};
    } else {
      return {std::uint64_t{word[2]} << 32 | word[1], word[0]};
    }
  }

 private:
  MONOFOLD_GPU std::uint32_t high_half() const {
    return static_cast<std::uint32_t>(std::uint64_t{rank} >> (sizeof(Rank) == 8 ? 32 : 0));
  }
};

/// The rank and place of an extremum that `Fold` finds, see `ranked_place`.
template <class Fold>
struct few_extremum {
  using key = typename Fold::key;
  using rank_type = std::conditional_t<sizeof(key) <= 4, std::uint32_t, std::uint64_t>;
  using place = ranked_place<rank_type>;
  static constexpr rank_type sign = rank_type{1} << (8 * sizeof(rank_type) - 1);

  MONOFOLD_GPU static rank_type rank_of(key k) {
    const rank_type up = static_cast<rank_type>(static_cast<std::int64_t>(k)) ^ sign;
    return Fold::picks_smallest ? ~up : up;
  }
  MONOFOLD_GPU static key key_of(rank_type rank) {
    const rank_type up = (Fold::picks_smallest ? ~rank : rank) ^ sign;
    return static_cast<key>(static_cast<std::make_signed_t<rank_type>>(up));
  }
  MONOFOLD_GPU static typename Fold::state state_of(const place& own) {
    return {key_of(own.rank), static_cast<std::int64_t>(~own.rest)};
  }

  /// The place of the tile's extremum, in all lanes.
  ///
  /// sync       all lanes of the warp
  template <class Tile>
  MONOFOLD_GPU static place best_of(const Tile& tile) {
    key mine = best_in_lane<Fold>(tile);
    // All NaN are one value, which wins.
    if (Fold::is_nan_key(mine)) mine = Fold::best;
    const rank_type rank = largest_of_lanes(rank_of(mine));
    const auto index = static_cast<std::uint32_t>(index_in_tile<Fold>(tile, key_of(rank)));
    return {rank, ~index};
  }
};

/// The best of a place a lane, in all lanes.
///
/// sync       all lanes of the warp
template <class Rank>
MONOFOLD_GPU ranked_place<Rank> best_place_of_lanes(const ranked_place<Rank>& own) {
  const Rank best = largest_of_lanes(own.rank);
  return {best, largest_of_lanes(own.rank == best ? own.rest : 0)};
}

/// The extrema of one or two folds, of the items that a warp has seen. Where there are none, `no_extrema` stands here.
template <class First, class... Rest>
struct few_extrema {
  static constexpr int count = 1 + sizeof...(Rest);
  static_assert(count <= 2);
  using place = typename few_extremum<First>::place;
  static constexpr int pairs = count * place::pairs;  // of boxes that a sender has
  using state = state_list<typename First::state, typename Rest::state...>;
  /// Shared memory of a block: the places that its warps have found, and the states of all.
  struct slots {
    place best[count][few_warps];
    state found;
  };

  place best[count];

  /// Finds the extrema of a tile that begins at `at`, with zeros beyond the range.
  ///
  /// sync       all lanes of the warp
  template <int rows, class Item>
  MONOFOLD_GPU void look(const bytes16 (&raw)[rows], const few_range<Item>& range, int at) {
    using tile_type = warp_rows<Item, rows>;
    // The first item may stand anywhere: it comes first where it really is.
    const bytes16 first = repeated(range.base[range.first]);
    bytes16 own[rows];
    MONOFOLD_UNROLL
    for (int r = 0; r < rows; ++r) own[r] = raw[r];
    if (at < range.first || at + tile_type::tile_items > range.end) {
      fill_outside(own, range, at, first);
    }
    const tile_type tile(own, at - range.first);
    best[0] = few_extremum<First>::best_of(tile);
    if constexpr (count > 1) best[1] = few_extremum<Rest...>::best_of(tile);
  }

  MONOFOLD_GPU void store_best(slots& to, int warp) const {
    if (lane_rank() != 0) return;
    MONOFOLD_UNROLL
    for (int e = 0; e < count; ++e) to.best[e][warp] = best[e];
  }
  /// The best of those that warps have stored; by one warp.
  MONOFOLD_GPU void join(const slots& from) {
    MONOFOLD_UNROLL
    for (int e = 0; e < count; ++e) {
      best[e] = best_place_of_lanes(from.best[e][lane_rank() % few_warps]);
    }
  }

  /// Posts what this warp has. The boxes of extremum e of all senders lie behind those of extremum e - 1.
  MONOFOLD_GPU void post(std::uint64_t* boxes, int sender, std::uint32_t call) const {
    const int e = lane_rank();
    if (e >= count) return;
    const place own = e == 0 ? best[0] : best[count - 1];
    MONOFOLD_UNROLL
    for (int p = 0; p < place::pairs; ++p) {
      post_mail(boxes + box_of(e, p, sender), mail_of(call, own.word(2 * p)),
                mail_of(call, 2 * p + 1 < place::words ? own.word(2 * p + 1) : 0));
    }
  }
  /// Waits for mail, a sender a lane, and keeps the best; warps without a sender have nothing then.
  ///
  /// sync       all lanes of a warp
  MONOFOLD_GPU void hear(const std::uint64_t* boxes, int rank, int senders, std::uint32_t call) {
    MONOFOLD_UNROLL
    for (int e = 0; e < count; ++e) best[e] = {};
    if (rank - lane_rank() >= senders) return;
    const int sender = rank < senders ? rank : 0;
    std::uint64_t word[count][2 * place::pairs];
    bool all_there;
    do {
      MONOFOLD_UNROLL
      for (int e = 0; e < count; ++e) {
        MONOFOLD_UNROLL
        for (int p = 0; p < place::pairs; ++p) {
          read_mail(boxes + box_of(e, p, sender), word[e][2 * p], word[e][2 * p + 1]);
        }
      }
      all_there = true;
      MONOFOLD_UNROLL
      for (int e = 0; e < count; ++e) {
        MONOFOLD_UNROLL
        for (int w = 0; w < 2 * place::pairs; ++w) {
          all_there = all_there && is_mail_of(call, word[e][w]);
        }
      }
    } while (any_lane(!all_there));
    MONOFOLD_UNROLL
    for (int e = 0; e < count; ++e) {
      std::uint32_t said[2 * place::pairs];
      MONOFOLD_UNROLL
      for (int w = 0; w < 2 * place::pairs; ++w) said[w] = static_cast<std::uint32_t>(word[e][w]);
      best[e] = best_place_of_lanes(place::of(said));
    }
  }

  MONOFOLD_GPU void store_found(slots& to) const {
    if (lane_rank() != 0) return;
    to.found.first = few_extremum<First>::state_of(best[0]);
    if constexpr (count > 1) to.found.rest.first = few_extremum<Rest...>::state_of(best[1]);
  }
  template <class Sink>
  MONOFOLD_GPU static companion_sink<Sink, state> sink_for(const Sink& sink, const slots& from) {
    return {sink, from.found};
  }

 private:
  /// Where the words of pair p of an extremum lie.
  MONOFOLD_GPU static int box_of(int extremum, int p, int sender) {
    return 2 * ((extremum * place::pairs + p) * mailbox_storage::most_senders + sender);
  }
};

/// The `few_extrema` of an `all` of extrema, which `exact_members` makes; of no extrema: `no_extrema`.
template <class Extrema>
struct few_extrema_of {
  using type = no_extrema;
};
template <class... Folds>
struct few_extrema_of<all_fold<Folds...>> {
  using type = few_extrema<Folds...>;
};

}  // namespace monofold::detail
