/// rolling_totals: sums of windows of integers, and counts of items that are not zero.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "monofold/engine/rolling_sums.hpp"
#include "monofold/engine/scan_pieces.hpp"
#include "monofold/fold/exact/vectors.hpp"
#include "monofold/fold/logical.hpp"
#include "monofold/platform/dtype.hpp"
#include "monofold/platform/instruction_set.hpp"
#include "monofold/platform/strict_arithmetic.hpp"
#include "runtime/moment_answers.hpp"
#include "runtime/rolling_job.hpp"

namespace monofold::runtime {

namespace {

using monofold::detail::divisors;
using monofold::detail::window_block;

enum class total_kind { value, magnitude, nonzero };

/// What an item adds, modulo 2^64: it is below 2^64.
template <total_kind kind, class T>
MONOFOLD_INLINE std::uint64_t term_of(const T& item) {
  if constexpr (kind == total_kind::nonzero) {
    return nonzero_fold<T>::is_nonzero(item) ? 1 : 0;
  } else if constexpr (is_floating_v<T>) {
    return 0;  // not asked for
  } else if constexpr (kind == total_kind::magnitude) {
    return monofold::detail::magnitude(item);
  } else {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(item));
  }
}

/// Sums modulo 2^64 of `count` windows, from the one before them.
template <total_kind kind, class T>
void slide_as(const T* leaving, const T* entering, std::int64_t count, std::uint64_t sum,
              std::uint64_t* out) {
  for (std::int64_t i = 0; i < count; ++i) {
    sum += term_of<kind>(entering[i]);
    sum -= term_of<kind>(leaving[i]);
    out[i] = sum;
  }
}

/// Sums of windows that grow, from the one before them: up to the first that `Sum` does not hold, of which the place
/// is returned, or `count`.
template <total_kind kind, class Sum, class T>
std::int64_t grow_as(const T* items, std::int64_t count, Sum sum, Sum* out) {
  MONOFOLD_UNROLL_8
  for (std::int64_t i = 0; i < count; ++i) {
    if (__builtin_add_overflow(sum, static_cast<Sum>(term_of<kind>(items[i])), &sum)) return i;
    out[i] = sum;
  }
  return count;
}

/// No item of `count` is larger.
template <class T>
std::uint64_t bound_of(const T* items, std::int64_t count) {
  std::uint64_t any = 0;
  for (std::int64_t i = 0; i < count; ++i) any |= monofold::detail::magnitude(items[i]);
  return any;
}

/// Sums below 2^51, over counts, rounded once; in arrays of whole vectors.
template <int bytes>
MONOFOLD_INLINE void divide_totals_on(const std::int64_t* sums, std::int64_t count,
                                      const divisors& by, double* out) {
  using whole = typename monofold::detail::lanes<bytes>::whole;
  using real = typename monofold::detail::lanes<bytes>::real;
  constexpr std::int64_t width = bytes / 8;
  static_assert(window_block % width == 0);
  real divisor;
  for (int l = 0; l < width; ++l) divisor[l] = by.first + l * by.step;
  constexpr double zero = 0x1.8p52;  // its unit is 1: x + its bits are those of zero + x
  for (std::int64_t at = 0; at < count; at += width) {
    whole x;
    std::memcpy(&x, sums + at, bytes);
    x += bits_as<std::int64_t>(zero);
    real quotient = (real)x - zero;  // NOLINT: the bits
    quotient /= divisor;
    divisor += width * by.step;
    std::memcpy(out + at, &quotient, bytes);
  }
}
#if defined(MONOFOLD_EXACT_X86)
__attribute__((target("avx2"), noinline)) void divide_totals_avx2(const std::int64_t* sums,
                                                                  std::int64_t count,
                                                                  const divisors& by, double* out) {
  divide_totals_on<32>(sums, count, by, out);
}
#endif

/// In a function of its own: see strict_arithmetic.
[[gnu::noinline]] bool divide_totals(const std::int64_t* sums, std::int64_t count,
                                     const divisors& by, double* out) {
  const strict_arithmetic arithmetic;
#if defined(MONOFOLD_EXACT_X86)
  if (monofold::instruction_set_in_use() != instruction_set::baseline) {
    divide_totals_avx2(sums, count, by, out);
    return arithmetic.holds();
  }
#endif
  divide_totals_on<16>(sums, count, by, out);
  return arithmetic.holds();
}

class rolling_totals {
 public:
  rolling_totals(const rolling_job& job, std::int64_t first)
      : job_(job), type_(job.rows.what().type), kind_(kind_of(job.op)) {
    if (!job.grows()) add(first, job.all.length);
  }

