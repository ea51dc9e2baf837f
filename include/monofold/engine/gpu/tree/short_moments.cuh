#pragma once
/// engine/gpu/tree/short_moments: count, sum and sum of squares of few integers, in as many words as they take.
///
/// The state of any number of items has 450 bits, which lanes exchange and blocks mail. Half of them or fewer are
/// enough for up to 2^28 bytes.

#include <cstdint>

#include "monofold/engine/gpu/tree/warp_fold.cuh"
#include "monofold/engine/gpu/tree/warp_running.cuh"
#include "monofold/engine/gpu/tree/warp_tile.cuh"
#include "monofold/fold/moments.hpp"
#include "monofold/level/lanes.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/wide_int.hpp"

namespace monofold::detail {

/// The parts of a state hold what they are for where items have fewer bytes than this.
inline constexpr std::int64_t short_moments_bytes = std::int64_t{1} << 28;

/// Squares of items of 1 and 2 bytes are below 2^32, so a sum of them is below 2^60.
template <int item_bytes>
struct short_moments_state {
  std::int64_t count;
  std::int64_t sum;
  std::uint64_t squares;

  template <class Slots>
  MONOFOLD_GPU static short_moments_state of(const Slots& own, std::int64_t items) {
    return {items, own.sum, own.squares};
  }
  MONOFOLD_GPU short_moments_state operator+(const short_moments_state& other) const {
    return {count + other.count, sum + other.sum, squares + other.squares};
  }
  MONOFOLD_GPU short_moments_state total_of_lanes() const {
    return {static_cast<std::int64_t>(sum_of_lanes(static_cast<std::uint32_t>(count))),
            sum_of_lanes(sum), sum_of_lanes(squares)};
  }
  MONOFOLD_GPU integer_moments_state whole() const {
    return {count, sum, monofold::widen(squares)};
  }
};

/// Squares of items of 4 bytes are added in two halves of 32 bits.
template <>
struct short_moments_state<4> {
  std::int64_t count;
  std::int64_t sum;
  std::uint64_t low;
  std::uint64_t high;

  template <class Slots>
  MONOFOLD_GPU static short_moments_state of(const Slots& own, std::int64_t items) {
    return {items, own.sum, own.low, own.high};
  }
  MONOFOLD_GPU short_moments_state operator+(const short_moments_state& other) const {
    return {count + other.count, sum + other.sum, low + other.low, high + other.high};
  }
  MONOFOLD_GPU short_moments_state total_of_lanes() const {
    return {static_cast<std::int64_t>(sum_of_lanes(static_cast<std::uint32_t>(count))),
            sum_of_lanes(sum), sum_of_lanes(low), sum_of_lanes(high)};
  }
  MONOFOLD_GPU integer_moments_state whole() const {
    return {count, sum, monofold::widen((uint128{high} << 32) + low)};
  }
};

/// Squares of items of 8 bytes: 2^25 of them, below 2^128, come to less than 2^153.
template <>
struct short_moments_state<8> {
  int128 sum;
  std::uint64_t limb[3];  // of the sum of squares
  std::int64_t count;

