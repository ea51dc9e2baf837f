#include "ladder/reference.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

namespace monofold::ladder {

namespace {

template <class T>
T lowest() {
  using limits = std::numeric_limits<T>;
  return limits::has_infinity ? -limits::infinity() : limits::lowest();
}
template <class T>
T highest() {
  using limits = std::numeric_limits<T>;
  return limits::has_infinity ? limits::infinity() : limits::max();
}

template <class T>
std::vector<T> numbers_in(const std::vector<std::byte>& items, std::size_t from,
                          std::size_t count) {
  std::vector<T> out(count);
  if (count > 0) std::memcpy(out.data(), items.data() + from * sizeof(T), count * sizeof(T));
  return out;
}

template <class T>
answer product(const std::vector<T>& entries) {
  // Integers wrap, which only unsigned ones may.
  using number = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;
  using entry = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                            std::type_identity<T>>::type;
  number p[4] = {1, 0, 0, 1};
  for (std::size_t i = 0; i + 3 < entries.size(); i += 4) {
    number m[4];
    for (std::size_t j = 0; j < 4; ++j) m[j] = static_cast<entry>(entries[i + j]);
    const number next[4] = {p[0] * m[0] + p[1] * m[2], p[0] * m[1] + p[1] * m[3],
                            p[2] * m[0] + p[3] * m[2], p[2] * m[1] + p[3] * m[3]};
    std::copy_n(next, 4, p);
  }
  answer out{};
  for (std::size_t j = 0; j < 4; ++j) out[j] = static_cast<long double>(static_cast<entry>(p[j]));
  return out;
}

template <class T>
answer two_largest_of(const std::vector<T>& items) {
  std::vector<T> two = items;
  two.insert(two.end(), 2, lowest<T>());  // where there are not two
  std::partial_sort(two.begin(), two.begin() + 2, two.end(), [](T a, T b) { return b < a; });
  return {static_cast<long double>(two[0]), static_cast<long double>(two[1])};
}

template <class T>
answer of_run(operation op, const std::vector<T>& items) {
  if (op == operation::matmul) return product(items);
  if (op == operation::top2) return two_largest_of(items);
  __int128 whole = 0;  // items are whole numbers
  T most = lowest<T>();
  T least = highest<T>();
  for (const T item : items) {
    whole += static_cast<__int128>(item);
    most = item > most ? item : most;
    least = item < least ? item : least;
  }
  switch (op) {
    case operation::sum: return {static_cast<long double>(whole)};
    case operation::max: return {static_cast<long double>(most)};
    case operation::min: return {static_cast<long double>(least)};
    default: break;
  }
  return {static_cast<long double>(whole), static_cast<long double>(items.size())};
}

template <class T>
std::vector<answer> of_runs(const task& what, const std::vector<std::byte>& items, std::int64_t n,
                            int items_per_result) {
  const std::int64_t width = what.op == operation::matmul ? 4 : 1;
  const std::int64_t each = items_per_result == 0 ? std::max<std::int64_t>(n, 1) : items_per_result;
  std::vector<answer> out;
  for (std::int64_t from = 0; from < std::max<std::int64_t>(n, 1); from += each) {
    const std::int64_t count = std::min(each, n - from);
    out.push_back(of_run(what.op, numbers_in<T>(items, static_cast<std::size_t>(from * width),
                                                static_cast<std::size_t>(count * width))));
  }
  return out;
}

}  // namespace

std::vector<answer> reference(const task& what, const std::vector<std::byte>& items, std::int64_t n,
                              int items_per_result) {
  switch (what.type) {
    case element_type::int32: return of_runs<std::int32_t>(what, items, n, items_per_result);
    case element_type::int64: return of_runs<std::int64_t>(what, items, n, items_per_result);
    case element_type::float32: return of_runs<float>(what, items, n, items_per_result);
    case element_type::float64: break;
  }
  return of_runs<double>(what, items, n, items_per_result);
}

bool same(const std::vector<answer>& a, const std::vector<answer>& b) { return a == b; }

}  // namespace monofold::ladder