  void roll(std::int64_t first, std::int64_t end) {
    roll_rows(job_, first, first + 1);
    roll_on(first + 1, end);
  }
  /// All windows that grow.
  void grow() {
    const auto fold = [&](std::int64_t first, std::int64_t count) {
      rolling_totals own(job_, first);
      own.add(first, count);
      return own.total_;
    };
    const auto scan = [&](std::int64_t first, std::int64_t count, const int128& before) {
      rolling_totals own(job_, first);
      own.total_ = before;
      own.roll_on(first, first + count);
    };
    monofold::detail::scan_pieces(
        job_.num_threads, job_.all.count, int128{0}, fold,
        [](const int128& left, const int128& right) { return left + right; }, scan);
  }

 private:
  /// Windows whose neighbour before them is `total_`.
  void roll_on(std::int64_t first, std::int64_t end) {
    for (std::int64_t at = first; at < end; at += window_block) {
      const std::int64_t count = std::min<std::int64_t>(window_block, end - at);
      if (job_.grows()) {
        grow_by(at, count);
        continue;
      }
      // An item that enters and one that leaves may have different signs.
      const int128 most = magnitude_of(total_) + count * (2 * int128{bound(at, count)} + 1);
      if (most > INT64_MAX) {
        step(at, count);
      } else {
        slide(at, count, most < most_divided);
      }
    }
  }
  void add(std::int64_t first, std::int64_t items) {
    for (std::int64_t at = 0; at < items; at += window_block) {
      const std::int64_t count = std::min<std::int64_t>(window_block, items - at);
      load(job_.item(first + at), count, entering_);
      for (std::int64_t i = 0; i < count; ++i) total_ += entering_[i];
    }
  }

  static constexpr std::int64_t most_divided = std::int64_t{1} << 51;

  static total_kind kind_of(operation op) {
    if (op == operation::sum || op == operation::mean) return total_kind::value;
    return op == operation::norm1 ? total_kind::magnitude : total_kind::nonzero;
  }
  static int128 magnitude_of(int128 x) { return x < 0 ? -x : x; }

  /// What items add.
  void load(const char* from, std::int64_t count, int128* to) const {
    visit_dtype(type_, [&]<class T>() {
      const auto* const items = reinterpret_cast<const T*>(from);
      for (std::int64_t i = 0; i < count; ++i) {
        if (kind_ == total_kind::nonzero) {
          to[i] = nonzero_fold<T>::is_nonzero(items[i]) ? 1 : 0;
        } else if constexpr (!is_floating_v<T>) {
          to[i] = items[i];
          if (kind_ == total_kind::magnitude) to[i] = magnitude_of(to[i]);
        }
      }
    });
  }
  std::uint64_t bound(std::int64_t at, std::int64_t count) const {
    if (kind_ == total_kind::nonzero) return 1;
    std::uint64_t most = std::uint64_t{1} << 32;
    if (job_.item_bytes < 8) return most;
    visit_dtype(type_, [&]<class T>() {
      if constexpr (!is_floating_v<T> && sizeof(T) == 8) {
        most = bound_of(reinterpret_cast<const T*>(job_.entering(at)), count);
        most |= bound_of(reinterpret_cast<const T*>(job_.item(at - 1)), count);
      }
    });
    return most;
  }

  /// Windows whose sums 64 bits may not hold.
  void step(std::int64_t at, std::int64_t count) {
    if (!job_.grows()) load(job_.item(at - 1), count, leaving_);
    load(job_.entering(at), count, entering_);
    for (std::int64_t i = 0; i < count; ++i) {
      total_ += entering_[i];
      if (!job_.grows()) total_ -= leaving_[i];
      finish(at + i);
    }
  }
  /// Windows that grow.
  void grow_by(std::int64_t at, std::int64_t count) {
    const bool is_signed = total_type() == dtype::int64;
    const int128 lowest = is_signed ? INT64_MIN : 0;
    const int128 highest = is_signed ? int128{INT64_MAX} : int128{UINT64_MAX};
    std::uint64_t sums[window_block];
    void* const place = is_sum() ? job_.place(at, total_type()) : nullptr;
    auto* const to = place != nullptr ? static_cast<std::uint64_t*>(place) : sums;
    std::int64_t done = 0;
    if (lowest <= total_ && total_ <= highest) {
      done = is_signed ? grow_in(at, count, reinterpret_cast<std::int64_t*>(to))
                       : grow_in(at, count, to);
    }
    if (done > 0) {
      if (place == nullptr && !keep(at, done, sums, false)) finish_each(at, done, sums);
      total_ = total_of(to[done - 1]);
    }
    if (done < count) step(at + done, count - done);
  }
  template <class Sum>
  std::int64_t grow_in(std::int64_t at, std::int64_t count, Sum* out) const {
    std::int64_t done = 0;
    visit_dtype(type_, [&]<class T>() {
      const auto* const in = reinterpret_cast<const T*>(job_.item(at));
      const auto sum = static_cast<Sum>(total_);
      using enum total_kind;
      if constexpr (std::is_signed_v<Sum>) {
        done = kind_ == nonzero ? grow_as<nonzero>(in, count, sum, out)
                                : grow_as<value>(in, count, sum, out);
      } else if constexpr (!is_floating_v<T>) {
        done = kind_ == magnitude ? grow_as<magnitude>(in, count, sum, out)
                                  : grow_as<value>(in, count, sum, out);
      }
    });
    return done;
  }
  int128 total_of(std::uint64_t sum) const {
    return total_type() == dtype::uint64 ? int128{sum} : int128{static_cast<std::int64_t>(sum)};
  }
  void finish_each(std::int64_t at, std::int64_t count, const std::uint64_t* sums) {
    for (std::int64_t i = 0; i < count; ++i) {
      total_ = total_of(sums[i]);
      finish(at + i);
    }
  }

