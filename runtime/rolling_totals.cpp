/// rolling_totals: sums of windows of integers.

#include <cstdint>
#include <vector>

#include "monofold/engine/rolling_sums.hpp"
#include "monofold/platform/dtype.hpp"
#include "runtime/moment_answers.hpp"
#include "runtime/rolling_job.hpp"
#include "runtime/rolling_keys.hpp"

namespace monofold::runtime {

namespace {

using monofold::detail::window_block;

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

}  // namespace

void roll_totals(const rolling_job& job, std::int64_t first, std::int64_t end) {
  rolling_totals(job, first).roll(first, end);
}

}  // namespace monofold::runtime
