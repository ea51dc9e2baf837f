#include "python/src/few_items.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>

#include "monofold/fold/exact.hpp"
#include "monofold/fold/exact/few.hpp"
#include "monofold/fold/exact/window_spreads.hpp"
#include "monofold/fold/order_key.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/strict_arithmetic.hpp"
#include "monofold/reduce.hpp"
#include "runtime/c_boundary.hpp"
#include "runtime/rolling_keys.hpp"

namespace monofold::python {

namespace {

/// Upper and lower halves of a significand.
struct halves {
  double upper, lower;

  explicit halves(double x) {
    const double scaled = x * 0x1p27 + x;
    upper = scaled - (scaled - x);
    lower = x - upper;
  }
};

/// Products as two doubles each, which they are exactly (Dekker 1971) where no part is rounded below the normal
/// numbers. In a function of its own: see strict_arithmetic.
[[gnu::noinline]] bool multiply(const double* left, const double* right, std::int64_t count,
                                double* terms) {
  MONOFOLD_AS_WRITTEN
  const strict_arithmetic arithmetic;
  bool holds = arithmetic.holds();
  for (std::int64_t i = 0; i < count; ++i) {
    const double a = left[i], b = right[i], product = a * b;
    const halves of_a(a), of_b(b);
    // Halves have no overflow below 2^900; rests of products above 2^-900 are normal numbers, or 0.
    holds &= std::fabs(a) < 0x1p900 && std::fabs(b) < 0x1p900 && std::fabs(product) < 0x1p900 &&
             (std::fabs(product) > 0x1p-900 || a == 0 || b == 0);
    terms[2 * i] = product;
    terms[2 * i + 1] =
        ((of_a.upper * of_b.upper - product) + of_a.upper * of_b.lower + of_a.lower * of_b.upper) +
        of_a.lower * of_b.lower;
  }
  return holds;
}

}  // namespace

bool dot_of_few(const double* left, const double* right, std::int64_t count, double& out) {
  double terms[2 * most_few_pairs];
  if (count < 1 || !multiply(left, right, count, terms)) return false;
  out = monofold::reduce(cpu(1),
                         std::span<const double>(terms, static_cast<std::size_t>(2 * count)), sum);
  return out != 0;
}

namespace {

using value = value_term<double>;
static_assert(most_few % 4 == 0);

/// What operations ask about a few doubles, each found once.
class few_doubles {
 public:
  explicit few_doubles(std::span<const double> items)
      : items_(items.data()), count_(std::ssize(items)) {}

  bool are_finite() const {
    constexpr std::uint64_t infinity = 0x7ff0000000000000;
    std::uint64_t most = 0;
    for (std::int64_t i = 0; i < count_; ++i) most = std::max(most, bits_at(i) & infinity);
    return most < infinity;
  }
  bool find_sum(double& out) {
    if (!has_sum()) return false;
    out = sum_.high;
    return true;
  }
  bool find_mean(double& out) const {
    result<double> found;
    if (!detail::find_mean_of_few<value>(items_, count_, found)) return false;
    out = *found;
    return true;
  }
  bool find_spread(std::int64_t ddof, bool root, double& out) {
    if (count_ <= ddof || !has_squares()) return false;
    // Windows come by fours.
    const double sum[2][4] = {{sum_.high}, {sum_.low}};
    const double square[2][4] = {{squares_.high}, {squares_.low}};
    const double rest[4] = {rests_.high};
    const auto n = static_cast<double>(count_);
    const double divisor = n * static_cast<double>(count_ - ddof);
    double found[4];
    std::int64_t is_known[4];
    detail::finish_spreads({{sum[0], sum[1]}, {square[0], square[1]}, rest, n, divisor, root}, 1,
                           found, is_known);
    out = found[0];
    return is_known[0] != 0;
  }
  /// Where the smallest one is, or the largest; of equal ones the first, and -0 is below 0.
  std::int64_t place_of_extremum(bool largest) {
    std::int64_t& place = extrema_[largest ? 1 : 0];
    if (place >= 0) return place;
    place = 0;
    std::int64_t best = key_at(0, largest);
    for (std::int64_t i = 1; i < count_; ++i) {
      const std::int64_t key = key_at(i, largest);
      if (key >= best) continue;
      best = key;
      place = i;
    }
    return place;
  }

 private:
  std::uint64_t bits_at(std::int64_t i) const { return bits_as<std::uint64_t>(items_[i]); }
  std::int64_t key_at(std::int64_t i, bool largest) const {
    const std::int64_t key = order_key<double>::nan_low(items_[i]);  // none is NaN
    return largest ? ~key : key;
  }
  bool has_sum() {
    if (!knows_sum_) knows_sum_ = detail::sum_few<value>(items_, count_, sum_);
    return knows_sum_;
  }
  bool has_squares() {
    if (knows_squares_) return true;
    double squares[most_few], rests[most_few];
    knows_squares_ = has_sum() && detail::has_spreads() &&
                     detail::square_terms(items_, static_cast<int>(count_), squares, rests) &&
                     detail::sum_few<value>(squares, count_, squares_) &&
                     detail::sum_few<value>(rests, count_, rests_);
    return knows_squares_;
  }

