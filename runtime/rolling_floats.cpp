/// rolling_floats: windows of items that are doubles, by exact sums of them and of their squares.

#include <cstdint>
#include <limits>

#include "monofold/engine/rolling_spreads.hpp"
#include "monofold/engine/rolling_sums.hpp"
#include "monofold/engine/scan_sums.hpp"
#include "monofold/fold/exact/anchored_sums.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/dtype.hpp"
#include "monofold/platform/instruction_set.hpp"
#include "monofold/platform/strict_arithmetic.hpp"
#include "runtime/exact_answers.hpp"
#include "runtime/exact_loops.hpp"
#include "runtime/member_answers.hpp"
#include "runtime/rolling_job.hpp"
#include "runtime/rolling_keys.hpp"

namespace monofold::runtime {

namespace {

using monofold::detail::leading_number;
using monofold::detail::window_block;

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

/// A double that was rounded once, which as a float may then have been rounded twice: it lies at the middle between two
/// floats, or below the normal ones. `bits`: those of the double.
MONOFOLD_INLINE bool is_near_middle(std::int64_t bits) {
  const std::int64_t size = bits & INT64_MAX;
  constexpr auto normal = static_cast<std::int64_t>(bits_as<std::uint64_t>(0x1p-126));
  return ((bits & 0x1fffffff) == 0x10000000) | ((size < normal) & (size != 0));
}

#if defined(MONOFOLD_EXACT_X86)
/// As narrow_block, by vectors that the compiler makes of these loops. Without rests the doubles stand for them: near a
/// middle none is 0.
struct narrow_work {
  const double* from;
  const double* rest;
  int count;
  float* to;
  bool& are_right;

  template <int>
  MONOFOLD_INLINE void run() const {
    for (int i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]);
    std::int64_t wrong = 0;
    for (int i = 0; i < count; ++i) {
      const bool is_near = is_near_middle(bits_as<std::int64_t>(from[i]));
      wrong |= is_near ? bits_as<std::int64_t>(rest[i]) << 1 : 0;
    }
    are_right = wrong == 0;
  }
};
#endif

/// Doubles that were rounded once, as floats. False: some may then have been rounded twice, and `is_right` says which are
/// not: what is no double (`rest` is not 0, or is not known) and lies at a middle. In a function of its own: see
/// strict_arithmetic.
[[gnu::noinline]] bool narrow_block(const double* from, const double* rest, int count, float* to,
                                    bool* is_right) {
  const monofold::strict_arithmetic arithmetic;
#if defined(MONOFOLD_EXACT_X86)
  if (monofold::instruction_set_in_use() != monofold::instruction_set::baseline) {
    bool are_right = false;
    monofold::detail::run_by_vectors(
        narrow_work{from, rest != nullptr ? rest : from, count, to, are_right});
    if (are_right) return true;
  }
#endif
  const bool holds = arithmetic.holds();
  bool are_right = true;
  for (int i = 0; i < count; ++i) {
    to[i] = static_cast<float>(from[i]);
    const bool is_exact = rest != nullptr && rest[i] == 0;
    is_right[i] = holds && (is_exact || !is_near_middle(bits_as<std::int64_t>(from[i])));
    are_right &= is_right[i];
  }
  return are_right;
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
      job.keep(i, exact_sum(job.op, counts, sum, job.context));
    }
  }
  bool decide(const exact_counts& counts, double high, double& found) const {
    if (counts.nan != 0 && (job.raises() || (job.context.omit_nan && wants_low))) return false;
    const exact_verdict v = job.context.omit_nan ? verdict<nan_rule::omit>(counts)
                                                 : verdict<nan_rule::propagate>(counts);
    if (v.kind != number_kind::finite) {
      found = monofold::detail::special<double>(v);
    } else {
      found = !monofold::detail::is_zero(high) ? high : v.negative ? -0.0 : 0.0;
    }
    return true;
  }
  /// Where NaN are no items, some windows may have no answer, and then nothing is written for them.
  double* place(std::int64_t first) const {
    const bool have_all = job.rows.what().nan == nan_policy::propagate;
    void* const to = have_all ? job.place(first, dtype::float64) : nullptr;
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(to) % sizeof(double) == 0;
    return is_aligned ? static_cast<double*>(to) : nullptr;
  }
  void numbers(std::int64_t first, int count, const double* found) const {
    job.keep(first, count, dtype::float64, found);
  }
  void block(std::int64_t first, int count, const exact_counts& counts, const double* high,
             const double* low) const {
    if (!wants_low) return job.keep(first, count, dtype::float64, high);
    const bool is_narrow = job.context.how == rounding::to_odd;
    const double* rounded = job.op == operation::norm2 ? nullptr : high;
    double means[window_block];
    if (is_mean(job.op)) {
      const auto items = static_cast<double>(job.grows() ? job.items_of(first) : counts.items);
      const bool found =
          monofold::detail::divide_block(high, low, count, {items, job.grows() ? 1.0 : 0.0}, means);
      rounded = found ? means : nullptr;
    }
    if (rounded != nullptr && !is_narrow) return job.keep(first, count, dtype::float64, rounded);
    bool is_right[window_block];
    const bool has_floats = rounded != nullptr && job.all.value_type == dtype::float32;
    if (has_floats) {
      float narrow[window_block];
      const double* const rest = rounded == high ? low : nullptr;
      const bool are_right = narrow_block(rounded, rest, count, narrow, is_right);
      job.keep(first, count, dtype::float32, narrow);
      if (are_right) return;
    }
    exact_counts own = counts;
    for (int i = 0; i < count; ++i) {
      if (has_floats && is_right[i]) continue;
      if (job.grows()) own.items = job.items_of(first + i);
      one(first + i, own, monofold::detail::leading_of_pair(high[i], low[i]));
    }
  }
};

}  // namespace