  void slide(std::int64_t at, std::int64_t count, bool is_small) {
    std::uint64_t sums[window_block];
    visit_dtype(type_, [&]<class T>() {
      const auto* const out = reinterpret_cast<const T*>(job_.item(at - 1));
      const auto* const in = reinterpret_cast<const T*>(job_.entering(at));
      const auto sum = static_cast<std::uint64_t>(total_);
      if (kind_ == total_kind::value) return slide_as<total_kind::value>(out, in, count, sum, sums);
      if (kind_ == total_kind::magnitude) {
        return slide_as<total_kind::magnitude>(out, in, count, sum, sums);
      }
      slide_as<total_kind::nonzero>(out, in, count, sum, sums);
    });
    if (!keep(at, count, sums, is_small)) finish_each(at, count, sums);
    total_ = static_cast<std::int64_t>(sums[count - 1]);
  }

  /// False: they are to be finished one by one.
  bool keep(std::int64_t at, std::int64_t count, const std::uint64_t* bits, bool is_small) const {
    const operation op = job_.op;
    std::int64_t sums[window_block];
    std::copy(bits, bits + count, sums);
    if (op == operation::any || op == operation::all) {
      bool found[window_block];
      for (std::int64_t i = 0; i < count; ++i) {
        found[i] = sums[i] >= (op == operation::any ? 1 : job_.items_of(at + i));
      }
      job_.keep(at, count, dtype::boolean, found);
      return true;
    }
    if (is_sum()) {
      job_.keep(at, count, total_type(), sums);
      return true;
    }
    // Bits of a sum from 2^63 on are those of a negative number.
    const std::int64_t least = total_type() == dtype::uint64 ? -1 : -most_divided;
    for (std::int64_t i = 0; i < count && !is_small; ++i) {
      if (sums[i] >= most_divided || sums[i] <= least) return false;
    }
    if (op == operation::mean && job_.context.how == rounding::to_odd) return false;
    divisors by = {1, 0};
    if (op == operation::mean)
      by = {static_cast<double>(job_.items_of(at)), job_.grows() ? 1.0 : 0.0};
    double quotients[window_block];
    if (!divide_totals(sums, count, by, quotients)) return false;
    job_.keep(at, count, dtype::float64, quotients);
    return true;
  }
  /// Whether sums are the answers as they are.
  bool is_sum() const {
    return job_.op != operation::any && job_.op != operation::all && job_.op != operation::mean &&
           keeps_integers(job_.context.how);
  }
  dtype total_type() const {
    if (kind_ == total_kind::nonzero) return dtype::int64;
    const bool is_signed = monofold::info(type_).name.front() == 'i';
    return is_signed && kind_ == total_kind::value ? dtype::int64 : dtype::uint64;
  }
  void finish(std::int64_t i) const {
    const integer_moments_state moments{job_.items_of(i), total_, {}};
    const operation op = job_.op == operation::mean ? operation::mean : operation::sum;
    answer one = total_type() == dtype::uint64
                     ? total_answer<std::uint64_t>(op, &moments, job_.context)
                     : total_answer<std::int64_t>(op, &moments, job_.context);
    one.op = job_.op;
    job_.keep(i, one);
  }

  const rolling_job& job_;
  dtype type_;
  total_kind kind_;
  int128 total_ = 0;
  int128 leaving_[window_block], entering_[window_block];
};

}  // namespace

void roll_totals(const rolling_job& job, std::int64_t first, std::int64_t end) {
  if (job.op != operation::count) {
    return job.grows() ? rolling_totals(job, 0).grow()
                       : rolling_totals(job, first).roll(first, end);
  }
  std::int64_t counts[window_block];
  for (std::int64_t at = first; at < end; at += window_block) {
    const std::int64_t here = std::min<std::int64_t>(window_block, end - at);
    void* const place = job.place(at, dtype::int64);
    auto* const to = place != nullptr ? static_cast<std::int64_t*>(place) : counts;
    const std::int64_t items = job.items_of(at), more = job.grows() ? 1 : 0;
    for (std::int64_t i = 0; i < here; ++i) to[i] = items + i * more;
    if (place == nullptr) job.keep(at, here, dtype::int64, counts);
  }
}

}  // namespace monofold::runtime
