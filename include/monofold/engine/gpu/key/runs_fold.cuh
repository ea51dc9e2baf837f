#pragma once
/// engine/gpu/key/runs_fold: finds runs of equal keys, and folds them where all are short.

#include <cstdint>
#include <type_traits>
#include <utility>

#include "monofold/engine/gpu/device_list.cuh"
#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/key/fold_runs_kernel.cuh"
#include "monofold/engine/gpu/key/groups.cuh"
#include "monofold/engine/gpu/key/starts.cuh"
#include "monofold/engine/gpu/segment/exact_cells.cuh"
#include "monofold/engine/gpu/segment/job.cuh"
#include "monofold/platform/status.hpp"

namespace monofold::detail {

/// The keys of runs, and what is left of each run, on the device.
template <class Key, class Left>
struct device_runs {
  device_list<Key> keys;
  device_list<Left> left;
};

/// No more memory is taken before runs are counted.
inline constexpr std::int64_t most_spare_bytes = std::int64_t{1} << 29;

/// A fold of the runs of equal keys. Where the pool keeps memory for as many runs as keys, the kernel that folds short
/// runs, or stores where runs begin, is started before their number is known.
///
/// | parameter | meaning |
/// |---|---|
/// | `Left` | what kernels leave of a run |
/// | `never_found` | the fold has several answers, so runs are not folded here |
template <class F, class View, class KeyView, class Left, bool never_found>
class runs_fold {
 public:
  using key = typename KeyView::item_type;
  using runs_type = device_runs<key, Left>;

  runs_fold(const device_stream& on, const F& f, const View& view, const KeyView& keys)
      : on_(on), f_(f), view_(view), keys_(keys), runs_(on, keys, limits()) {}

  /// Folds runs if all are short; else what is left of them is not there yet, at most memory for it.
  ///
  /// sync       waits for the number of runs
  /// errors     throws `error`
  runs_type start() { return start(may_guess()); }
  /// shape      may_guess: whether memory for as many runs as keys may be taken; where there is none, it is not
  runs_type start(bool may_guess) {
    runs_type out;
    if (may_guess && take_memory(out)) {
      start_fold(out);
      runs_.wait();
    } else {
      runs_.wait();
      out.keys = device_list<key>(on_, runs_.count());
      if (may_be_found()) out.left = device_list<Left>(on_, runs_.count());
      if (runs_.all_short()) {
        start_fold(out);
      } else {
        // Windows take longer for it: 0.1 ms for 2^28 keys, on an H200.
        offsets_ = device_list<std::int64_t>(on_, runs_.count() + 1);
        runs_.place(put_group<KeyView, key>{
            {keys_, 0}, size(), runs_.flags().count, offsets_.data(), out.keys.data()});
      }
    }
    out.keys.shorten(runs_.count());
    out.left.shorten(runs_.count());
    return out;
  }
  bool are_folded() const { return runs_.all_short(); }

  /// Runs that are not folded, as segments; keys: those that `start` gave.
  device_groups<key> groups(device_list<key> keys) {
    offsets_.shorten(runs_.count() + 1);
    device_groups<key> out;
    out.offsets = std::move(offsets_);
    out.keys = std::move(keys);
    return out;
  }

 private:
  using segments = segment_job<F, View, found_runs, segment_answers<Left>, false>;

  static constexpr bool may_be_found() {
    if constexpr (never_found) {
      return false;
    } else {
      return slot_way_of<segments> != slot_way::none;
    }
  }
  std::int64_t size() const { return static_cast<std::int64_t>(keys_.size()); }
  static short_runs limits() {
    if constexpr (may_be_found()) {
      return found_run_limits<segments, KeyView>();
    } else {
      return {0, 0};
    }
  }
  bool may_guess() const {
    constexpr auto each = static_cast<int>(sizeof(key) + sizeof(Left) + sizeof(std::int64_t) + 1);
    if (!may_be_found() || size() > most_spare_bytes / each) return false;
    return size() * each <= bytes_kept_for_lists(on_.device);
  }
  /// Memory for as many runs as keys; false: there is not enough.
  bool take_memory(runs_type& out) {
    try {
      out = runs_type{{on_, size()}, {on_, size()}};
      offsets_ = device_list<std::int64_t>(on_, size() + 1);
      return true;
    } catch (const error& failed) {
      if (failed.code() != status::out_of_memory) throw;
      out = {};
      return false;
    }
  }
  void start_fold(const runs_type& out) const {
    if constexpr (may_be_found()) {
      const segments own{handed_layout_of<F, View>(), size(), {out.left.data()}, {}, view_, f_};
      fold_found_runs(on_, own, runs_, keys_, run_places<key>{out.keys.data(), offsets_.data()});
    }
  }

  const device_stream& on_;
  const F& f_;
  const View& view_;
  const KeyView& keys_;
  run_starts runs_;
  device_list<std::int64_t> offsets_;
};

}  // namespace monofold::detail
