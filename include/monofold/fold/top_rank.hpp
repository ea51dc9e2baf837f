#pragma once
/// fold/top_rank: items as unsigned ranks, the better the larger, for folds that pick the best.

#include <cstdint>
#include <limits>
#include <type_traits>

#include "monofold/fold/extrema.hpp"
#include "monofold/fold/nan.hpp"
#include "monofold/fold/order_key.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Ranks of 32 bits for items of up to 4 bytes, of 64 for the others. NaN, all of them, have rank 0, as
/// the worst integer has.
template <class Item, bool smallest>
struct top_rank {
  using extremum_type = extremum_fold<Item, smallest, nan_rule::omit>;  // where NaN lose
  using key = typename extremum_type::key;
  using bits = std::make_unsigned_t<key>;
  using type = std::conditional_t<sizeof(key) <= 4, std::uint32_t, std::uint64_t>;
  static constexpr bool has_nan = order_key<Item>::has_nan;
  static constexpr bits sign =
      std::is_signed_v<key> ? static_cast<bits>(bits{1} << (8 * sizeof(key) - 1)) : bits{0};

  MONOFOLD_HD static type of_key(key own) {
    if constexpr (has_nan) {
      if (extremum_type::is_nan_key(own)) return 0;
    }
    const auto ascending = static_cast<bits>(static_cast<bits>(own) ^ sign);
    return smallest ? static_cast<bits>(~ascending) : ascending;
  }
  MONOFOLD_HD static type of(const Item& item) { return of_key(extremum_type::key_of(item)); }
  MONOFOLD_HD static Item item_of(type rank) {
    const auto ascending = static_cast<bits>(smallest ? ~rank : rank);
    return extremum_type::item_of(static_cast<key>(static_cast<bits>(ascending ^ sign)));
  }
};

/// A *score* is a rank and, where that has 32 bits, below it the item's position, the lower the better.
/// Positions are cut to 32 bits by a shift, so equal scores still need a look at positions.
template <class Rank>
MONOFOLD_HD std::uint64_t score_of(Rank rank, std::int64_t position, int shift) {
  if constexpr (sizeof(Rank) == 8) {
    return rank;
  } else {
    const auto place = static_cast<std::uint32_t>(static_cast<std::uint64_t>(position) >> shift);
    return (std::uint64_t{rank} << 32) | static_cast<std::uint32_t>(~place);
  }
}
template <class Rank>
MONOFOLD_HD Rank rank_of_score(std::uint64_t score) {
  return static_cast<Rank>(sizeof(Rank) == 8 ? score : score >> 32);
}

/// No item has this position; the last that one could have is one less.
inline constexpr std::int64_t no_position = std::numeric_limits<std::int64_t>::max();

/// Says that k items are at least so good: of score `score` up to position `last`, or better.
struct top_bound {
  std::uint64_t score = 0;
  std::int64_t last = no_position - 1;

  MONOFOLD_HD bool passes(std::uint64_t own, std::int64_t position) const {
    return own > score || (own == score && position <= last);
  }
};

}  // namespace monofold::detail
