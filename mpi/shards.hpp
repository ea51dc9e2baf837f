#pragma once
/// mpi/shards: the states of ranks whose order matters: a tile that lies on several ranks travels as items.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "monofold/platform/encoding.hpp"
#include "mpi/c_states.hpp"
#include "mpi/in_order.hpp"

namespace monofold::mpi {

/// Neighbouring items: those before their first tile as they are, and the state of the others.
class shard {
 public:
  explicit shard(const question& what) : what_(&what) {}

  shard empty_one() const { return shard(*what_); }

  /// This rank's items, which begin at `first` among those of all ranks.
  void fold(std::int64_t first) {
    const question& what = *what_;
    const std::int64_t head = items_of_head(first);
    const auto keep = [&](const void* items, bytes& room) {
      if (items == nullptr && what.count > 0) need(MONOFOLD_INVALID_ARGUMENT);
      const auto* const from = static_cast<const unsigned char*>(items);
      if (head > 0) room.assign(from, from + head * what.item_bytes());
    };
    keep(what.left, left_);
    if (what.is_dot()) keep(what.right, right_);
    if (head == what.count) return;
    rest_ = what.make(first + head);
    what.push(rest_.get(), what.at(what.left, head), what.at(what.right, head), what.count - head,
              what.place);
  }

  void put(byte_writer& out) const {
    put_bytes(out, left_);
    put_bytes(out, right_);
    put_state(out, rest_);
  }
  void read(byte_reader& in) {
    for (bytes* const side : {&left_, &right_}) {
      const auto items = take_bytes(in);
      side->assign(items.begin(), items.end());  // copies, which are aligned
    }
    rest_ = take_state(in);
  }
  void take(shard&& next) {
    if (!rest_) {
      // Items of one tile, up to where the state begins.
      left_.insert(left_.end(), next.left_.begin(), next.left_.end());
      right_.insert(right_.end(), next.right_.begin(), next.right_.end());
      rest_ = std::move(next.rest_);
      return;
    }
    const std::int64_t head = static_cast<std::int64_t>(next.left_.size()) / what_->item_bytes();
    if (head > 0) {
      what_->push(rest_.get(), next.left_.data(), next.right_.data(), head, MONOFOLD_HOST);
    }
    if (next.rest_) need(monofold_state_merge(rest_.get(), next.rest_.get()));
  }

  /// The state of all items, where these are those of all ranks.
  state total() && { return rest_ ? std::move(rest_) : what_->make(0); }

 private:
  std::int64_t items_of_head(std::int64_t first) const {
    const std::int64_t into = first % what_->tile_items();
    if (!what_->is_floating() || what_->place != MONOFOLD_HOST || into == 0) return 0;
    return std::min(what_->count, what_->tile_items() - into);
  }

  const question* what_;
  bytes left_;
  bytes right_;  // of dot
  state rest_;
};

/// Where ranks begin, then their shards.
inline rank_trouble join_shards(const rank_group& group, const question& what, state& total) {
  rank_trouble trouble = attempt_part([&] { what.make(0); });
  if (!trouble && what.count < 0) trouble = {status::invalid_argument, {}};
  const std::int64_t first = group.sums_before({trouble ? 0 : what.count}).front();
  shard own(what);
  if (!trouble) trouble = attempt_part([&] { own.fold(first); });
  if (const rank_trouble found = join_in_order(group, trouble, own)) return found;
  total = std::move(own).total();
  return {};
}

/// A state that was filled elsewhere, saved: positions are counted on, totals joined.
struct appended_state {
  bytes saved;
  state joined{};  // of more ranks than one

  static appended_state empty_one() { return {}; }
  void put(byte_writer& out) const { put_bytes(out, joined ? save(joined.get()) : saved); }
  void read(byte_reader& in) {
    const auto own = take_bytes(in);
    saved.assign(own.begin(), own.end());
    joined.reset();
  }
  void take(appended_state&& next) {
    if (!joined) joined = load(saved);
    need(monofold_state_append(joined.get(), load(next.saved).get()));
  }
  state total() && { return joined ? std::move(joined) : load(saved); }
};

}  // namespace monofold::mpi
