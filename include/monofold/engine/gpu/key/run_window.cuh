#pragma once
/// engine/gpu/key/run_window: the keys and items of a warp that folds all runs of few items among them at once.
///
/// A lane has neighbouring places. In each step of the plan's tree, items of all runs take their neighbours, some of
/// which are those of the next lane.

#include <cstdint>
#include <type_traits>
#include <utility>

#include "monofold/engine/gpu/key/lane_stage.cuh"
#include "monofold/engine/gpu/key/run_bits.cuh"
#include "monofold/engine/gpu/key/starts.cuh"
#include "monofold/engine/gpu/key/words.cuh"
#include "monofold/engine/gpu/segment/exact_cells.cuh"
#include "monofold/engine/gpu/segment/job.cuh"
#include "monofold/engine/gpu/segment/slot_cells.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/slot_array.hpp"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/shape/keys.hpp"

namespace monofold::detail {

/// The cells of a job's fold, as `slot_page` has them.
template <class Job, slot_way way = slot_way_of<Job>>
struct run_cells {
  using sink = std::remove_cv_t<decltype(std::declval<const Job&>().sinks.of(0))>;
  using type = tree_step_cells<typename Job::fold, typename Job::item, sink>;
  MONOFOLD_GPU static type of(const Job& job) { return {job.f}; }
};
template <class Job>
struct run_cells<Job, slot_way::exact> {
  using term = segment_term_t<typename Job::fold, typename Job::view_type>;
  using own = std::conditional_t<sums_as_double_v<term>, double_cells<term>, bin_cells<term>>;
  using type = exact_step_cells<own>;
  MONOFOLD_GPU static type of(const Job&) { return {}; }
};

/// Where the windows of warps lie. A lane has `each` places. Those of the last lane are the first ones of the next window:
/// a run of as many items lies in the window in whose own places it begins.
///
/// source     one H200, float32: by 32 places a lane, for which there is room for half as many warps, 10^7 items take 1.3
///            times as long, 2^28 0.9 to 1.1
template <class Job, class Key>
struct run_windows {
  using cell = typename run_cells<Job>::type::cell;
  static constexpr int each = sizeof(cell) <= 8 ? 16 : 8;
  static constexpr int places = warp_lanes * each;
  static constexpr int own_places = (warp_lanes - 1) * each;
  static constexpr int of_flags = flagged_by_warp / own_places;  // for the flags of a warp
};

/// The shared memory of a window: where runs begin, keys and items, then cells in their place.
template <class Job, class Key>
struct window_memory {
  using item = typename Job::item;
  using windows = run_windows<Job, Key>;
  using cell = typename windows::cell;
  using key_stage = lane_stage<Key, windows::each>;
  using item_stage = lane_stage<item, windows::each>;
  using cell_stage = lane_stage<cell, windows::each>;
  static constexpr int borders_bytes =
      in_chunks_of_16((windows::places + 1) * static_cast<int>(sizeof(std::uint16_t)));
  static constexpr int inputs_bytes = key_stage::bytes + item_stage::bytes;
  static constexpr int bytes =
      (inputs_bytes > cell_stage::bytes ? inputs_bytes : cell_stage::bytes) + borders_bytes;

  char* memory;

  MONOFOLD_GPU std::uint16_t* borders() const { return reinterpret_cast<std::uint16_t*>(memory); }
  MONOFOLD_GPU key_stage keys() const { return {memory + borders_bytes}; }
  MONOFOLD_GPU item_stage items() const { return {memory + borders_bytes + key_stage::bytes}; }
  MONOFOLD_GPU cell_stage cells() const { return {memory + borders_bytes}; }

