#pragma once
/// fold/shift_indices: the indices in a state, counted from elsewhere.

#include <cstdint>

#include "monofold/fold/all.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Adds `offset` to the indices that the state of one of the library's folds holds; -1 stands for none and stays.
template <class State>
MONOFOLD_HD_CALL void shift_indices(State& own, std::int64_t offset) {
  if constexpr (requires { own.candidates; }) {
    for (auto& one : own.candidates) shift_indices(one, offset);
  }
  if constexpr (requires { own.index; }) {
    if (own.index >= 0) own.index += offset;
  }
  if constexpr (requires {
                  own.count;
                  own.first;
                }) {
    if (own.first >= 0) own.first += offset;
  }
  if constexpr (requires {
                  own.min.index;
                  own.max.index;
                }) {
    shift_indices(own.min, offset);
    shift_indices(own.max, offset);
  }
}

/// Those of the members of an `all`.
template <class First, class... Rest>
MONOFOLD_HD_CALL void shift_indices(state_list<First, Rest...>& own, std::int64_t offset) {
  shift_indices(own.first, offset);
  if constexpr (sizeof...(Rest) > 0) shift_indices(own.rest, offset);
}

}  // namespace monofold::detail
