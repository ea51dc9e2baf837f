/// bench/baselines/std_reduce: the standard library's parallel algorithms.

#include "bench/baselines/peers.hpp"

#if defined(MONOFOLD_BENCH_TBB)  // libstdc++ runs its parallel algorithms on oneTBB

#include <algorithm>
#include <cstdint>
#include <execution>
#include <functional>
#include <limits>
#include <numeric>
#include <span>

namespace bench {

namespace {

/// Count, sums, ends and their indices of some items, as a hand-written monoid.
struct statistics {
  double count, sum, squares, min, max, argmin, argmax;

  static statistics combine(const statistics& l, const statistics& r) {
    // An index below decides between equal items: the algorithm may swap its operands.
    const bool min_left = l.min < r.min || (l.min == r.min && l.argmin < r.argmin);
    const bool max_left = l.max > r.max || (l.max == r.max && l.argmax < r.argmax);
    return {l.count + r.count,
            l.sum + r.sum,
            l.squares + r.squares,
            min_left ? l.min : r.min,
            max_left ? l.max : r.max,
            min_left ? l.argmin : r.argmin,
            max_left ? l.argmax : r.argmax};
  }
};

template <class Policy, class Item>
std::function<outcome()> call_for(const Policy& policy, operation op, std::span<const Item> items) {
  using wide = std::conditional_t<std::is_integral_v<Item>, std::int64_t, double>;
  const Item* const first = items.data();
  const Item* const last = first + items.size();
  switch (op) {
    case operation::sum:
      return timed([=, &policy] {
        const wide sum = std::transform_reduce(policy, first, last, wide(0), std::plus<>(),
                                               [](Item item) { return static_cast<wide>(item); });
        return std::vector{static_cast<double>(sum)};
      });
    case operation::plain_sum:
      return timed([=, &policy] {
        return std::vector{static_cast<double>(std::reduce(policy, first, last, Item(0)))};
      });
    case operation::min:
      return timed([=, &policy] {
        const Item end =
            std::reduce(policy, first, last, *first, [](Item l, Item r) { return l < r ? l : r; });
        return std::vector{static_cast<double>(end)};
      });
    case operation::max:
      return timed([=, &policy] {
        const Item end =
            std::reduce(policy, first, last, *first, [](Item l, Item r) { return l > r ? l : r; });
        return std::vector{static_cast<double>(end)};
      });
    case operation::argmax:
      return timed([=, &policy] {
        return std::vector{static_cast<double>(std::max_element(policy, first, last) - first)};
      });
    case operation::var:
    case operation::stats:
      return timed([=, &policy] {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        const statistics s = std::transform_reduce(
            policy, first, last, statistics{0, 0, 0, infinity, -infinity, infinity, infinity},
            statistics::combine, [first](const Item& item) {
              const auto x = static_cast<double>(item);
              const auto index = static_cast<double>(&item - first);
              return statistics{1, x, x * x, x, x, index, index};
            });
        const double mean = s.sum / s.count;
        const double var = s.squares / s.count - mean * mean;
        if (op == operation::var) return std::vector{var};
        return std::vector{s.count, s.sum, s.min, s.max, mean, var, s.argmin, s.argmax};
      });
    default: return {};
  }
}

template <class Policy>
std::function<outcome()> call_with(const Policy& policy, operation op, const dataset& data) {
  switch (data.type) {
    case item_type::float32: return call_for(policy, op, data.as<float>());
    case item_type::float64: return call_for(policy, op, data.as<double>());
    case item_type::int32: return call_for(policy, op, data.as<std::int32_t>());
    case item_type::int8: return call_for(policy, op, data.as<std::int8_t>());
    default: return {};
  }
}

}  // namespace

std::function<outcome()> std_par_call(operation op, const dataset& data) {
  return call_with(std::execution::par, op, data);
}
std::function<outcome()> std_unseq_call(operation op, const dataset& data) {
  return call_with(std::execution::par_unseq, op, data);
}

}  // namespace bench

#else

namespace bench {
std::function<outcome()> std_par_call(operation, const dataset&) { return {}; }
std::function<outcome()> std_unseq_call(operation, const dataset&) { return {}; }
}  // namespace bench

#endif
