#pragma once
/// inputs/same_answers: whether two answers of a fold have the same bits, whatever they consist of.

#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "monofold/fold/extrema.hpp"
#include "monofold/fold/top.hpp"

namespace inputs {

template <class T>
requires(std::has_unique_object_representations_v<T> ||
         std::is_floating_point_v<T>) bool same_answers(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}
inline bool same_answers(const std::string& a, const std::string& b) { return a == b; }
template <class T>
bool same_answers(const std::vector<T>& a, const std::vector<T>& b) {
  bool same = a.size() == b.size();
  for (std::size_t i = 0; same && i < a.size(); ++i) same = same_answers(a[i], b[i]);
  return same;
}
template <class T>
bool same_answers(const monofold::extrema_answer<T>& a, const monofold::extrema_answer<T>& b) {
  return same_answers(a.min, b.min) && same_answers(a.max, b.max) && a.argmin == b.argmin &&
         a.argmax == b.argmax;
}
template <class T>
bool same_answers(const monofold::top_answer<T>& a, const monofold::top_answer<T>& b) {
  return same_answers(a.values, b.values) && a.indices == b.indices;
}
template <class... T>
bool same_answers(const std::tuple<T...>& a, const std::tuple<T...>& b) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return (same_answers(std::get<i>(a), std::get<i>(b)) && ...);
  }
  (std::index_sequence_for<T...>{});
}

}  // namespace inputs
