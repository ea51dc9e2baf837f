#pragma once
/// engine/gpu/tree/warp_running: folds tiles by an exact fold on one warp, without a state for each tile.
///
/// An exact fold has the same result in every order. So each lane of a warp keeps one state for all its tiles in
/// registers, and states are joined once, at the end.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/lane_best.cuh"
#include "monofold/engine/gpu/tree/warp_fold.cuh"
#include "monofold/engine/gpu/tree/warp_tile.cuh"
#include "monofold/engine/gpu/warp_extremum.cuh"
#include "monofold/fold/all.hpp"
#include "monofold/fold/extrema.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/warp.cuh"
#include "monofold/plan/tiles.hpp"

namespace monofold::detail {

/// Whether a warp may keep one state of a fold for all its tiles.
template <class F>
inline constexpr bool is_running_v = is_exact_v<F>&& is_commutative_v<F>&& has_identity_v<F> &&
                                     !may_repeat_v<F> && !is_all_fold<F>::value;

/// A state in each lane.
///
/// shape      `add` takes whole tiles, by all lanes of the warp; `merge` takes the state of lane 0. An object that was
///            made without arguments must be assigned to before it is used
/// order      any: the fold is exact
template <class F, class View>
class warp_running {
 public:
  using item = typename View::item_type;
  using state = typename F::state;
  using access = lane_access<F, item>;
  static constexpr int lane_bytes =
      static_cast<int>(sizeof(state)) +
      slot_shape<F, item>::chains * static_cast<int>(sizeof(accumulator_t<F>));

  warp_running() = default;
  MONOFOLD_GPU explicit warp_running(const F& f) : own_(f.identity()) {}

  MONOFOLD_GPU void add(const F& f, const warp_tile<View>& tile) {
    const auto own = fold_lane<true>(f, tile);
    own_ = combine_states(f, own_, access::flush(f, own, warp_tile<View>::run_items));
  }
  MONOFOLD_GPU void merge(const F& f, const state& tile) {
    if (lane_rank() == 0) own_ = combine_states(f, own_, tile);
  }
  /// The state of the warp, in lane 0.
  MONOFOLD_GPU state total(const F& f) const { return warp::combine(f, own_); }

 private:
  state own_;
};

/// The sum of integers: a lane adds a tile's items in 32 or 64 bits, which hold any tile.
template <class F, class View>
class warp_integer_sum {
 public:
  using fold = F;
  using Item = typename View::item_type;
  using state = typename F::state;
  static constexpr int lane_bytes = static_cast<int>(2 * sizeof(state));

  warp_integer_sum() = default;
  MONOFOLD_GPU explicit warp_integer_sum(const fold&) : own_(0) {}

  MONOFOLD_GPU void add(const fold& f, const warp_tile<View>& tile) {
    if constexpr (sizeof(Item) == 1 && warp_tile<View>::held) {
      // Four items an instruction: 128 items of a byte a lane and tile.
      std::int32_t sum = 0;
      MONOFOLD_UNROLL
      for (int k = 0; k < tile_rows; ++k) {
        const bytes16 raw = tile.raw(k);
        MONOFOLD_UNROLL
        for (int w = 0; w < 4; ++w) sum = add_bytes(raw.word[w], sum);
      }
      own_ += sum;
    } else if constexpr (sizeof(Item) <= 4) {
      constexpr int items = warp_tile<View>::chunk_items;
      using sum_type = std::conditional_t<sizeof(Item) <= 2, std::int32_t, std::int64_t>;
      sum_type sum = 0;
      MONOFOLD_UNROLL
      for (int k = 0; k < tile_rows; ++k) {
        const auto chunk = tile.template get<true>(k);
        MONOFOLD_UNROLL
        for (int v = 0; v < items; ++v) sum += static_cast<sum_type>(chunk[v]);
      }
      own_ += sum;
    } else {
      MONOFOLD_UNROLL
      for (int k = 0; k < tile_rows; ++k) {
        const auto chunk = tile.template get<true>(k);
        MONOFOLD_UNROLL
        for (int v = 0; v < warp_tile<View>::chunk_items; ++v) {
          own_ = f.combine(own_, f.lift(chunk[v], 0));
        }
      }
    }
  }
  MONOFOLD_GPU void merge(const fold&, const state& tile) {
    if (lane_rank() == 0) own_ += static_cast<total_type>(tile);
  }
  MONOFOLD_GPU state total(const fold& f) const {
    return warp::combine(f, static_cast<state>(own_));
  }

 private:
  /// The sum of four bytes and `sum`.
  MONOFOLD_GPU static std::int32_t add_bytes(std::uint32_t bytes, std::int32_t sum) {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_signed_v<Item>) {
      return __dp4a(static_cast<std::int32_t>(bytes), 0x01010101, sum);
    } else {
      return static_cast<std::int32_t>(__dp4a(bytes, 0x01010101u, static_cast<std::uint32_t>(sum)));
    }
#else
    for (int b = 0; b < 4; ++b) {
      const auto byte = static_cast<std::uint8_t>(bytes >> (8 * b));
      sum += std::is_signed_v<Item> ? static_cast<std::int8_t>(byte) : byte;
    }
    return sum;
#endif
  }

  // 2^31 tiles of 128 bytes, or 2^26 of 32 words, a lane stay far below 2^63.
  using total_type = std::conditional_t<sizeof(Item) <= 4, std::int64_t, int128>;
  total_type own_;
};

template <class Item, class View>
class warp_running<integer_sum_fold<Item>, View>
    : public warp_integer_sum<integer_sum_fold<Item>, View> {
 public:
  using warp_integer_sum<integer_sum_fold<Item>, View>::warp_integer_sum;
};
template <class Item, class View>
class warp_running<short_integer_sum_fold<Item>, View>
    : public warp_integer_sum<short_integer_sum_fold<Item>, View> {
 public:
  using warp_integer_sum<short_integer_sum_fold<Item>, View>::warp_integer_sum;
};