  /// Where a run of the window begins, or the one behind them all.
  MONOFOLD_GPU int border(int number) const { return borders()[number]; }
  MONOFOLD_GPU Key key_at(int place) const {
    return key_words<Key>::key_of(key_words<Key>::word_of(*keys().place(place)));
  }
  MONOFOLD_GPU cell cell_at(int place) const {
    cell own = *cells().place(place);
    // Places count from the run's first; that of no item is below 0.
    if constexpr (requires { own.at; }) own.at -= own.at < 0 ? 0 : place;
    return own;
  }
};

/// A window of a warp.
template <class Job, class KeyView>
class run_window {
 public:
  using key = typename KeyView::item_type;
  using item = typename Job::item;
  using windows = run_windows<Job, key>;
  using cells = typename run_cells<Job>::type;
  using memory = window_memory<Job, key>;
  using cell = typename memory::cell;
  static constexpr int each = windows::each;

  /// Begins to load what flags say of it.
  ///
  /// shape      number: which window; its first place has a key
  MONOFOLD_GPU run_window(const run_flags& flags, std::int64_t size, std::int64_t number,
                          const memory& shared)
      : flags_(flags), size_(size), first_(number * windows::own_places), shared_(shared) {
    const std::int64_t warp = number / windows::of_flags;
    borders_ = bits_at(first_ + lane_rank() * each);
    before_ = flags_.bases[warp / flag_warps];
    below_ = flags_.below[warp];
    MONOFOLD_UNROLL
    for (int w = 1; w < windows::of_flags; ++w) {
      const bool is_before = w <= number % windows::of_flags && lane_rank() < warp_lanes - 1;
      earlier_[w] = is_before ? bits_at(first_ - w * windows::own_places + lane_rank() * each) : 0;
    }
  }

  MONOFOLD_GPU std::int64_t first() const { return first_; }

  /// Begins to copy keys, and then items.
  MONOFOLD_GPU void start(const Job& job, const KeyView& keys) const {
    shared_.keys().start(keys, size_, first_, key());
    end_group_of_copies();
    shared_.items().start(job.view, size_, first_, run_cells<Job>::of(job).filler());
    end_group_of_copies();
  }

  /// Finds where runs begin, and where the array ends: the borders.
  ///
  /// sync       all lanes of the warp; what it stores is there for others behind a barrier of the warp
  MONOFOLD_GPU void find() {
    const int lane = lane_rank();
    const std::int64_t left = size_ - first_;
    if (left < windows::places) {
      const int of_lane = static_cast<int>(left) - lane * each;
      if (of_lane >= 0 && of_lane < each) borders_ |= 1u << of_lane;
    }
    const int upto = sum_up_to_lane(count_bits(borders_));
    runs_ = shuffle_from(upto, warp_lanes - 2) - (left < windows::own_places ? 1 : 0);
    std::uint16_t* to = shared_.borders() + (upto - count_bits(borders_));
    MONOFOLD_ROLL
    for (std::uint32_t next = borders_; next != 0; next &= next - 1) {
      *to++ = static_cast<std::uint16_t>(lane * each + lowest_lane(next));
    }
    is_open_ = shuffle_from(upto, warp_lanes - 1) == runs_;
  }
  /// Finds where the last run ends that begins in the window's own places; all runs are short.
  ///
  /// sync       as `find`, behind it
  MONOFOLD_GPU void find_end() const {
    if (runs_ == 0 || !is_open_) return;
    const auto end = static_cast<std::uint16_t>(next_border() - first_);
    if (lane_rank() == 0) shared_.borders()[runs_] = end;
  }

  /// How many runs begin in the window's own places.
  MONOFOLD_GPU int runs() const { return runs_; }

  /// How many runs begin before the window.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU std::int64_t runs_before() const {
    int below = static_cast<int>(below_);
    if constexpr (windows::of_flags > 1) {
      int bits = 0;
      MONOFOLD_UNROLL
      for (int w = 1; w < windows::of_flags; ++w) bits += count_bits(earlier_[w]);
      below += sum_of_lanes(bits);
    }
    return before_ + below;
  }

