/// rolling_extrema: extrema of windows, by keys of items or the items themselves.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "monofold/engine/rolling_keys.hpp"
#include "monofold/platform/dtype.hpp"
#include "runtime/rolling_job.hpp"
#include "runtime/rolling_keys.hpp"

namespace monofold::runtime {

namespace {

/// Extrema of windows [first, first + count), from keys in the order of what is asked for.
class rolling_extrema {
 public:
  rolling_extrema(const rolling_job& job, std::int64_t most)
      : job_(job),
        keys_(most + job.all.length - 1),
        best_(most),
        places_(most),
        values_((most + job.all.length - 1) * job.item_bytes),
        seconds_((most + job.all.length - 1) * job.item_bytes) {}

  void roll(std::int64_t first, std::int64_t count) {
    const operation op = job_.op;
    if (op == operation::minmax) {
      // NaN are among both or none, and only the latter are asked.
      find(first, count, false, values_.data());
      const key_rule rule = find(first, count, true, seconds_.data());
      return keep_both(first, count, rule);
    }
    const key_rule rule =
        find(first, count, op == operation::max || op == operation::argmax, values_.data());
    const bool has_places = op == operation::argmin || op == operation::argmax;
    std::int64_t done = 0;
    for (std::int64_t i = 0; i <= count; ++i) {
      if (i < count && why_none(rule, i) == status::ok) continue;
      if (i > done) {
        job_.keep(first + done, i - done, rule.type, values_.data() + done * job_.item_bytes,
                  has_places ? places_.data() + done : nullptr);
      }
      if (i < count) job_.keep(first + i, failed(op, why_none(rule, i)));
      done = i + 1;
    }
  }

 private:
  key_rule find(std::int64_t first, std::int64_t count, bool largest, char* values) {
    const request& what = job_.rows.what();
    const key_rule rule{what.type, largest, what.nan == nan_policy::omit};
    const std::int64_t window = job_.all.length;
    has_nan_ = false;
    if (find_ordered(first, count + window - 1, rule, values)) return rule;
    has_nan_ = rule.has_nan();
    rule.load(job_.item(first), count + window - 1, keys_.data());
    if (job_.op == operation::argmin || job_.op == operation::argmax) {
      find_first_smallest(keys_.data(), count + window - 1, window, best_.data(), places_.data());
    } else {
      monofold::detail::find_smallest(keys_.data(), count + window - 1, window);
      std::copy(keys_.data(), keys_.data() + count, best_.data());
    }
    rule.store(best_.data(), count, values);
    return rule;
  }
  /// Floats that `<` orders, as they are.
  bool find_ordered(std::int64_t first, std::int64_t count, const key_rule& rule, char* values) {
    if (job_.op == operation::argmin || job_.op == operation::argmax) return false;
    const auto find_as = [&]<class T>(T* items) {
      std::memcpy(items, job_.item(first), static_cast<std::size_t>(count) * sizeof(T));
      if (!monofold::detail::is_ordered(items, count)) return false;
      if (rule.largest) {
        monofold::detail::find_smallest<true>(items, count, job_.all.length);
      } else {
        monofold::detail::find_smallest<false>(items, count, job_.all.length);
      }
      return true;
    };
    if (rule.type == dtype::float64) return find_as(reinterpret_cast<double*>(values));
    if (rule.type == dtype::float32) return find_as(reinterpret_cast<float*>(values));
    return false;
  }
  status why_none(const key_rule& rule, std::int64_t i) const {
    if (!has_nan_ || best_[i] != rule.nan_key()) return status::ok;
    if (rule.omit_nan) return status::empty_input;
    return job_.raises() ? status::nan_found : status::ok;
  }
  void keep_both(std::int64_t first, std::int64_t count, const key_rule& rule) const {
    answer both{job_.op};
    for (std::int64_t i = 0; i < count; ++i) {
      both = failed(job_.op, why_none(rule, i));
      if (both.code == status::ok) {
        for (const char* values : {values_.data(), seconds_.data()}) {
          visit_dtype(rule.type, [&]<class T>() {
            T value;
            std::memcpy(&value, values + i * job_.item_bytes, sizeof value);
            both.values.push_back(to_number(value));
          });
        }
      }
      job_.keep(first + i, both);
    }
  }

  const rolling_job& job_;
  std::vector<std::int64_t> keys_, best_, places_;
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
