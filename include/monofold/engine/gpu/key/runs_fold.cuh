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

namespace monofold::detail {

/// The keys of runs, and what is left of each run, on the device.
template <class Key, class Left>
struct device_runs {
  device_list<Key> keys;
  device_list<Left> left;
};

/// Runs of equal keys that were waited for.
template <class View>
run_starts counted_runs(const device_stream& on, const View& keys) {
  run_starts runs(on, keys);
  runs.wait();
  return runs;
}

/// A fold of the runs of equal keys. Where memory for as many runs as keys may be taken, kernels are started before the
/// number of runs is known: those of both ways, of which one does nothing.
///
/// | parameter | meaning |
/// |---|---|
/// | `Left` | what kernels leave of a run |
/// | `never_found` | the fold has several answers, so runs are not folded here |
template <class F, class View, class KeyView, class Left, bool never_found>
class runs_fold {
 public:
  using key = typename KeyView::item_type;

  runs_fold(const device_stream& on, const F& f, const View& view, const KeyView& keys)
      : on_(on), f_(f), view_(view), keys_(keys), runs_(on, keys, limits()) {}

  /// What it may take of memory before runs are counted.
  static std::int64_t bytes_for(std::int64_t keys) {
    return keys * static_cast<std::int64_t>(sizeof(key) + sizeof(Left) + sizeof(std::int64_t));
  }

  /// Folds runs if all are short; else what is left of them is not there yet.
  ///
  /// sync       waits for the number of runs
  /// errors     throws `error`
  device_runs<key, Left> start(bool may_take_memory) {
    if (!may_take_memory) runs_.wait();
    const bool may_be_folded = may_take_memory || runs_.all_short();
    const bool may_be_segments = may_take_memory || !runs_.all_short();
    const std::int64_t most = may_take_memory ? size() : runs_.count();
    device_runs<key, Left> out{{on_, most}, {on_, most}};
    if (may_be_folded) start_fold(out);
    if (may_be_segments) {
      offsets_ = device_list<std::int64_t>(on_, most + 1);
      runs_.place(
          put_group<KeyView, key>{
              {keys_, 0}, size(), runs_.flags().count, offsets_.data(), out.keys.data()},
          may_be_folded);
    }
    if (may_take_memory) runs_.wait();
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
  short_runs limits() const {
    if constexpr (may_be_found()) {
      return found_run_limits<segments, KeyView>();
    } else {
      return {0, 0};
    }
  }
  void start_fold(const device_runs<key, Left>& out) const {
    if constexpr (may_be_found()) {
      const segments own{handed_layout_of<F, View>(), size(), {out.left.data()}, {}, view_, f_};
      fold_found_runs(on_, own, runs_, keys_, out.keys.data());
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