  /// Folds runs of up to `each` items. Where one begins, its cell is then. False where cells do not hold what they should.
  ///
  /// sync       all lanes of the warp, for which items are there
  MONOFOLD_GPU bool fold(const cells& of) const {
    typename memory::item_stage::values raw;
    shared_.items().read(raw);
    typename cells::watch seen;
    MONOFOLD_UNROLL
    for (int i = 0; i < each; ++i) seen.see(raw[i]);
    const auto step = of.prepared(seen, true);
    if constexpr (requires { cells::cells::holds(seen, step); }) {
      if (!cells::cells::holds(seen, step)) return false;
    }
    typename memory::cell_stage::values own;
    MONOFOLD_UNROLL
    for (int i = 0; i < each; ++i) own[i] = of.take(step, raw[i], lane_rank() * each + i);
    run_bits<each> bits(borders_);
    fold_steps<0>(of, bits, own);
    sync_warp();  // what other lanes read is overwritten below
    shared_.cells().write(own);
    return true;
  }

 private:
  template <int level>
  MONOFOLD_GPU static void fold_steps(const cells& of, run_bits<each>& bits,
                                      typename memory::cell_stage::values& own) {
    if constexpr (level < run_bits<each>::levels) {
      constexpr int distance = 1 << level;
      const std::uint32_t takes = bits.takers(level);
      if (!any_lane(takes != 0)) return;
      // What is taken takes nothing in this step, so the order of places does not matter.
      MONOFOLD_UNROLL
      for (int i = each - distance; i < each; ++i) {
        const cell other = shuffle_down(own[i + distance - each], 1);
        own[i] = of.join(own[i], chosen(takes, i, other, of.absent()));
      }
      MONOFOLD_UNROLL
      for (int i = 0; i < each - distance; ++i) {
        own[i] = of.join(own[i], chosen(takes, i, own[i + distance], of.absent()));
      }
      fold_steps<level + 1>(of, bits, own);
    }
  }

  /// The one cell where bit i is set, and the other where it is not; by bits: for choices by so many predicates ptxas 13.0
  /// fails to allocate registers.
  MONOFOLD_GPU static cell chosen(std::uint32_t bits, int i, const cell& one, const cell& other) {
    const auto mask = static_cast<std::uint32_t>(static_cast<std::int32_t>(bits << (31 - i)) >> 31);
    auto words = to_words(one);
    const auto others = to_words(other);
    MONOFOLD_UNROLL
    for (int w = 0; w < value_words<cell>::count; ++w) {
      words.word[w] = (words.word[w] & mask) | (others.word[w] & ~mask);
    }
    return from_words(words, other);
  }

  /// The flags of `each` places from one of a lane on.
  MONOFOLD_GPU std::uint32_t bits_at(std::int64_t place) const {
    if (place >= size_) return 0;
    return flags_.words[place / warp_lanes] >> (place % warp_lanes) & run_bits<each>::of_each;
  }
  /// Where the first run behind the window begins, or the array ends.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU std::int64_t next_border() const {
    MONOFOLD_ROLL
    for (std::int64_t at = first_ + windows::places; at < size_; at += windows::places) {
      const std::uint32_t own = bits_at(at + lane_rank() * each);
      const std::uint32_t lanes = lanes_with(own != 0);
      if (lanes == 0) continue;
      const int lane = lowest_lane(lanes);
      return at + lane * each + lowest_lane(shuffle_from(own, lane));
    }
    return size_;
  }

  const run_flags& flags_;
  std::int64_t size_;
  std::int64_t first_;
  memory shared_;
  std::uint32_t borders_;
  std::int64_t before_;                       // how many runs begin before the block of flags,
  std::uint32_t below_;                       // and in it before the warp of flags
  std::uint32_t earlier_[windows::of_flags];  // flags between these and the window
  int runs_ = 0;
  bool is_open_ = false;  // no border lies behind the runs
};

}  // namespace monofold::detail