  template <class Slots>
  MONOFOLD_GPU static short_moments_state of(const Slots& own, std::int64_t items) {
    return {own.sum,
            {static_cast<std::uint64_t>(own.squares), static_cast<std::uint64_t>(own.squares >> 64),
             own.carries},
            items};
  }
  MONOFOLD_GPU short_moments_state operator+(const short_moments_state& other) const {
    uint128 squares = uint128{limb[1]} << 64 | limb[0];
    auto carries = static_cast<std::uint32_t>(limb[2] + other.limb[2]);
    add_carrying(squares, uint128{other.limb[1]} << 64 | other.limb[0], carries);
    return {
        sum + other.sum,
        {static_cast<std::uint64_t>(squares), static_cast<std::uint64_t>(squares >> 64), carries},
        count + other.count};
  }
  MONOFOLD_GPU short_moments_state total_of_lanes() const {
    // In six pieces of 26 bits, 32 of which add up to less than 2^32. Two sums of them make 58 bits and a carry.
    constexpr std::uint64_t piece = (1u << 26) - 1;
    const auto both = [](std::uint64_t low, std::uint64_t high) {
      const std::uint64_t above = sum_of_lanes(static_cast<std::uint32_t>(high & piece));
      return (above << 26) + sum_of_lanes(static_cast<std::uint32_t>(low & piece));
    };
    const std::uint64_t low = both(limb[0], limb[0] >> 26);
    const std::uint64_t middle = both(limb[0] >> 52 | limb[1] << 12, limb[1] >> 14);
    const std::uint64_t high = both(limb[1] >> 40 | limb[2] << 24, limb[2] >> 2);
    const uint128 up_to_middle = (uint128{middle} << 52) + low;
    const uint128 upper = (uint128{high} << 40) + static_cast<std::uint64_t>(up_to_middle >> 64);
    return {sum_of_lanes(sum),
            {static_cast<std::uint64_t>(up_to_middle), static_cast<std::uint64_t>(upper),
             static_cast<std::uint64_t>(upper >> 64)},
            static_cast<std::int64_t>(sum_of_lanes(static_cast<std::uint32_t>(count)))};
  }
  MONOFOLD_GPU integer_moments_state whole() const {
    return {count, sum, {{limb[0], limb[1], limb[2], 0}}};
  }
};

/// Count, sum and sum of squares of integers of less than `short_moments_bytes`.
template <class Item>
struct short_moments_fold : integer_moments_slots<Item> {
  using state = short_moments_state<sizeof(Item) == 1 ? 2 : static_cast<int>(sizeof(Item))>;
  using slots = integer_moments_slots<Item>;
  static constexpr bool commutative = true;
  static constexpr bool exact = true;

  MONOFOLD_GPU state lift(Item item, std::int64_t index) const {
    return state::of(this->open(item, index), 1);
  }
  MONOFOLD_GPU state combine(const state& left, const state& right) const { return left + right; }
  MONOFOLD_GPU state identity() const { return state{}; }
  MONOFOLD_GPU state flush(const typename slots::accumulator& own, std::int64_t count) const {
    return state::of(own, count);
  }
  MONOFOLD_GPU static state total_of_lanes(const state& own) { return own.total_of_lanes(); }
};

template <class Item>
inline constexpr bool adds_lanes_v<short_moments_fold<Item>> = true;
// Zeros behind a partial tile add nothing, and are not counted: see below.
template <class Item>
inline constexpr bool ignores_zeros_v<short_moments_fold<Item>> = true;
template <class Item, class View>
inline constexpr bool is_padded_v<short_moments_fold<Item>, View> =
    contiguous_item_view<View>&& warp_tile<View>::held;

/// A state in each lane, of which all but the count is the lane's own: that is of the warp's tiles, whatever fills them up.
template <class Item, class View>
class warp_running<short_moments_fold<Item>, View> {
 public:
  using fold = short_moments_fold<Item>;
  using state = typename fold::state;
  using access = lane_access<fold, Item>;
  static constexpr int lane_bytes =
      static_cast<int>(sizeof(state)) +
      slot_shape<fold, Item>::chains * static_cast<int>(sizeof(accumulator_t<fold>));

  warp_running() = default;
  MONOFOLD_GPU explicit warp_running(const fold& f) : own_(f.identity()), count_(0) {}

  MONOFOLD_GPU void add(const fold& f, const warp_tile<View>& tile) {
    own_ = own_ + access::flush(f, fold_lane<true>(f, tile), 0);
    count_ += tile.count();
  }
  MONOFOLD_GPU void merge(const fold&, const state& tile) {
    if (lane_rank() == 0) own_ = own_ + tile;
  }
  /// The state of the warp, in all lanes.
  MONOFOLD_GPU state total(const fold&) const {
    state total = own_.total_of_lanes();
    total.count += count_;
    return total;
  }

 private:
  state own_;
  std::int64_t count_;
};

}  // namespace monofold::detail
