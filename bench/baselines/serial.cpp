/// bench/baselines/serial: one thread, one loop; and the values that everything is checked against.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>

#include "bench/baselines/peers.hpp"
#include "bench/ours/ordered_folds.hpp"

namespace bench {

namespace {

__extension__ using int128 = __int128;

std::vector<double> hash_of(std::span<const unsigned char> items) {
  std::uint64_t hash = 0;
  for (const unsigned char c : items) hash = hash * string_hash::base + c;
  return {static_cast<double>(hash >> 32), static_cast<double>(hash & 0xffffffffu)};
}

template <class Real>
std::vector<double> product_of(std::span<const matrix2> items) {
  Real a = 1;
  Real b = 0;
  Real c = 0;
  Real d = 1;
  for (const matrix2& m : items) {
    const Real next_a = a * Real(m.a) + b * Real(m.c);
    const Real next_c = c * Real(m.a) + d * Real(m.c);
    b = a * Real(m.b) + b * Real(m.d);
    d = c * Real(m.b) + d * Real(m.d);
    a = next_a;
    c = next_c;
  }
  return {static_cast<double>(a), static_cast<double>(b), static_cast<double>(c),
          static_cast<double>(d)};
}

std::vector<double> longest_run_of(std::span<const std::int32_t> items) {
  std::int64_t best = 0;
  std::int64_t run = 0;
  std::int32_t last = 0;
  for (const std::int32_t item : items) {
    run = item == last ? run + 1 : 1;
    best = std::max(best, run);
    last = item;
  }
  return {static_cast<double>(best)};
}

/// The mean of the squared deviations from it: exact for integers until the last division, in 80 or
/// 128 bits for floats where the machine has them.
template <class Item, class Wide>
double variance_of(std::span<const Item> items, Wide sum) {
  const auto n = static_cast<long double>(items.size());
  if constexpr (std::is_integral_v<Item>) {
    // n Q - S^2 stays below 2^127: n below 2^32, items below 2^31 in magnitude.
    Wide squares = 0;
    for (const Item item : items) squares += static_cast<std::int64_t>(item) * item;
    const Wide scaled = squares * static_cast<Wide>(items.size()) - sum * sum;
    return static_cast<double>(static_cast<long double>(scaled) / (n * n));
  } else {
    const long double mean = sum / n;
    long double deviations = 0;
    for (const Item item : items) {
      const long double d = static_cast<long double>(item) - mean;
      deviations += d * d;
    }
    return static_cast<double>(deviations / n);
  }
}

template <class Item>
std::vector<double> statistics_of(std::span<const Item> items) {
  using wide = std::conditional_t<std::is_integral_v<Item>, int128, long double>;
  wide sum = 0;
  std::size_t argmin = 0;
  std::size_t argmax = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    sum += static_cast<wide>(items[i]);
    if (items[i] < items[argmin]) argmin = i;
    if (items[i] > items[argmax]) argmax = i;
  }
  const auto n = static_cast<long double>(items.size());
  return {static_cast<double>(n),
          static_cast<double>(sum),
          static_cast<double>(items[argmin]),
          static_cast<double>(items[argmax]),
          static_cast<double>(static_cast<long double>(sum) / n),
          variance_of(items, sum),
          static_cast<double>(argmin),
          static_cast<double>(argmax)};
}

std::vector<double> top_of(std::span<const float> items) {
  std::vector<float> best(10);
  std::partial_sort_copy(items.begin(), items.end(), best.begin(), best.end(), std::greater<>());
  return {best.begin(), best.end()};
}

std::vector<double> statistics_of(const dataset& data) {
  switch (data.type) {
    case item_type::float32: return statistics_of(data.as<float>());
    case item_type::float64: return statistics_of(data.as<double>());
    case item_type::int32: return statistics_of(data.as<std::int32_t>());
    case item_type::int8: return statistics_of(data.as<std::int8_t>());
    default: return {};
  }
}

}  // namespace

std::function<outcome()> serial_call(operation op, const dataset& data) {
  switch (op) {
    case operation::hash:
    case operation::hash_by_runs:
      return timed([items = data.as<unsigned char>()] { return hash_of(items); });
    case operation::product:
      return timed([items = data.as<matrix2>()] { return product_of<float>(items); });
    case operation::longest_run:
    case operation::run_by_runs:
      return timed([items = data.as<std::int32_t>()] { return longest_run_of(items); });
    default: return {};
  }
}

reference::reference(const dataset& data) : data_(data) {}

std::vector<double> reference::values(operation op) {
  switch (op) {
    case operation::top10: return top_of(data_.as<float>());
    case operation::hash:
    case operation::hash_by_runs: return hash_of(data_.as<unsigned char>());
    case operation::product: return product_of<double>(data_.as<matrix2>());
    case operation::longest_run:
    case operation::run_by_runs: return longest_run_of(data_.as<std::int32_t>());
    case operation::first_last: {
      const auto items = data_.as<std::int32_t>();
      return {static_cast<double>(items.front()), static_cast<double>(items.back())};
    }
    default: break;
  }
  if (statistics_.empty()) statistics_ = statistics_of(data_);
  switch (op) {
    case operation::sum:
    case operation::plain_sum: return {statistics_[1]};
    case operation::min: return {statistics_[2]};
    case operation::max: return {statistics_[3]};
    case operation::argmax: return {statistics_[7]};
    case operation::var: return {statistics_[5]};
    default: return statistics_;
  }
}

}  // namespace bench
