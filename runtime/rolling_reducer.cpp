#include "runtime/rolling_reducer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "monofold/engine/cpu.hpp"
#include "monofold/engine/rolling_keys.hpp"
#include "monofold/engine/rolling_sums.hpp"
#include "monofold/platform/dtype.hpp"
#include "runtime/answers.hpp"
#include "runtime/exact_answers.hpp"
#include "runtime/exact_runs.hpp"
#include "runtime/moment_answers.hpp"
#include "runtime/rolling_keys.hpp"

namespace monofold::runtime {

namespace {

using monofold::detail::leading_number;
using monofold::detail::window_block;

/// Windows that a thread looks at together, or as many as a window has items.
constexpr std::int64_t least_block = 4096;

/// What all ways share.
struct rolling_job {
  const row_reducer& rows;
  const rolling_request& all;
  answer_sink& out;
  operation op;
  std::int64_t item_bytes;
  answer_context context;

  const char* item(std::int64_t i) const {
    return static_cast<const char*>(all.items) + i * item_bytes;
  }
  bool raises() const { return rows.what().nan == nan_policy::raise; }
  /// Numbers of neighbouring windows, from the i-th on.
  void keep(std::int64_t i, std::int64_t count, dtype type, const void* values,
            const std::int64_t* indices = nullptr) const {
    out.keep_numbers({op, i, 1, count, type, values, indices});
  }
  void keep(std::int64_t i, const answer& one) const { out.keep(i, &one); }
};

struct job_terms {
  const rolling_job& job;
  rolled_kind kind;

  const double* load(std::int64_t at, std::int64_t count, double* buffer) const {
    if (kind == rolled_kind::value && job.rows.what().type == dtype::float64) {
      return reinterpret_cast<const double*>(job.item(at));
    }
    load_terms(job.rows.what().type, kind, job.item(at), count, buffer);
    return buffer;
  }
};

/// Doubles that were rounded once, as floats. False for those that may then have been rounded twice: what is no double
/// (`rest` is not 0, or is not known) and lies at the middle between two floats, or below the normal ones. In a
/// function of its own: see strict_arithmetic.
[[gnu::noinline]] void narrow_block(const double* from, const double* rest, int count, float* to,
                                    bool* is_right) {
  const monofold::strict_arithmetic arithmetic;
  const bool holds = arithmetic.holds();
  for (int i = 0; i < count; ++i) {
    to[i] = static_cast<float>(from[i]);
    const auto bits = bits_as<std::uint64_t>(from[i]);
    const std::uint64_t size = bits << 1 >> 1;
    constexpr std::uint64_t normal = bits_as<std::uint64_t>(0x1p-126);
    const bool is_exact = rest != nullptr && rest[i] == 0;
    const bool is_far = (bits & 0x1fffffff) != 0x10000000 && (size >= normal || size == 0);
    is_right[i] = holds && (is_exact || is_far);
  }
}

/// Finishes sums of floating-point items.
struct job_sums {
  const rolling_job& job;
  bool wants_low;
  bool wants_means;

