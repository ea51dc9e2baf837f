#pragma once
/// gpu/key_types: keys of one type, compared with the CPU's groups and runs of them.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "monofold/platform/numbers.hpp"
#include "tests/gpu/keyed_items.cuh"
#include "tests/inputs/random.hpp"

namespace gpu_tests {

/// Every value of the type, or near its ends and at 0; each several times.
template <class Key>
void compare_keys(const char* what) {
  std::vector<Key> keys;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const std::uint64_t own = inputs::mixed(i);
    if constexpr (std::is_integral_v<Key>) {
      const Key ends[] = {std::numeric_limits<Key>::min(), std::numeric_limits<Key>::max(), Key(0)};
      keys.push_back(i % 3 == 0 ? static_cast<Key>(own) : ends[own % 3]);
    } else if constexpr (mf::is_floating_v<Key>) {
      constexpr double infinity = std::numeric_limits<double>::infinity();
      const double kinds[] = {0.0, -0.0, std::nan(""), -std::nan(""), infinity, -infinity, 5e-324};
      keys.push_back(static_cast<Key>(i % 2 == 0 ? kinds[own % 7] : inputs::spread_double(i, 9)));
    } else {
      Key key{};
      for (std::size_t b = 0; b < key.size(); ++b) {
        key[b] = static_cast<typename Key::value_type>(own % 50 == 0 ? own >> b : own % 4 * 70);
      }
      keys.push_back(key);
    }
  }
  const auto values = numbers_of<float>(keys.size());
  compare_groups(what, keys, values, group_hash{});
  compare_groups(std::string(what) + ", first", keys, values, group_hash{}, mf::key_order::first);
  compare_runs(std::string(what) + ", runs", keys, values, group_hash{});
}

}  // namespace gpu_tests
