#pragma once
/// engine/gpu/segment/warp_top: how a warp finds the k best items of a range.

#include <cstdint>

#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/segment/top_keys.cuh"
#include "monofold/fold/word_order.hpp"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/slot_array.hpp"
#include "monofold/level/thread.cuh"
#include "monofold/plan/tiles.hpp"
#include "monofold/plan/top_rows_launch.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Items `stride` apart. Tiles begin at 16-byte boundaries where the stride is 1, and at the first item where not.
template <class Word>
struct strided_range : aligned_range<Word> {
  std::int64_t stride;

  /// The only item of a range of one item.
  MONOFOLD_GPU Word only() const { return this->base[this->first]; }
};

/// The candidates of a warp, in shared memory, and a bound that candidates have to reach.
///
/// A warp loads a tile and finds the best rank in each chunk of 16 bytes. Chunks that reach the bound are copied to
/// shared memory, from where lanes take one item each. Few chunks reach it, so this takes a few steps a tile.
///
/// shape      shared: bytes_for(k), at a 16-byte boundary
/// sync       all lanes of the warp make each call together
template <class Word>
class warp_top {
 public:
  using keys = top_keys<Word>;
  using key = typename keys::key;
  using rank = typename keys::rank;
  using order = word_order<Word>;
  using range = strided_range<Word>;
  static constexpr int tile_items = tile_items_v<Word>;
  static constexpr int chunk_items = tile_shape<Word>::items_per_lane;
  static constexpr int row_items = tile_shape<Word>::row_items;
  static constexpr int staged_chunks = tile_rows * warp_lanes;
  static constexpr int staged_bytes = staged_chunks * (static_cast<int>(sizeof(bytes16)) + 1);

  MONOFOLD_HD_CALL static constexpr int bytes_for(int k) {
    return staged_bytes + top_pool_places(k) * static_cast<int>(sizeof(key));
  }

  MONOFOLD_GPU warp_top(char* shared, const order& how, int k)
      : order_(how),
        stage_(reinterpret_cast<bytes16*>(shared)),
        codes_(reinterpret_cast<std::uint8_t*>(stage_ + staged_chunks)),
        pool_(pool_in(shared)),
        k_(k) {}

  /// The candidates in this shared memory of a warp.
  MONOFOLD_GPU static key* pool_in(char* shared) {
    return reinterpret_cast<key*>(shared + staged_bytes);
  }

  /// Begins without candidates.
  MONOFOLD_GPU void start() {
    sync_warp();  // the pool was read before
    count_ = 0;
    least_ = keys::first_of(order_.least());
    needs_bound_ = k_ <= max_warp_top_items;
  }

  MONOFOLD_GPU int count() const { return count_; }
  /// The key in a place, best first, after `sort`.
  MONOFOLD_GPU key at(int place) const { return pool_[place]; }

  /// Adds the keys of lanes that have one, if they reach the bound.
  MONOFOLD_GPU void offer(bool has_key, key own) {
    bool enters = has_key && own >= least_;
    std::uint32_t lanes = lanes_with(enters);
    if (lanes == 0) return;
    if (count_ + count_bits(lanes) > top_pool_places(k_)) {
      tighten(top_survivors(k_));
      enters = enters && own >= least_;
      lanes = lanes_with(enters);
    }
    if (enters) pool_[count_ + count_bits(lanes & lanes_below())] = own;
    count_ += count_bits(lanes);
  }

  /// Adds the candidates of another warp, to which nobody writes meanwhile.
  MONOFOLD_GPU void offer_all(const key* pool, int count) {
    MONOFOLD_ROLL
    for (int at = 0; at < count; at += warp_lanes) {
      const int i = at + lane_rank();
      const bool is_there = i < count;
      offer(is_there, is_there ? pool[i] : key{0});
    }
  }

  /// Drops candidates that are not needed, which gives a better bound.
  MONOFOLD_GPU void settle() { tighten(top_survivors(k_)); }

  /// Searches the tile at position `at`, a boundary. Indices count from the range's first item.
  MONOFOLD_GPU void scan(const range& items, std::int64_t at) {
    const std::int64_t left = items.end - at;
    const int rows =
        left >= tile_items ? tile_rows : static_cast<int>((left + row_items - 1) / row_items);
    bytes16 raw[tile_rows];
    if (items.stride != 1) {
      gather(raw, items, at, rows);
    } else if (at >= items.first && left >= tile_items) {
      load_aligned_rows(raw, reinterpret_cast<const char*>(items.base + at), lane_rank());
    } else {
      load_ragged_rows(raw, items, at, lane_rank(), repeated(order_.outside));
    }
    rank best[tile_rows];
    rank most = 0;
    MONOFOLD_UNROLL
    for (int r = 0; r < tile_rows; ++r) {
      best[r] = r < rows ? best_of(raw[r]) : rank{0};
      most = best[r] > most ? best[r] : most;
    }
    if (needs_bound_) find_first_bound(best, most);
    const rank limit = keys::rank_of(least_);
    if (!any_lane(most >= limit)) return;
    const int staged = stage(raw, best, limit, rows);
    sync_warp();  // chunks staged above are read below
    offer_staged(items, at, staged);
    sync_warp();  // and overwritten after this
    if (count_ >= top_pool_settled(k_)) settle();
  }

