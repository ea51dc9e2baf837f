/// runtime/simd_lane_bins-inl: exact sums of longer rows of float64 in lanes.

// Included once for each instruction set: see highway's foreach_target.h.
#if defined(MONOFOLD_RUNTIME_SIMD_LANE_BINS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MONOFOLD_RUNTIME_SIMD_LANE_BINS_INL
#undef MONOFOLD_RUNTIME_SIMD_LANE_BINS_INL
#else
#define MONOFOLD_RUNTIME_SIMD_LANE_BINS_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "runtime/lanes.hpp"
#include "runtime/prefetch.hpp"
#include "runtime/simd_lane_exact-inl.hpp"
#include "runtime/simd_lane_tags-inl.hpp"
#include "runtime/simd_lane_two-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3

/// A bin in which sums of so many items like the first of these stay within their power of two; 0: there is none.
static HWY_NOINLINE double bin_above(const double* p, std::int64_t count, std::int64_t deposits) {
  const lane_tag<double> d;
  constexpr std::int64_t looked_at = 512;
  auto largest = hn::Zero(d);
  for (std::int64_t i = 0; i + lanes_v<double> <= std::min(count, looked_at);
       i += lanes_v<double>) {
    largest = hn::Max(largest, hn::Abs(hn::LoadU(d, p + i)));
  }
  const double most = hn::GetLane(hn::MaxOfLanes(d, largest));
  if (!(most >= 0x1p-900 && most <= 0x1p900)) return 0;
  const int spare = 5 + std::bit_width(static_cast<std::uint64_t>(deposits));
  return std::ldexp(1.5, std::ilogb(most) + spare);
}

/// bin + rest + x = the new bin + the new rest, unless a flag was raised: all but the first addition must be exact. What
/// is left of -0 is -0, and +0 of other items that a bin takes whole: a rest that begins as -0 stays so as long as all
/// items are -0.
HWY_INLINE void deposit(hn::Vec<lane_tag<double>>& bin, hn::Vec<lane_tag<double>>& rest,
                        hn::Vec<lane_tag<double>> x) {
  using vector = hn::Vec<lane_tag<double>>;
  const vector one = hn::Set(lane_tag<double>(), 1.0);
  constexpr int quiet = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
  const vector sum{_mm512_fmadd_round_pd(x.raw, one.raw, bin.raw, quiet)};
  const vector left = hn::Sub(x, hn::Sub(sum, bin));
  rest = hn::MulAdd(left, one, rest);
  bin = sum;
}

/// The same sums, but those of longer rows by way of a bin: a number far above the items, to which their upper bits are
/// added, while what is left of each is added up beside it. That takes four operations an item, where pairs take seven.
/// The processor's flags tell where what is left was rounded; then `has_failed`, and pairs may hold the sums.
class exact_bins : public exact_pairs<double> {
  using pairs = exact_pairs<double>;

 public:
  static constexpr std::int64_t least_items = 16 * width;
  HWY_INLINE exact_bins(const lane_order& order, const lane_states& out) : pairs(order, out) {}

  HWY_INLINE part row(const double* p, std::int64_t length, std::int64_t ahead) {
    if (bin_ == 0) bin_ = bin_above(p, length, length / (4 * width));
    if (bin_ == 0 || has_failed_) return pairs::row(p, length, ahead);
    const part all = row_by_bin(p, length, ahead);
    // The sum of -0 alone is -0.
    const auto is_zero = hn::Eq(hn::Or(all.high, all.low), hn::Zero(tag()));
    return hn::AllTrue(tag(), is_zero) ? pairs::row(p, length, ahead) : all;
  }
  HWY_INLINE void seal(std::int64_t end, std::int64_t length, bool is_last) {
    if (!pairs::seal(end, length, is_last)) has_failed_ = true;
  }
  bool has_failed() const { return has_failed_; }

