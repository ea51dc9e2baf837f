#pragma once
/// gpu/numbers: the items that folds are compared on, on the host and on the device.

#include <cstdint>
#include <type_traits>
#include <vector>

#include "tests/gpu/device.cuh"
#include "tests/inputs/random.hpp"

namespace gpu_tests {

template <class Item>
inline Item random_item(std::uint64_t i) {
  if constexpr (requires { Item{}.bits; }) {
    // No infinity, no NaN: the top exponent bit is cleared.
    return Item{static_cast<std::uint16_t>(inputs::mixed(i) & 0xbfff)};
  } else if constexpr (std::is_floating_point_v<Item>) {
    return static_cast<Item>(inputs::spread_double(i, 20));
  } else {
    return static_cast<Item>(inputs::mixed(i));
  }
}

template <class Item>
struct numbers {
  std::vector<Item> host;
  device_array<Item> device;

  explicit numbers(std::size_t count = items_to_compare<Item>())
      : host(make(count)), device(host) {}

  static std::vector<Item> make(std::size_t count) {
    std::vector<Item> out(count);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = random_item<Item>(i);
    return out;
  }
};

}  // namespace gpu_tests
