#include "python/src/few_items.hpp"

#include <algorithm>
#include <span>
#include <type_traits>

#include "monofold/fold/exact/anchored_sums.hpp"
#include "monofold/fold/exact/few.hpp"
#include "monofold/fold/exact/window_spreads.hpp"
#include "monofold/fold/exact/window_vectors.hpp"
#include "runtime/c_boundary.hpp"
#include "runtime/rolling_keys.hpp"

namespace monofold::python {

#if defined(MONOFOLD_EXACT_X86)

using detail::run_by_vectors;

const double* as_doubles(const void* items, monofold_dtype dtype, std::int64_t count,
                         double* room) {
  if (count < 1 || count > most_few || !detail::has_spreads()) return nullptr;
  if (dtype == MONOFOLD_FLOAT64) return static_cast<const double*>(items);
  if (dtype != MONOFOLD_FLOAT32) return nullptr;
  detail::run_by_vectors(detail::widen_work{static_cast<const float*>(items), count, room});
  return room;
}

namespace {

/// What operations ask about a few doubles, each found once.
class few_doubles {
 public:
  few_doubles(std::span<const double> items, bool with_squares)
      : items_(items.data()), count_(std::ssize(items)), with_squares_(with_squares) {}

  /// `are_summed`: sums are asked for, which tell of NaN.
  bool are_in_range(bool are_summed) {
    return are_summed ? detail::find_range<false>(items_, count_, range_)
                      : detail::find_range<true>(items_, count_, range_);
  }
  bool find_sum(double& out) {
    if (!has_sums()) return false;
    out = sum_.high;
    return true;
  }
  bool find_mean(double& out) {
    if (!has_sums()) return false;
    // By vectors, which are read whole; they leave some to the other way.
    const double high[4] = {sum_.high}, low[4] = {sum_.low};
    double means[4];
    if (sum_.high != 0 &&
        detail::divide_block(high, low, 1, {static_cast<double>(count_), 0}, means)) {
      out = means[0];
      return true;
    }
    result<double> found;
    if (!detail::find_mean_of_few(sum_, count_, found)) return false;
    out = *found;
    return true;
  }
  bool find_spread(std::int64_t ddof, bool root, double& out) {
    if (count_ <= ddof || !has_sums()) return false;
    // Windows come by fours.
    const double sum[2][4] = {{sum_.high}, {sum_.low}};
    const double square[2][4] = {{squares_.high}, {squares_.low}};
    const double rest[4] = {};
    const auto n = static_cast<double>(count_);
    const double divisor = n * static_cast<double>(count_ - ddof);
    double found[4];
    std::int64_t is_known[4];
    detail::finish_spreads(
        {{sum[0], sum[1]}, {square[0], square[1]}, rest, n, divisor, root, squares_.lost}, 1, found,
        is_known);
    out = found[0];
    return is_known[0] != 0;
  }
  /// Where the smallest one is, or the largest; of equal ones the first, and -0 is below 0.
  std::int64_t place_of_extremum(bool largest) {
    std::int64_t& place = extrema_[largest ? 1 : 0];
    if (place >= 0) return place;
    const double item = largest ? range_.most : range_.least;
    const double sought = item != 0 ? item : largest ? 0.0 : -0.0;
    detail::run_by_vectors(detail::find_work{items_, count_, sought, place});
    if (place < count_) return place;
    detail::run_by_vectors(detail::find_work{items_, count_, -sought, place});  // the other zero
    return place;
  }

 private:
  bool has_sums() {
    const auto add = [&](auto with_squares) {
      detail::run_by_vectors(detail::moments_work<with_squares>{
          items_, count_, detail::exponent_above(range_), sum_, squares_});
      are_summed_ = true;
    };
    if (!are_summed_) with_squares_ ? add(std::true_type{}) : add(std::false_type{});
    return sum_.lost == 0;
  }

