#pragma once
/// fold/shift_indices: the indices in a state, counted from elsewhere.

#include <cstdint>

#include "monofold/fold/all.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Whether the state of one of the library's folds holds indices; of an `all`, perhaps.
template <class State>
concept may_hold_indices = requires(State own) {
  own.candidates;
}
|| requires(State own) { own.index; }
|| requires(State own) { own.first; }
|| requires(State own) { own.min.index; };

/// Replaces the indices that the state of one of the library's folds holds by map(index); -1 stands for none
/// and stays. The map must ascend.
MONOFOLD_CALLS_USER
template <class State, class Map>
MONOFOLD_HD_CALL void map_indices(State& own, const Map& map) {
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
MONOFOLD_CALLS_USER
template <class First, class... Rest, class Map>
MONOFOLD_HD_CALL void map_indices(state_list<First, Rest...>& own, const Map& map) {
  map_indices(own.first, map);
  if constexpr (sizeof...(Rest) > 0) map_indices(own.rest, map);
}

struct add_offset {
  std::int64_t offset;
  MONOFOLD_HD_CALL std::int64_t operator()(std::int64_t index) const { return index + offset; }
};

/// The indices counted from elsewhere.
template <class State>
MONOFOLD_HD_CALL void shift_indices(State& own, std::int64_t offset) {
  map_indices(own, add_offset{offset});
}

}  // namespace monofold::detail
