#pragma once
/// inputs/answer_bytes: the bytes of an answer without padding, so that answers compare by their bits.

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "monofold/fold/extrema.hpp"
#include "monofold/fold/logsumexp.hpp"
#include "monofold/fold/top.hpp"
#include "monofold/platform/status.hpp"

namespace inputs {

template <class T>
requires std::is_arithmetic_v<T> std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
template <class T>
std::string bytes_of(const std::vector<T>& values);
template <class T, std::size_t count>
std::string bytes_of(const std::array<T, count>& values) {
  std::string all;
  for (const T& value : values) all += bytes_of(value);
  return all;
}
template <class T>
std::string bytes_of(const monofold::extrema_answer<T>& a) {
  return bytes_of(a.min) + bytes_of(a.max) + bytes_of(a.argmin) + bytes_of(a.argmax);
}
template <class T>
std::string bytes_of(const monofold::top_answer<T>& a) {
  return bytes_of(a.values) + bytes_of(a.indices);
}
template <class T>
std::string bytes_of(const monofold::softmax_scale<T>& a) {
  return bytes_of(a.max) + bytes_of(a.sum);
}
template <class... T>
std::string bytes_of(const std::tuple<T...>& values) {
  return std::apply([](const T&... value) { return (bytes_of(value) + ...); }, values);
}
template <class T>
std::string bytes_of(const monofold::result<T>& answer) {
  return answer ? "+" + bytes_of(*answer) : "-" + bytes_of(static_cast<int>(answer.code()));
}
template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string all;
  for (const T& value : values) all += bytes_of(value);
  return all;
}

}  // namespace inputs
