#pragma once
/// cli/same_answers: whether two answers are the same to the last bit.

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <variant>
#include <vector>

#include "runtime/reducer.hpp"

namespace monofold::cli {

/// The same type and the same bits; all NaN are the same, since they print the same.
inline bool same_number(const runtime::number& left, const runtime::number& right) {
  if (left.index() != right.index()) return false;
  return std::visit(
      [&](auto value) {
        using T = decltype(value);
        const T other = std::get<T>(right);
        if constexpr (std::is_floating_point_v<T>) {
          using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
          if (std::isnan(value) || std::isnan(other)) return std::isnan(value) == std::isnan(other);
          return std::bit_cast<bits>(value) == std::bit_cast<bits>(other);
        } else {
          return value == other;
        }
      },
      left);
}

inline bool same_answer(const runtime::answer& left, const runtime::answer& right) {
  if (left.op != right.op || left.code != right.code || left.first_nan != right.first_nan) {
    return false;
  }
  if (left.values.size() != right.values.size() || left.indices != right.indices) return false;
  for (std::size_t i = 0; i < left.values.size(); ++i) {
    if (!same_number(left.values[i], right.values[i])) return false;
  }
  return true;
}

inline bool same_answers(const std::vector<runtime::answer>& left,
                         const std::vector<runtime::answer>& right) {
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (!same_answer(left[i], right[i])) return false;
  }
  return true;
}

}  // namespace monofold::cli