  void one(std::int64_t i, const exact_counts& counts, const leading_number& sum) const {
    if (job.raises() && counts.nan != 0) {
      job.keep(i, failed(job.op, status::nan_found));
    } else {
      job.keep(i, exact_sum_answer(job.op, counts, sum, job.context));
    }
  }
  void means(std::int64_t first, int count, const double* found) const {
    job.keep(first, count, dtype::float64, found);
  }
  void block(std::int64_t first, int count, const exact_counts& counts, const double* high,
             const double* low) const {
    if (!wants_low) return job.keep(first, count, dtype::float64, high);
    const bool is_narrow = job.context.how == rounding::to_odd;
    const double* rounded = job.op == operation::norm2 ? nullptr : high;
    double means[window_block];
    if (job.op == operation::mean) {
      const bool found = monofold::detail::divide_block(high, low, count, counts.items, means);
      rounded = found ? means : nullptr;
    }
    if (rounded != nullptr && !is_narrow) return job.keep(first, count, dtype::float64, rounded);
    bool is_right[window_block] = {};
    if (rounded != nullptr && job.all.value_type == dtype::float32) {
      float narrow[window_block];
      narrow_block(rounded, rounded == high ? low : nullptr, count, narrow, is_right);
      job.keep(first, count, dtype::float32, narrow);
    }
    for (int i = 0; i < count; ++i) {
      if (is_right[i]) continue;
      one(first + i, counts, monofold::detail::leading_of_pair(high[i], low[i]));
    }
  }
};

void roll_float_sums(const rolling_job& job, std::int64_t first, std::int64_t end) {
  const rolled_kind kind = job.op == operation::norm1   ? rolled_kind::magnitude
                           : job.op == operation::norm2 ? rolled_kind::square
                                                        : rolled_kind::value;
  const bool is_sum = job.op == operation::sum || job.op == operation::norm1;
  const bool is_wide = job.context.how != rounding::to_odd;
  const job_sums sink{job, !is_sum || !is_wide, job.op == operation::mean && is_wide};
  monofold::detail::roll_sums(job_terms{job, kind}, first, end, job.all.length, sink);
}

/// Sums of integers, or of ones for the items that are counted.
class rolling_totals {
 public:
  rolling_totals(const rolling_job& job, std::int64_t first)
      : job_(job),
        is_unsigned_(monofold::info(job.rows.what().type).name.front() != 'i'),
        leaving_(window_block),
        entering_(window_block) {
    for (std::int64_t at = 0; at < job.all.length; at += window_block) {
      const std::int64_t count = std::min<std::int64_t>(window_block, job.all.length - at);
      load(first + at, count, entering_.data());
      for (std::int64_t i = 0; i < count; ++i) total_ += entering_[i];
    }
  }

  void roll(std::int64_t first, std::int64_t end) {
    finish(first);
    for (std::int64_t at = first + 1; at < end; at += window_block) {
      const std::int64_t count = std::min<std::int64_t>(window_block, end - at);
      load(at - 1, count, leaving_.data());
      load(at - 1 + job_.all.length, count, entering_.data());
      for (std::int64_t i = 0; i < count; ++i) {
        total_ += int128{entering_[i]} - leaving_[i];
        finish(at + i);
      }
    }
    flush();
  }

 private:
  void load(std::int64_t at, std::int64_t count, std::int64_t* to) const {
    key_rule{job_.rows.what().type, false, false}.load(job_.item(at), count, to);
  }
  int128 total() const {
    const bool is_wide = job_.rows.what().type == dtype::uint64;
    return is_wide ? total_ + (int128{job_.all.length} << 63) : total_;
  }
  /// Numbers are handed on some together.
  template <class T>
  void add(std::int64_t i, dtype type, T value) {
    if (num_ == 0) first_ = i;
    type_ = type;
    numbers_[num_++] = bits_as<std::int64_t>(value);
    if (num_ == window_block) flush();
  }
  void flush() {
    if (num_ > 0) job_.keep(first_, num_, type_, numbers_);
    num_ = 0;
  }
  void finish(std::int64_t i) {
    const int128 sum = total();
    constexpr int128 most = int128{1} << 53;
    const rounding how = job_.context.how;
    if (job_.op == operation::mean && how != rounding::to_odd && sum < most && -sum < most) {
      // The quotient of two doubles, rounded once; in whatever way arithmetic is set, integers decide otherwise.
      if (const monofold::strict_arithmetic arithmetic; arithmetic.holds()) {
        volatile double dividend = static_cast<double>(static_cast<std::int64_t>(sum));
        return add(i, dtype::float64, dividend / static_cast<double>(job_.all.length));
      }
    }
    if (job_.op == operation::sum && how == rounding::native && sum <= INT64_MAX &&
        sum >= (is_unsigned_ ? 0 : INT64_MIN)) {
      const auto value = static_cast<std::int64_t>(sum);
      return add(i, is_unsigned_ ? dtype::uint64 : dtype::int64, value);
    }
    flush();
    const integer_moments_state moments{job_.all.length, sum, {}};
    job_.keep(i, is_unsigned_ ? total_answer<std::uint64_t>(job_.op, &moments, job_.context)
                              : total_answer<std::int64_t>(job_.op, &moments, job_.context));
  }