 private:
  HWY_INLINE part row_by_bin(const double* p, std::int64_t length, std::int64_t ahead) const {
    const tag d;
    const vector empty = hn::Set(d, bin_);
    vector bin[4] = {empty, empty, empty, empty};
    vector rest[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    std::int64_t i = 0;
    for (; i + 4 * width <= length; i += 4 * width) {
      prefetch_ahead<4 * width * sizeof(double)>(p + i, ahead);
      deposit(bin[0], rest[0], hn::LoadU(d, p + i));
      deposit(bin[1], rest[1], hn::LoadU(d, p + i + width));
      deposit(bin[2], rest[2], hn::LoadU(d, p + i + 2 * width));
      deposit(bin[3], rest[3], hn::LoadU(d, p + i + 3 * width));
    }
    for (; i + width <= length; i += width) deposit(bin[0], rest[0], hn::LoadU(d, p + i));
    if (i < length) deposit(bin[0], rest[0], load_first(d, p + i, length - i, hn::Zero(d)));
    const auto taken = [&](int v) HWY_ATTR { return part{hn::Sub(bin[v], empty), rest[v]}; };
    return plain_join(plain_join(taken(0), taken(1)), plain_join(taken(2), taken(3)));
  }
  /// What flags look at, too.
  HWY_INLINE static part plain_join(const part& a, const part& b) {
    return {hn::Add(a.high, b.high), hn::Add(a.low, b.low)};
  }

  double bin_ = 0;
  bool has_failed_ = false;
};

/// The same of columns, by one bin for all of them.
class exact_column_bins : public exact_pairs<double> {
  using pairs = exact_pairs<double>;

 public:
  static constexpr std::int64_t least_items = 16;
  HWY_INLINE exact_column_bins(const lane_order& order, const lane_states& out, double bin)
      : pairs(order, out), empty_(hn::Set(tag(), bin)) {}

  HWY_INLINE column open(const double* p) const {
    column own{empty_, hn::Set(tag(), -0.0), hn::Zero(tag())};
    add_to(own, p, 0);
    return own;
  }
  HWY_INLINE void add_to(column& own, const double* p, std::int64_t) const {
    deposit(own.high, own.low, hn::LoadU(tag(), p));
  }
  HWY_INLINE void finish_column(const column& own, std::int64_t c, std::int64_t length) const {
    const part all = with_sign({hn::Sub(own.high, empty_), own.low});
    pairs::finish_column({all.high, all.low, hn::Zero(tag())}, c, length);
  }

  /// Columns whose rows are one line of items, and fewer than fill some vectors: lanes take items in line, each those of
  /// one column, which some lanes share. False as fold_lane_columns, or there are too many columns.
  bool fold_line(const lane_columns& columns) {
    constexpr int n = pairs::width, most_vectors = 16;
    const std::int64_t width = columns.width, count = width * columns.length;
    const auto period = static_cast<int>(width / std::gcd(width, std::int64_t{n}));
    const int turn = period * ((3 + period) / period);  // at least 4: a lane waits for itself
    if (turn > most_vectors || !is_one_line(columns)) return false;
    const auto* const p = reinterpret_cast<const double*>(columns.first + columns.offsets[0]);
    alignas(64) double high[n * most_vectors], low[n * most_vectors];
    std::fill_n(high, n * turn, hn::GetLane(empty_));
    std::fill_n(low, n * turn, -0.0);
    const auto take = [&](int k, vector x) HWY_ATTR {
      vector bin = hn::Load(tag(), high + k * n), rest = hn::Load(tag(), low + k * n);
      deposit(bin, rest, x);
      hn::Store(bin, tag(), high + k * n);
      hn::Store(rest, tag(), low + k * n);
    };
    std::int64_t i = 0;
    for (; i + turn * n <= count; i += turn * n) {
      for (int k = 0; k < turn; ++k) take(k, hn::LoadU(tag(), p + i + k * n));
    }
    for (int k = 0; i < count; ++k, i += n) {
      take(k, load_first(tag(), p + i, std::min<std::int64_t>(n, count - i), hn::Set(tag(), -0.0)));
    }
    // Flags look at these additions too.
    for (int l = static_cast<int>(width); l < n * turn; ++l) {
      high[l % width] += high[l] - hn::GetLane(empty_);
      low[l % width] += low[l];
    }
    for (std::int64_t c = 0; c < width; c += n) {
      finish_column({hn::Load(tag(), high + c), hn::Load(tag(), low + c), hn::Zero(tag())}, c,
                    columns.length);
    }
    return !has_rounded();
  }
  static bool is_one_line(const lane_columns& columns) {
    const auto row_bytes = static_cast<std::int64_t>(sizeof(double)) * columns.width;
    for (std::int64_t i = 1; i < columns.length; ++i) {
      if (columns.offsets[i] - columns.offsets[i - 1] != row_bytes) return false;
    }
    return true;
  }

  vector empty_;
};

#endif  // AVX-512

}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MONOFOLD_RUNTIME_SIMD_LANE_BINS_INL
