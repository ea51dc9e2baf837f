#pragma once
/// bench/baselines/statistics_loop: eight statistics of a piece of data by one loop by hand.

#include <cstdint>
#include <limits>
#include <type_traits>

namespace bench {

/// Count, sums of the items and of their squares, both ends and where they are.
///
/// One loop over pieces of 4096 items, which OpenMP's simd vectorises; where a piece improves an
/// end, its place is searched for.
template <class Item>
struct statistics_loop {
  double sum = 0;
  double squares = 0;
  Item min = std::numeric_limits<Item>::max();
  Item max = std::numeric_limits<Item>::lowest();
  std::int64_t count = 0;
  std::int64_t argmin = -1;
  std::int64_t argmax = -1;

  void add(const Item* items, std::int64_t first, std::int64_t end) {
    constexpr std::int64_t piece = 4096;
    for (std::int64_t at = first; at < end; at += piece) {
      add_piece(items, at, end - at < piece ? end : at + piece);
    }
  }

  void merge(const statistics_loop& right) {
    sum += right.sum;
    squares += right.squares;
    count += right.count;
    if (right.argmin >= 0 && (argmin < 0 || right.min < min)) {
      min = right.min;
      argmin = right.argmin;
    }
    if (right.argmax >= 0 && (argmax < 0 || right.max > max)) {
      max = right.max;
      argmax = right.argmax;
    }
  }

 private:
  // What a piece's sums fit in: 4096 squares of int8 stay below 2^26.
  static constexpr bool tiny = std::is_integral_v<Item> && sizeof(Item) == 1;
  using sum_type = std::conditional_t<tiny, std::int32_t, double>;

  void add_piece(const Item* items, std::int64_t first, std::int64_t end) {
    sum_type own_sum = 0;
    sum_type own_squares = 0;
    Item low = items[first];
    Item high = items[first];
#pragma omp simd reduction(+ : own_sum, own_squares) reduction(min : low) reduction(max : high)
    for (std::int64_t i = first; i < end; ++i) {
      const Item item = items[i];
      const auto x = static_cast<sum_type>(item);
      own_sum += x;
      own_squares += x * x;
      low = item < low ? item : low;
      high = item > high ? item : high;
    }
    count += end - first;
    sum += own_sum;
    squares += own_squares;
    if (argmin < 0 || low < min) {
      min = low;
      for (argmin = first; items[argmin] != min;) ++argmin;
    }
    if (argmax < 0 || high > max) {
      max = high;
      for (argmax = first; items[argmax] != max;) ++argmax;
    }
  }
};

}  // namespace bench
