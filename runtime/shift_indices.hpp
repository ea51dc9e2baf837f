#pragma once
/// runtime/shift_indices: the indices in a state, counted from elsewhere.

#include <cstdint>

namespace monofold::runtime {

/// Adds `offset` to the indices that the state of a fold holds; -1 stands for none and stays.
template <class State>
void shift_indices(State& own, std::int64_t offset) {
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
  if constexpr (requires {
                  own.ends;
                  own.nans;
                }) {
    shift_indices(own.ends, offset);
    shift_indices(own.nans, offset);
  }
}

}  // namespace monofold::runtime