  const rolling_job& job_;
  bool is_unsigned_;
  std::vector<std::int64_t> leaving_, entering_;
  int128 total_ = 0;
  std::int64_t numbers_[window_block];
  std::int64_t num_ = 0;
  std::int64_t first_ = 0;
  dtype type_ = dtype::float64;
};

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

/// Each window on its own.
void roll_rows(const rolling_job& job, std::int64_t first, std::int64_t end) {
  constexpr std::int64_t together = 64;
  std::vector<answer> answers(together, answer{operation::count});
  for (std::int64_t i = first; i < end; i += together) {
    const std::int64_t count = std::min(together, end - i);
    if (job.all.length <= job.rows.longest_row()) {
      job.rows.answer_rows({job.item(i), job.item_bytes, count, job.all.length}, answers.data());
    } else {
      for (std::int64_t w = 0; w < count; ++w) {
        request what = job.rows.what();
        what.num_threads = 1;
        reducer one(what);
        one.push(job.item(i + w), job.all.length);
        answers[static_cast<std::size_t>(w)] = one.finish(job.rows.how()).front();
      }
    }
    for (std::int64_t w = 0; w < count; ++w) job.keep(i + w, answers[static_cast<std::size_t>(w)]);
  }
}

enum class rolling_way { float_sums, totals, extrema, rows };

rolling_way way_of(const request& what) {
  using enum operation;
  const operation op = what.ops.front();
  if (op == min || op == max || op == argmin || op == argmax || op == minmax) {
    return rolling_way::extrema;
  }
  if (!monofold::info(what.type).is_floating) {
    return op == sum || op == mean ? rolling_way::totals : rolling_way::rows;
  }
  const bool is_sum =
      op == sum || op == mean || op == norm1 || (op == norm2 && what.type != dtype::float64);
  const bool can = is_sum && !what.plain && monofold::detail::has_strict_doubles();
  return can ? rolling_way::float_sums : rolling_way::rows;
}

void roll_piece(const rolling_job& job, rolling_way way, std::int64_t first, std::int64_t end) {
  if (way == rolling_way::float_sums) {
    roll_float_sums(job, first, end);
  } else if (way == rolling_way::totals) {
    rolling_totals(job, first).roll(first, end);
  } else if (way == rolling_way::extrema) {
    const std::int64_t block = std::min(end - first, std::max(job.all.length, least_block));
    rolling_extrema extrema(job, block);
    for (std::int64_t i = first; i < end; i += block) extrema.roll(i, std::min(block, end - i));
  } else {
    roll_rows(job, first, end);
  }
}

}  // namespace

void reduce_windows(const row_reducer& rows, const rolling_request& windows, answer_sink& out) {
  const request& what = rows.what();
  const rolling_job job{rows,
                        windows,
                        out,
                        what.ops.front(),
                        monofold::info(what.type).size_bytes,
                        {what.ddof, windows.length, what.nan == nan_policy::omit, rows.how()}};
  const rolling_way way = way_of(what);
  const std::int64_t shares = std::int64_t{4} * monofold::detail::concurrency(what.num_threads);
  std::int64_t piece = windows.count;
  if (what.num_threads != 1) {
    const std::int64_t least = way == rolling_way::rows
                                   ? std::max<std::int64_t>(1, least_block / windows.length)
                                   : std::max(windows.length, 4 * least_block);
    piece = std::max(windows.count / shares + 1, least);
  }
  monofold::detail::parallel_for(
      what.num_threads, (windows.count + piece - 1) / piece, [&](std::int64_t p) {
        roll_piece(job, way, p * piece, std::min(windows.count, (p + 1) * piece));
      });
}

}  // namespace monofold::runtime
