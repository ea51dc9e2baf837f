#pragma once
/// runtime/push_by_tiles: items that lie elsewhere, pushed so that a running state keeps none of them.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/any_engine.hpp"
#include "runtime/gpu/devices.hpp"

namespace monofold::runtime {

/// Calls push_whole(at, count) for whole tiles, and push_host(at, count) for what lies before and
/// behind them: a running state keeps that, and wants it in host memory.
template <class State, class PushWhole, class PushHost>
void push_by_tiles(const State& state, std::int64_t count, const PushWhole& push_whole,
                   const PushHost& push_host) {
  const std::int64_t head = std::min(count, state.items_to_boundary());
  const std::int64_t whole = (count - head) / State::tile_items * State::tile_items;
  if (head > 0) push_host(0, head);
  if (whole > 0) push_whole(head, whole);
  const std::int64_t rest = count - head - whole;
  if (rest > 0) push_host(head + whole, rest);
}

template <class Item>
std::vector<Item> on_host(const Item* items, std::int64_t count) {
  std::vector<Item> held(static_cast<std::size_t>(count));
  copy_from_device(held.data(), items, count * static_cast<std::int64_t>(sizeof(Item)));
  return held;
}

/// Another engine until the end of a scope.
template <class State>
struct engine_while {
  State& state;
  const any_engine& own;
  engine_while(State& of, const any_engine& other, const any_engine& after)
      : state(of), own(after) {
    state.use_engine(other);
  }
  engine_while(const engine_while&) = delete;
  engine_while& operator=(const engine_while&) = delete;
  ~engine_while() { state.use_engine(own); }
};

}  // namespace monofold::runtime