void roll_float_sums(const rolling_job& job, std::int64_t first, std::int64_t end) {
  const bool is_of_squares = job.op == operation::norm2 || job.op == operation::mean_square;
  const rolled_kind kind = job.op == operation::norm1 ? rolled_kind::magnitude
                           : is_of_squares            ? rolled_kind::square
                                                      : rolled_kind::value;
  const bool is_sum = job.op == operation::sum || job.op == operation::norm1;
  const bool is_wide = job.context.how != rounding::to_odd;
  const job_sums sink{job, !is_sum || !is_wide, is_mean(job.op) && is_wide};
  if (job.grows()) {
    return monofold::detail::scan_sums(job.num_threads, job.all.count, job_terms{job, kind}, sink);
  }
  monofold::detail::roll_sums(job_terms{job, kind}, first, end, job.all.length, sink);
}

namespace {

/// Finishes variances, deviations, norms and means of squares.
struct job_spreads {
  const rolling_job& job;

  bool is_of_squares() const {
    return job.op == operation::norm2 || job.op == operation::mean_square;
  }

  /// Floats are rounded once.
  bool check(int count, const double* values, std::int64_t* is_known) const {
    if (job.context.how != rounding::to_odd) return true;
    float narrow[monofold::detail::window_moments::block];
    bool is_right[monofold::detail::window_moments::block];
    if (narrow_block(values, nullptr, count, narrow, is_right)) return true;
    for (int i = 0; i < count; ++i) {
      if (!is_right[i]) is_known[i] = 0;
    }
    return false;
  }
  void spreads(std::int64_t i, int count, const double* values) const {
    job.keep(i, count, dtype::float64, values);
  }
  bool decide(const exact_counts& counts, double& found) const {
    using limits = std::numeric_limits<double>;
    if (counts.nan != 0 && job.rows.what().nan != nan_policy::propagate) return false;
    found = is_of_squares() && counts.nan == 0 ? limits::infinity() : limits::quiet_NaN();
    return true;
  }
  void special(std::int64_t i, const exact_counts& counts) const {
    if (job.raises() && counts.nan != 0) return job.keep(i, failed(job.op, status::nan_found));
    if (is_of_squares()) return job.keep(i, exact_sum(job.op, counts, {}, job.context));
    result<double> found;
    exact_variance(found, job.op, counts, {}, {}, job.context);
    job.keep(i, found);
  }
  void one(std::int64_t i, const exact_moments_state<double>& state) const {
    if (!is_of_squares()) {
      return job.keep(i, exact_moment_answer(job.op, state, job.context));
    }
    exact_counts counts = state.values.counts;
    counts.minus_zeros = 0;  // no square is one
    job.keep(i,
             exact_sum(job.op, counts, monofold::detail::leading_of(state.squares), job.context));
  }
};

}  // namespace

void roll_float_spreads(const rolling_job& job, std::int64_t first, std::int64_t end) {
  const request& what = job.rows.what();
  const auto n = static_cast<double>(job.all.length);
  const bool has_rests = what.type == dtype::float64 ||
                         (job.item_bytes == 4 && !monofold::info(what.type).is_floating);
  monofold::detail::spread_request all{true,
                                       has_rests,
                                       job.op == operation::std,
                                       what.nan == nan_policy::omit,
                                       n,
                                       n * (n - static_cast<double>(what.ddof))};
  if (job.op == operation::norm2) all = {false, has_rests, true, all.omits_nan, 1, 1};
  if (job.op == operation::mean_square) all = {false, has_rests, false, all.omits_nan, 1, n};
  monofold::detail::roll_spreads(job_terms{job, rolled_kind::value}, first, end, job.all.length,
                                 all, job_spreads{job});
}

}  // namespace monofold::runtime