  /// Sorts the k best candidates, best first, and drops the others. There may be fewer than k.
  MONOFOLD_GPU void sort() {
    int most = warp_lanes;
    while (most < k_) most *= 2;
    if (count_ > most) tighten(most);
    sync_warp();  // keys written above are read below
    if (count_ <= warp_lanes) {
      const int width = count_ <= warp_lanes / 4 ? warp_lanes / 4 : warp_lanes;
      const key own = sort_lanes(lane_rank() < count_ ? pool_[lane_rank()] : key{0}, width);
      sync_warp();  // keys were read above
      pool_[lane_rank()] = own;
    } else {
      sort_pool();
    }
    sync_warp();  // keys written above are read by all
    if (count_ > k_) count_ = k_;
  }

 private:
  MONOFOLD_GPU static std::uint32_t lanes_below() { return first_lanes(lane_rank() + 1) >> 1; }

  /// Loads items that lie apart, one by one.
  MONOFOLD_GPU void gather(bytes16 (&raw)[tile_rows], const range& items, std::int64_t at,
                           int rows) const {
    const std::int64_t first = at + lane_rank() * chunk_items;
    MONOFOLD_UNROLL
    for (int r = 0; r < tile_rows; ++r) raw[r] = repeated(order_.outside);
    MONOFOLD_ROLL
    for (int v = 0; v < chunk_items; ++v) {
      MONOFOLD_UNROLL
      for (int r = 0; r < tile_rows; ++r) {
        const std::int64_t i = first + r * row_items + v;
        if (r < rows && i < items.end) set_item(raw[r], v, items.base[i * items.stride]);
      }
    }
  }

  MONOFOLD_GPU rank best_of(const bytes16& chunk) const {
    const auto items = bits_as<slot_array<Word, chunk_items>>(chunk);
    rank best = order_.unsettled(items[0]);
    MONOFOLD_UNROLL
    for (int v = 1; v < chunk_items; ++v) {
      const rank own = order_.unsettled(items[v]);
      best = own > best ? own : best;
    }
    return order_.settled(best);
  }

  /// Finds a first bound: the k-th best of the best items of chunks, which hardly more than k items reach. For small
  /// k, the best items of lanes are used.
  MONOFOLD_GPU void find_first_bound(const rank (&best)[tile_rows], rank most) {
    const rank of_lane[1] = {most};
    const rank bound = k_ <= warp_lanes / 2 ? kth_of(of_lane) : kth_of(best);
    if (keys::first_of(bound) > least_) least_ = keys::first_of(bound);
    needs_bound_ = false;
  }