/// Counts items.
template <class View>
class warp_running<count_fold, View> {
 public:
  static constexpr int lane_bytes = 8;

  warp_running() = default;
  MONOFOLD_GPU explicit warp_running(const count_fold&) : own_(0) {}
  MONOFOLD_GPU void add(const count_fold&, const warp_tile<View>& tile) { own_ += tile.count(); }
  MONOFOLD_GPU void merge(const count_fold&, std::int64_t tile) { own_ += shuffle_from(tile, 0); }
  /// The count, in all lanes, which count the same tiles.
  MONOFOLD_GPU std::int64_t total(const count_fold&) const { return own_; }

 private:
  std::int64_t own_;
};

/// Whether a tile's extremum takes less than to find out whether the tile may have a better one: the search of a warp of
/// a kernel of many tiles.
///
/// source     on an H200, of float64: eight plain statistics take 0.84 to 1.01 of the time from 16 MiB on, maxima and
///            places 0.93 to 1.0 from 64 MiB on. Exact statistics, whose registers are few, take up to 1.13
template <class Item>
inline constexpr bool searches_each_tile_v = std::is_same_v<Item, double>&& has_quick_doubles;

/// One extremum. Until `locate`, the index of a state is that of the first item of its tile, if that tile is whole.
template <class Fold, class View>
class warp_end_running
    : public warp_extremum<Fold, std::int64_t, !searches_each_tile_v<typename View::item_type>> {
 public:
  using base = warp_extremum<Fold, std::int64_t, !searches_each_tile_v<typename View::item_type>>;
  using base::base;

  template <class F>
  MONOFOLD_GPU void add(const F&, const warp_tile<View>& tile) {
    if constexpr (base::is_coarse) {
      if (!any_lane(this->may_change(tile))) return;
    }
    base::add(tile, tile.place().at);
  }
  template <class F>
  MONOFOLD_GPU void merge(const F&, const typename Fold::state& tile) {
    if (lane_rank() == 0) base::merge(Fold{}, tile);
  }
  template <class F>
  MONOFOLD_GPU typename Fold::state total(const F&) const {
    return base::total();
  }
};

template <class Item, bool smallest, nan_rule rule, class View>
class warp_running<extremum_fold<Item, smallest, rule>, View>
    : public warp_end_running<extremum_fold<Item, smallest, rule>, View> {
 public:
  using warp_end_running<extremum_fold<Item, smallest, rule>, View>::warp_end_running;
};
template <class Item, bool smallest, extremum_part part, class View>
class warp_running<extremum_answer_fold<Item, smallest, part>, View>
    : public warp_end_running<extremum_fold<Item, smallest>, View> {
 public:
  using warp_end_running<extremum_fold<Item, smallest>, View>::warp_end_running;
};

/// One extremum as a key, without an index. The key of a NaN is the best one.
template <class Item, bool smallest, class View>
class warp_running<extreme_key_fold<Item, smallest>, View> {
 public:
  using fold = extreme_key_fold<Item, smallest>;
  using extremum = typename fold::extremum;
  using state = typename fold::state;
  static constexpr bool is_coarse = has_coarse_best_v<extremum> && !searches_each_tile_v<Item>;
  static constexpr int lane_bytes = 16;

  warp_running() = default;
  MONOFOLD_GPU explicit warp_running(const fold& f) : own_(f.identity()) {}

  MONOFOLD_GPU void add(const fold& f, const warp_tile<View>& tile) {
    if constexpr (is_coarse) {
      if (!any_lane(coarse_.may_improve(tile))) return;
    }
    own_ = f.combine(own_, quick_best_in_lane<extremum>(tile));
    if constexpr (is_coarse) coarse_.set(extreme_of_lanes<smallest>(own_));
  }
  MONOFOLD_GPU void merge(const fold& f, state tile) { own_ = f.combine(own_, tile); }
  /// The state of the warp, in all lanes.
  MONOFOLD_GPU state total(const fold&) const { return extreme_of_lanes<smallest>(own_); }

 private:
  struct nothing {};

  state own_;
  std::conditional_t<is_coarse, coarse_best<extremum>, nothing> coarse_;
};

/// Both extrema.
template <class Item, nan_rule rule, class View>
class warp_running<extrema_fold<Item, rule>, View> {
 public:
  using fold = extrema_fold<Item, rule>;
  using low = typename fold::low;
  using high = typename fold::high;
  static constexpr int lane_bytes = 48;  // two states, and their keys on the way
  using low_type = warp_extremum<low, std::int64_t, !searches_each_tile_v<Item>>;
  using high_type = warp_extremum<high, std::int64_t, !searches_each_tile_v<Item>>;

  warp_running() = default;
  MONOFOLD_GPU explicit warp_running(const fold&) : low_(low{}), high_(high{}) {}
  MONOFOLD_GPU void add(const fold&, const warp_tile<View>& tile) {
    if constexpr (low_type::is_coarse) {
      if (!any_lane(low_.may_change(tile) | high_.may_change(tile))) return;
    }
    low_.add(tile, tile.place().at);
    high_.add(tile, tile.place().at);
  }
  MONOFOLD_GPU void merge(const fold&, const typename fold::state& tile) {
    if (lane_rank() != 0) return;
    low_.merge(low{}, tile.min);
    high_.merge(high{}, tile.max);
  }
  MONOFOLD_GPU typename fold::state total(const fold&) const {
    return {low_.total(), high_.total()};
  }

 private:
  low_type low_;
  high_type high_;
};

}  // namespace monofold::detail