  const double* items_;
  std::int64_t count_;
  bool with_squares_;
  detail::double_range range_{};
  detail::sum_of_two sum_{};
  detail::doubtful_sum squares_{};
  std::int64_t extrema_[2] = {-1, -1};
  bool are_summed_ = false;
};

}  // namespace

bool dot_of_few(const double* left, const double* right, std::int64_t count, double& out) {
  detail::double_range of_left, of_right;
  // There is no sum where items are NaN.
  if (!detail::find_range<false>(left, count, of_left) ||
      !detail::find_range<false>(right, count, of_right)) {
    return false;
  }
  detail::sum_of_two sum;
  detail::run_by_vectors(detail::products_work{
      left, right, count, detail::exponent_above(of_left) + detail::exponent_above(of_right), sum});
  out = sum.high;
  return sum.lost == 0;
}

bool answer_few(std::span<const monofold_operation> operations, std::span<const double> items,
                std::int64_t ddof, monofold_result* results) {
  const auto is_spread = [](monofold_operation op) {
    return op == MONOFOLD_VAR || op == MONOFOLD_STD;
  };
  const auto is_sum = [&](monofold_operation op) {
    return op == MONOFOLD_SUM || op == MONOFOLD_MEAN || is_spread(op);
  };
  few_doubles own(items, std::any_of(operations.begin(), operations.end(), is_spread));
  if (!own.are_in_range(std::any_of(operations.begin(), operations.end(), is_sum))) return false;
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

#else
const double* as_doubles(const void*, monofold_dtype, std::int64_t, double*) { return nullptr; }
template <class Work>
void run_by_vectors(const Work&) {}
bool dot_of_few(const double*, const double*, std::int64_t, double&) { return false; }
bool answer_few(std::span<const monofold_operation>, std::span<const double>, std::int64_t,
                monofold_result*) {
  return false;
}
#endif

namespace {

/// The k best of items so far, the best first.
class best_of_few {
 public:
  best_of_few(const void* items, const runtime::key_rule& rule, std::int64_t k,
              std::int64_t* places)
      : items_(static_cast<const char*>(items)),
        item_bytes_(info(rule.type).size_bytes),
        rule_(rule),
        k_(k),
        places_(places) {}

  /// Takes an item in if it is better than the last one, or there are fewer; false: it is NaN, or the work is too much.
  bool take(std::int64_t place) {
    std::int64_t key = 0;
    rule_.load(items_ + place * item_bytes_, 1, &key);
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

  const char* items_;
  std::int64_t item_bytes_;
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
    if (!best.take(i)) return false;
  }
  while (i < count) {
    if constexpr (std::is_arithmetic_v<T>) {
      i = find_better<largest>(items, i, count, items[places[k - 1]]);
      if (i == count) break;
    }
    if (!best.take(i)) return false;
    ++i;
  }
  return true;
}

/// The same of doubles, by vectors that the compiler makes of these loops for the instruction set of the function around.
template <bool largest>
struct rank_work {
  const double* items;
  std::int64_t count;
  std::int64_t k;
  const std::int64_t* places;
  best_of_few& best;
  bool& is_ranked;

  template <int>
  MONOFOLD_INLINE void run() const {
    double last = 0;
    bool has_last = find_last(last);
    is_ranked = false;
    for (std::int64_t i = 0, taken = 0; i < count; ++i) {
      // Until k are taken, as good as the last one is good enough; and zeros may be better than each other.
      if (has_last) {
        const bool or_as_good = taken < k || last == 0;
        i = or_as_good ? find(i, [&](double x) { return is_better(last, x); })
                       : find(i, [&](double x) { return is_better(last, x) || x == last; });
      }
      if (i == count) break;
      if (!best.take(i)) return;
      if (++taken < k) continue;
      last = items[places[k - 1]];
      has_last = true;
    }
    is_ranked = true;
  }

 private:
  static constexpr std::int64_t at_once = 32;  // gcc takes shorter loops apart

  static MONOFOLD_INLINE bool is_better(double a, double b) { return largest ? a > b : a < b; }

  /// An item that k others are as good as: the k-th of those that are the best of every 32nd.
  MONOFOLD_INLINE bool find_last(double& last) const {
    if (k > at_once / 2 || count < 2 * at_once) return false;
    double each[at_once], sorted[at_once / 2] = {};
    std::copy_n(items, at_once, each);
    for (std::int64_t i = at_once; i + at_once <= count; i += at_once) {
      for (std::int64_t l = 0; l < at_once; ++l) {
        each[l] = is_better(items[i + l], each[l]) ? items[i + l] : each[l];
      }
    }
    for (std::int64_t l = 0; l < at_once; ++l) {
      std::int64_t at = l < k ? l : k - 1;
      if (l >= k && !is_better(each[l], sorted[at])) continue;
      for (; at > 0 && is_better(each[l], sorted[at - 1]); --at) sorted[at] = sorted[at - 1];
      sorted[at] = each[l];
    }
    last = sorted[k - 1];
    return true;
  }
  /// The first item from the i-th on that is not so: NaN is so of nothing.
  template <class Is>
  MONOFOLD_INLINE std::int64_t find(std::int64_t i, const Is& is) const {
    for (; i + at_once <= count; i += at_once) {
      std::int64_t others = 0;
      for (std::int64_t j = 0; j < at_once; ++j) others |= is(items[i + j]) ? 0 : 1;
      if (others != 0) break;
    }
    while (i < count && is(items[i])) ++i;
    return i;
  }
};

}  // namespace

bool rank_few(const void* items, monofold_dtype dtype, std::int64_t count, std::int64_t k,
              bool largest, std::int64_t* places) {
  const runtime::key_rule rule{static_cast<monofold::dtype>(dtype), largest, true};
  best_of_few best(items, rule, k, places);
  double room[most_few];
  if (const double* const own = as_doubles(items, dtype, count, room)) {
    bool is_ranked = false;
    largest ? run_by_vectors(rank_work<true>{own, count, k, places, best, is_ranked})
            : run_by_vectors(rank_work<false>{own, count, k, places, best, is_ranked});
    return is_ranked;
  }
  return visit_dtype(rule.type, [&]<class T>() {
    const T* const from = static_cast<const T*>(items);
    return largest ? rank_items<true>(from, count, k, places, best)
                   : rank_items<false>(from, count, k, places, best);
  });
}

}  // namespace monofold::python