  /// A number that at least k of the warp's numbers reach, and hardly more; the smallest number where the warp has
  /// fewer than k.
  template <int n>
  MONOFOLD_GPU rank kth_of(const rank (&own)[n]) const {
    rank low = own[0];
    rank high = own[0];
    MONOFOLD_UNROLL
    for (int i = 1; i < n; ++i) {
      low = own[i] < low ? own[i] : low;
      high = own[i] > high ? own[i] : high;
    }
    low = smallest_of_lanes(low);
    high = largest_of_lanes(high);
    if (k_ == 1) return high;
    int reach = n * warp_lanes;
    MONOFOLD_ROLL
    while (low < high && reach > k_ + k_ / 8) {
      const rank middle = low + (high - low) / 2 + 1;
      int found = own[0] >= middle ? 1 : 0;
      MONOFOLD_UNROLL
      for (int i = 1; i < n; ++i) found += own[i] >= middle ? 1 : 0;
      found = n == 1 ? count_lanes(found != 0) : sum_of_lanes(found);
      if (found >= k_) {
        low = middle;
        reach = found;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /// Copies the chunks that reach the bound, and their places, to the stage; returns how many they are.
  MONOFOLD_GPU int stage(const bytes16 (&raw)[tile_rows], const rank (&best)[tile_rows], rank limit,
                         int rows) const {
    int staged = 0;
    MONOFOLD_UNROLL
    for (int r = 0; r < tile_rows; ++r) {
      const bool enters = r < rows && best[r] >= limit;
      const std::uint32_t lanes = lanes_with(enters);
      if (enters) {
        const int place = staged + count_bits(lanes & lanes_below());
        stage_[place] = raw[r];
        codes_[place] = static_cast<std::uint8_t>(r * warp_lanes + lane_rank());
      }
      staged += count_bits(lanes);
    }
    return staged;
  }

  /// Adds the items of staged chunks that reach the bound, an item by each lane.
  MONOFOLD_GPU void offer_staged(const range& items, std::int64_t at, int staged) {
    const auto* const words = reinterpret_cast<const Word*>(stage_);
    MONOFOLD_ROLL
    for (int from = 0; from < staged * chunk_items; from += warp_lanes) {
      const int i = from + lane_rank();
      bool is_there = i < staged * chunk_items;
      const Word word = is_there ? words[i] : order_.outside;
      const int code = is_there ? codes_[i / chunk_items] : 0;
      const std::int64_t position = at + code * chunk_items + i % chunk_items;
      is_there = is_there && items.holds(position);
      offer(is_there,
            keys::of(order_.rank_of(word), static_cast<std::uint32_t>(position - items.first)));
    }
  }

  MONOFOLD_GPU void tighten(int most) {
    const thinned_pool own = thin_out(pool_, count_, k_, most);
    count_ = own.count;
    if (own.least > least_) least_ = own.least;
  }

  /// How many keys are left, and a bound that all of them reach.
  struct thinned_pool {
    int count;
    key least;
  };
  /// Drops keys until at most `most` are left, which is k or more. The k-th best key lies in an interval that is
  /// halved until few enough keys are above it; this comes to an end since no two keys are equal. Arguments are passed
  /// by value and not through `this`, which would keep the object in memory.
  MONOFOLD_GPU_CALL static thinned_pool thin_out(key* pool, int count, int k, int most) {
    sync_warp();  // keys written before are read below
    if (count <= most) return {count, key{0}};
    rank least = ~rank{0};
    rank best = 0;
    MONOFOLD_ROLL
    for (int i = lane_rank(); i < count; i += warp_lanes) {
      const rank own = keys::rank_of(pool[i]);
      least = own < least ? own : least;
      best = own > best ? own : best;
    }
    key low = keys::first_of(smallest_of_lanes(least));
    key high = keys::last_of(largest_of_lanes(best));
    int reach = count;
    MONOFOLD_ROLL
    while (reach > most) {
      const key middle = low + (high - low) / 2 + 1;
      int found = 0;
      MONOFOLD_ROLL
      for (int i = lane_rank(); i < count; i += warp_lanes) found += pool[i] >= middle ? 1 : 0;
      found = sum_of_lanes(found);
      if (found >= k) {
        low = middle;
        reach = found;
      } else {
        high = middle - 1;
      }
    }
    keep_from(pool, count, low);
    return {reach, low};
  }

  MONOFOLD_GPU static void keep_from(key* pool, int count, key bound) {
    int kept = 0;
    MONOFOLD_ROLL
    for (int at = 0; at < count; at += warp_lanes) {
      const int i = at + lane_rank();
      const key own = i < count ? pool[i] : key{0};
      const bool stays = i < count && own >= bound;
      const std::uint32_t lanes = lanes_with(stays);
      sync_warp();  // what is written below lies in front of `at` + 32, and was read above
      if (stays) pool[kept + count_bits(lanes & lanes_below())] = own;
      kept += count_bits(lanes);
    }
  }

  /// Sorts more than 32 keys, by exchanging pairs.
  MONOFOLD_GPU void sort_pool() {
    int size = 2 * warp_lanes;
    while (size < count_) size *= 2;
    for (int i = count_ + lane_rank(); i < size; i += warp_lanes) pool_[i] = key{0};
    MONOFOLD_ROLL
    for (int run = 2; run <= size; run *= 2) {
      MONOFOLD_ROLL
      for (int distance = run / 2; distance > 0; distance /= 2) {
        sync_warp();  // what was written above is read below, by one lane each
        MONOFOLD_ROLL
        for (int pair = lane_rank(); pair < size / 2; pair += warp_lanes) {
          const int first = 2 * pair - (pair & (distance - 1));
          const key lower = pool_[first];
          const key upper = pool_[first + distance];
          if ((upper > lower) != ((first & run) == 0)) continue;
          pool_[first] = upper;
          pool_[first + distance] = lower;
        }
      }
    }
  }

  const order& order_;
  bytes16* stage_;
  std::uint8_t* codes_;
  key* pool_;
  int k_;
  int count_ = 0;
  key least_ = 0;
  bool needs_bound_ = false;
};

}  // namespace monofold::detail