  const double* items_;
  std::int64_t count_;
  detail::sum_of_two sum_{}, squares_{}, rests_{};
  std::int64_t extrema_[2] = {-1, -1};
  bool knows_sum_ = false;
  bool knows_squares_ = false;
};

}  // namespace

bool answer_few(std::span<const monofold_operation> operations, std::span<const double> items,
                std::int64_t ddof, monofold_result* results) {
  few_doubles own(items);
  if (items.empty() || !own.are_finite()) return false;
  for (const monofold_operation op : operations) {
    runtime::number value;
    std::int64_t index = -1;
    double found = 0;
    const auto keep = [&](bool is_found) {
      value = found;
      return is_found;
    };
    bool is_known = true;
    switch (op) {
      case MONOFOLD_COUNT: value = std::int64_t{std::ssize(items)}; break;
      case MONOFOLD_COUNT_NAN: value = std::int64_t{0}; break;
      case MONOFOLD_SUM: is_known = keep(own.find_sum(found)); break;
      case MONOFOLD_MEAN: is_known = keep(own.find_mean(found)); break;
      case MONOFOLD_VAR: is_known = keep(own.find_spread(ddof, false, found)); break;
      case MONOFOLD_STD: is_known = keep(own.find_spread(ddof, true, found)); break;
      case MONOFOLD_MIN:
      case MONOFOLD_MAX:
      case MONOFOLD_ARGMIN:
      case MONOFOLD_ARGMAX:
        index = own.place_of_extremum(op == MONOFOLD_MAX || op == MONOFOLD_ARGMAX);
        value = items[static_cast<std::size_t>(index)];
        if (op == MONOFOLD_MIN || op == MONOFOLD_MAX) index = -1;
        break;
      default: return false;
    }
    if (!is_known) return false;
    *results++ = {MONOFOLD_OK, runtime::c_boundary::to_c(value), runtime::c_boundary::no_number(),
                  index, -1};
  }
  return true;
}

namespace {

/// The k best of items so far, the best first.
class best_of_few {
 public:
  best_of_few(const runtime::key_rule& rule, std::int64_t k, std::int64_t* places)
      : rule_(rule), k_(k), places_(places) {}

  /// Takes an item in if it is better than the last one, or there are fewer; false: it is NaN, or the work is too much.
  bool take(const void* item, std::int64_t place) {
    std::int64_t key = 0;
    rule_.load(item, 1, &key);
    if (rule_.has_nan() && key == rule_.nan_key()) return false;
    if (count_ == k_ && key >= keys_[k_ - 1]) return true;
    std::int64_t at = count_ < k_ ? count_++ : k_ - 1;
    for (; at > 0 && key < keys_[at - 1]; --at, ++moves_) {
      keys_[at] = keys_[at - 1];
      places_[at] = places_[at - 1];
    }
    keys_[at] = key;
    places_[at] = place;
    return moves_ < most_moves;
  }

 private:
  static constexpr std::int64_t most_moves = 4096;  // more take longer than the ways for many items

  const runtime::key_rule& rule_;
  std::int64_t k_;
  std::int64_t* places_;
  std::int64_t count_ = 0;
  std::int64_t moves_ = 0;
  std::int64_t keys_[most_ranked];
};

/// The first item from the i-th on that is better than the last of the best by its number, or that its number does not
/// tell: NaN, and of zeros each.
template <bool largest, class T>
std::int64_t find_better(const T* items, std::int64_t i, std::int64_t count, const T& last) {
  const auto find = [&](const auto& is_no_better) {
    constexpr std::int64_t at_once = 8;
    for (; i + at_once <= count; i += at_once) {
      bool are_no_better = true;
      for (std::int64_t j = 0; j < at_once; ++j) are_no_better &= is_no_better(items[i + j]);
      if (!are_no_better) break;
    }
    while (i < count && is_no_better(items[i])) ++i;
    return i;
  };
  if (last == T{}) return find([&](const T& x) { return largest ? x < last : x > last; });
  return find([&](const T& x) { return largest ? x <= last : x >= last; });
}

template <bool largest, class T>
bool rank_items(const T* items, std::int64_t count, std::int64_t k, std::int64_t* places,
                best_of_few& best) {
  std::int64_t i = 0;
  for (; i < k; ++i) {
    if (!best.take(items + i, i)) return false;
  }
  while (i < count) {
    if constexpr (std::is_arithmetic_v<T>) {
      i = find_better<largest>(items, i, count, items[places[k - 1]]);
      if (i == count) break;
    }
    if (!best.take(items + i, i)) return false;
    ++i;
  }
  return true;
}

}  // namespace

bool rank_few(const void* items, monofold_dtype dtype, std::int64_t count, std::int64_t k,
              bool largest, std::int64_t* places) {
  const runtime::key_rule rule{static_cast<monofold::dtype>(dtype), largest, true};
  best_of_few best(rule, k, places);
  return visit_dtype(rule.type, [&]<class T>() {
    const T* const from = static_cast<const T*>(items);
    return largest ? rank_items<true>(from, count, k, places, best)
                   : rank_items<false>(from, count, k, places, best);
  });
}

}  // namespace monofold::python
