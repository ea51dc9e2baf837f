/// rolling_ranks: the k best of windows, from those of the window before.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "monofold/platform/dtype.hpp"
#include "runtime/rolling_job.hpp"
#include "runtime/rolling_keys.hpp"

namespace monofold::runtime {

namespace {

/// Windows that are handed on together.
constexpr std::int64_t ranked_block = 256;
/// More than k are kept, so that few of those that leave make a search through the window necessary.
constexpr std::int64_t spare_ranks = 32;

/// The best items of a window in their order. All others of the window come after the last of them.
class rolling_ranks {
 public:
  rolling_ranks(const rolling_job& job, std::int64_t first, std::int64_t end)
      : job_(job),
        rule_{job.rows.what().type, job.op == operation::top, true},
        k_(job.rows.what().k),
        first_(first),
        keys_(static_cast<std::size_t>(end - first + job.all.length - 1)),
        block_keys_(static_cast<std::size_t>(k_ * ranked_block)),
        block_places_(block_keys_.size()) {
    rule_.load(job.item(first), static_cast<std::int64_t>(keys_.size()), keys_.data());
    best_.reserve(static_cast<std::size_t>(k_ + spare_ranks + 1));
  }

  void roll(std::int64_t end) {
    const std::int64_t length = job_.all.length;
    for (std::int64_t at = 0; at < end - first_; at += ranked_block) {
      const std::int64_t count = std::min(ranked_block, end - first_ - at);
      for (std::int64_t w = 0; w < count; ++w) {
        const std::int64_t i = at + w;
        if (i > 0) {
          leave(i - 1);
          enter(i + length - 1);
        }
        if (std::ssize(best_) < k_) find(i, i + length);
        for (std::int64_t j = 0; j < k_; ++j) {
          const entry& one = best_[static_cast<std::size_t>(j)];
          block_keys_[static_cast<std::size_t>(j * ranked_block + w)] = one.key;
          block_places_[static_cast<std::size_t>(j * ranked_block + w)] = one.place - i;
        }
      }
      keep(first_ + at, count);
    }
  }

 private:
  struct entry {
    std::int64_t key;
    std::int64_t place;
  };

  /// The first of equal items is better: one that enters comes after them.
  void enter(std::int64_t place) {
    const std::int64_t key = keys_[static_cast<std::size_t>(place)];
    if (best_.empty() || key >= best_.back().key) return;
    insert(key, place);
  }
  void insert(std::int64_t key, std::int64_t place) {
    const auto after = std::upper_bound(best_.begin(), best_.end(), key,
                                        [](std::int64_t a, const entry& b) { return a < b.key; });
    best_.insert(after, {key, place});
    if (std::ssize(best_) > k_ + spare_ranks) best_.pop_back();
  }
  void leave(std::int64_t place) {
    if (best_.empty() || keys_[static_cast<std::size_t>(place)] > best_.back().key) return;
    const auto is_it = [&](const entry& one) { return one.place == place; };
    const auto found = std::find_if(best_.begin(), best_.end(), is_it);
    if (found != best_.end()) best_.erase(found);
  }
  void find(std::int64_t begin, std::int64_t end) {
    best_.clear();
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t key = keys_[static_cast<std::size_t>(i)];
      const bool is_full = std::ssize(best_) == k_ + spare_ranks;
      if (!is_full || key < best_.back().key) insert(key, i);
    }
  }
  /// Numbers of each rank, `k` apart.
  void keep(std::int64_t first, std::int64_t count) {
    char values[ranked_block * 8];
    for (std::int64_t j = 0; j < k_; ++j) {
      rule_.store(block_keys_.data() + j * ranked_block, count, values);
      job_.out.keep_numbers({job_.op, (job_.all.first_answer + first) * k_ + j, k_, count,
                             rule_.type, values, block_places_.data() + j * ranked_block});
    }
  }

  const rolling_job& job_;
  key_rule rule_;
  std::int64_t k_;
  std::int64_t first_;
  std::vector<std::int64_t> keys_, block_keys_, block_places_;
  std::vector<entry> best_;
};

}  // namespace

bool has_ranks(const rolling_job& job) {
  const request& what = job.rows.what();
  if (job.op != operation::top && job.op != operation::bottom) return false;
  const bool can_be_nan = monofold::info(what.type).is_floating;
  return !job.grows() && what.k <= job.all.length && what.k <= 64 &&
         job.all.value_type == what.type && (!can_be_nan || what.nan == nan_policy::propagate);
}

void roll_ranks(const rolling_job& job, std::int64_t first, std::int64_t end) {
  rolling_ranks(job, first, end).roll(end);
}

}  // namespace monofold::runtime
