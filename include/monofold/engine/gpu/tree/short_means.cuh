#pragma once
/// engine/gpu/tree/short_means: count and sum of few integers, in as many words as they take.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/tree/warp_fold.cuh"
#include "monofold/engine/gpu/tree/warp_running.cuh"
#include "monofold/engine/gpu/tree/warp_tile.cuh"
#include "monofold/fold/sum.hpp"
#include "monofold/level/lanes.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::detail {

/// Sums of items of up to 4 bytes are below 2^57.
template <class Item, bool is_wide = (sizeof(Item) > 4)>
struct short_mean_state {
  std::int64_t count;
  std::int64_t total;

  MONOFOLD_GPU static short_mean_state of(std::int64_t sum, std::int64_t items) {
    return {items, sum};
  }
  MONOFOLD_GPU std::int64_t sum() const { return total; }
  MONOFOLD_GPU typename mean_fold<Item>::state whole() const { return {total, count}; }
};
/// Sums of items of 8 bytes are two words: an integer of 16 bytes would leave 8 bytes of padding behind the count.
template <class Item>
struct short_mean_state<Item, true> {
  std::int64_t count;
  std::uint64_t low;
  std::int64_t high;

  MONOFOLD_GPU static short_mean_state of(int128 sum, std::int64_t items) {
    return {items, static_cast<std::uint64_t>(sum), static_cast<std::int64_t>(sum >> 64)};
  }
  MONOFOLD_GPU int128 sum() const { return int128{high} * (int128{1} << 64) + low; }
  MONOFOLD_GPU typename mean_fold<Item>::state whole() const { return {sum(), count}; }
};

/// Count and sum of fewer than 2^28 integers.
template <class Item>
struct short_mean_fold {
  using state = short_mean_state<Item>;
  using accumulator = std::conditional_t<(sizeof(Item) > 4), int128, std::int64_t>;  // no count
  static constexpr bool commutative = true;
  static constexpr bool exact = true;

  MONOFOLD_GPU state lift(Item item, std::int64_t) const { return state::of(item, 1); }
  MONOFOLD_GPU state combine(const state& left, const state& right) const {
    return state::of(left.sum() + right.sum(), left.count + right.count);
  }
  MONOFOLD_GPU state identity() const { return state::of(0, 0); }
  MONOFOLD_GPU accumulator open(Item item, std::int64_t) const { return item; }
  MONOFOLD_GPU void absorb(accumulator& own, Item item, std::int64_t) const { own += item; }
  MONOFOLD_GPU accumulator join(accumulator left, accumulator right) const { return left + right; }
  MONOFOLD_GPU state flush(accumulator own, std::int64_t count) const {
    return state::of(own, count);
  }
  MONOFOLD_GPU static state total_of_lanes(const state& own) {
    return state::of(
        sum_of_lanes(own.sum()),
        static_cast<std::int64_t>(sum_of_lanes(static_cast<std::uint32_t>(own.count))));
  }
};

template <class Item>
inline constexpr bool adds_lanes_v<short_mean_fold<Item>> = true;
// Zeros behind a partial tile add nothing, and are not counted: see below.
template <class Item>
inline constexpr bool ignores_zeros_v<short_mean_fold<Item>> = true;
template <class Item, class View>
inline constexpr bool is_padded_v<short_mean_fold<Item>, View> =
    contiguous_item_view<View>&& warp_tile<View>::held;

/// The sum of a lane's items; the count is that of the warp's tiles, whatever fills them up.
template <class Item, class View>
class warp_running<short_mean_fold<Item>, View> {
 public:
  using fold = short_mean_fold<Item>;
  using state = typename fold::state;
  using sum_fold =
      std::conditional_t<(sizeof(Item) > 4), integer_sum_fold<Item>, short_integer_sum_fold<Item>>;
  using sum = warp_running<sum_fold, View>;
  static constexpr int lane_bytes = sum::lane_bytes;

  warp_running() = default;
  MONOFOLD_GPU explicit warp_running(const fold&) : sum_(sum_fold{}), count_(0) {}

  MONOFOLD_GPU void add(const fold&, const warp_tile<View>& tile) {
    sum_.add(sum_fold{}, tile);
    count_ += tile.count();
  }
  MONOFOLD_GPU void merge(const fold&, const state& tile) {
    sum_.merge(sum_fold{}, tile.sum());
    count_ += shuffle_from(tile.count, 0);
  }
  /// The state of the warp, in all lanes.
  MONOFOLD_GPU state total(const fold&) const { return state::of(sum_.total(sum_fold{}), count_); }

 private:
  sum sum_;
  std::int64_t count_;
};

}  // namespace monofold::detail
