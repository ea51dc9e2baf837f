#pragma once
/// fold/shift_indices: the indices in a state, counted from elsewhere.

#include <cstdint>

#include "monofold/fold/all.hpp"

namespace monofold::detail {

/// Replaces the indices that the state of one of the library's folds holds by map(index); -1 stands for none
/// and stays. The map must ascend.
template <class State, class Map>
void map_indices(State& own, const Map& map) {
  if constexpr (requires { own.candidates; }) {
    for (auto& one : own.candidates) map_indices(one, map);
  }
  if constexpr (requires { own.index; }) {
    if (own.index >= 0) own.index = map(own.index);
  }
  if constexpr (requires {
                  own.count;
                  own.first;
                }) {
    if (own.first >= 0) own.first = map(own.first);
  }
  if constexpr (requires {
                  own.min.index;
                  own.max.index;
                }) {
    map_indices(own.min, map);
    map_indices(own.max, map);
  }
}

/// Those of the members of an `all`.
template <class First, class... Rest, class Map>
void map_indices(state_list<First, Rest...>& own, const Map& map) {
  map_indices(own.first, map);
  if constexpr (sizeof...(Rest) > 0) map_indices(own.rest, map);
}

/// The indices counted from elsewhere.
template <class State>
void shift_indices(State& own, std::int64_t offset) {
  map_indices(own, [=](std::int64_t index) { return index + offset; });
}

}  // namespace monofold::detail
