/// rolling_extrema: extrema of windows, by keys of items or the items themselves.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "monofold/engine/rolling_keys.hpp"
#include "monofold/fold/norm.hpp"
#include "monofold/platform/dtype.hpp"
#include "monofold/platform/float_format.hpp"
#include "runtime/rolling_job.hpp"
#include "runtime/rolling_keys.hpp"

namespace monofold::runtime {

namespace {

/// Extrema of windows [first, first + count), from keys in the order of what is asked for.
class rolling_extrema {
 public:
  /// Has room for `most` windows at once. Where floats are compared as they are, there are no keys.
  rolling_extrema(const rolling_job& job, std::int64_t most)
      : job_(job), length_(job.grows() ? 1 : job.all.length) {
    const std::int64_t seen = most + length_ - 1;
    if (job.op != operation::norminf) values_.resize(seen * job.item_bytes);
    if (job.op == operation::minmax) seconds_.resize(values_.size());
    if (has_places()) places_.resize(most);
  }

  void roll(std::int64_t first, std::int64_t count) {
    const operation op = job_.op;
    if (op == operation::norminf) return roll_magnitudes(first, count);
    const bool has_both = op == operation::minmax;
    const char* const seconds = has_both ? seconds_.data() : nullptr;
    // NaN are among both or none, and only the latter are asked.
    if (has_both) find(first, count, true, seconds_.data());
    const key_rule rule =
        find(first, count, op == operation::max || op == operation::argmax, values_.data());
    std::int64_t done = 0;
    const bool has_all = !has_nan_ || job_.rows.what().nan == nan_policy::propagate;
    for (std::int64_t i = has_all ? count : 0; i <= count; ++i) {
      if (i < count && why_none(rule, i) == status::ok) continue;
      if (i > done) {
        const std::int64_t at = done * job_.item_bytes;
        job_.keep(first + done, i - done, rule.type, values_.data() + at,
                  has_places() ? places_.data() + done : nullptr,
                  has_both ? seconds + at : nullptr);
      }
      if (i < count) job_.keep(first + i, failed(op, why_none(rule, i)));
      done = i + 1;
    }
  }

 private:
  struct best_key {
    std::int64_t key;
    std::int64_t place;
  };

  key_rule find(std::int64_t first, std::int64_t count, bool largest, char* values) {
    const request& what = job_.rows.what();
    const key_rule rule{what.type, largest, what.nan == nan_policy::omit};
    const std::int64_t seen = count + length_ - 1;
    has_nan_ = false;
    if (!job_.grows() && find_ordered(first, seen, rule, values)) return rule;
    has_nan_ = rule.has_nan();
    keys_.resize(seen);
    rule.load(job_.item(first), seen, keys_.data());
    if (job_.grows()) {
      keep_best(first, count, best_[largest ? 1 : 0]);
    } else {
      if (has_places()) before_ = keys_;
      find_best<false>(before_.data(), keys_.data(), count);
    }
    rule.store(keys_.data(), count, values);
    return rule;
  }
  /// Floats that `<` orders, as they are.
  bool find_ordered(std::int64_t first, std::int64_t count, const key_rule& rule, char* values) {
    const auto find_as = [&]<class T>(T* items) {
      std::memcpy(items, job_.item(first), static_cast<std::size_t>(count) * sizeof(T));
      if (!monofold::detail::is_ordered(items, count)) return false;
      const std::int64_t windows = count - job_.all.length + 1;
      const auto* const before = reinterpret_cast<const T*>(job_.item(first));
      rule.largest ? find_best<true>(before, items, windows)
                   : find_best<false>(before, items, windows);
      return true;
    };
    if (rule.type == dtype::float64) return find_as(reinterpret_cast<double*>(values));
    if (rule.type == dtype::float32) return find_as(reinterpret_cast<float*>(values));
    return false;
  }
  /// Windows that grow: the best key so far, and where it first lay.
  void keep_best(std::int64_t first, std::int64_t count, best_key& best) {
    if (first == 0) best = {keys_[0], 0};
    for (std::int64_t i = 0; i < count; ++i) {
      if (keys_[i] < best.key) best = {keys_[i], first + i};
      keys_[i] = best.key;
      if (has_places()) places_[i] = best.place;
    }
  }
  status why_none(const key_rule& rule, std::int64_t i) const {
    if (keys_[i] != rule.nan_key()) return status::ok;
    return rule.omit_nan ? status::empty_input : status::nan_found;
  }
  bool has_places() const { return job_.op == operation::argmin || job_.op == operation::argmax; }
  /// Those of the first `count` windows of `items`, left where each window begins in a copy, and where they lay.
  template <bool largest, class Key>
  void find_best(const Key* items, Key* best, std::int64_t count) {
    monofold::detail::find_smallest<largest>(best, count + length_ - 1, length_);
    if (!has_places()) return;
    monofold::detail::find_places(largest, items, best, count, length_, places_.data());
  }
  /// Magnitudes: bits of doubles, which ascend with them, or integers.
  void roll_magnitudes(std::int64_t first, std::int64_t count) {
    const std::int64_t seen = count + job_.all.length - 1;
    const bool is_floating = monofold::info(job_.rows.what().type).is_floating;
    const std::uint64_t most = is_floating ? float_format<double>::infinity : INT64_MAX;
    keys_.resize(seen);
    std::uint64_t beyond = 0;  // its sign: there is NaN, or 2^63
    visit_dtype(job_.rows.what().type, [&]<class T>() {
      const auto* const items = reinterpret_cast<const T*>(job_.item(first));
      for (std::int64_t i = 0; i < seen; ++i) {
        const std::uint64_t key = norm_inf_fold<T>{}.lift(items[i], 0);
        keys_[i] = ~static_cast<std::int64_t>(key);  // the smallest is the largest
        beyond |= most - key;
      }
    });
    if (beyond >> 63 != 0) return roll_rows(job_, first, first + count);
    monofold::detail::find_smallest(keys_.data(), seen, job_.all.length);
    for (std::int64_t i = 0; i < count; ++i) keys_[i] = ~keys_[i];
    job_.keep(first, count, is_floating ? dtype::float64 : dtype::uint64, keys_.data());
  }

  const rolling_job& job_;
  std::int64_t length_;
  best_key best_[2] = {};  // of windows that grow: the smallest, the largest
  std::vector<std::int64_t> keys_, before_, places_;
  std::vector<char> values_, seconds_;
  bool has_nan_ = false;
};

}  // namespace

void roll_extrema(const rolling_job& job, std::int64_t first, std::int64_t end) {
  const std::int64_t block = std::min(end - first, std::max(job.all.length, least_rolled_block));
  rolling_extrema extrema(job, block);
  for (std::int64_t i = first; i < end; i += block) extrema.roll(i, std::min(block, end - i));
}

}  // namespace monofold::runtime
