#pragma once
/// gpu/top_items: orders of items that are hard for a search for the k best, and how answers compare.

#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "tests/gpu/device.cuh"
#include "tests/inputs/random.hpp"

namespace gpu_tests {

enum class item_order {
  any_bits,  // of floats also NaN, infinities, subnormals
  all_equal,
  all_nan,  // of integers: all the least
  ascending,
  descending,
  sawtooth,
  few_values,
  steps,       // ascending, hundreds of equal items each
  few_at_end,  // equal, then some better ones
  zeros,       // of both signs, and few NaN
};
inline constexpr int num_item_orders = 10;

/// What integers and floats of every width have alike: `value` where it fits.
template <class Item>
Item item_of_value(std::int64_t value) {
  if constexpr (std::is_same_v<Item, mf::bfloat16>) {
    // 2^16 and more neighbours: the upper half of a float counts in powers too.
    return Item{static_cast<std::uint16_t>(value)};
  } else if constexpr (std::is_same_v<Item, mf::float16>) {
    return Item{static_cast<std::uint16_t>(value)};
  } else {
    return static_cast<Item>(value);
  }
}

template <class Item>
Item ordered_item(item_order order, std::int64_t i, std::int64_t count) {
  const std::uint64_t random = inputs::mixed(static_cast<std::uint64_t>(i));
  switch (order) {
    case item_order::any_bits: {
      if constexpr (std::is_same_v<Item, bool>) return random % 2 != 0;
      Item out;
      std::memcpy(static_cast<void*>(&out), &random, sizeof(Item));
      return out;
    }
    case item_order::all_equal: return item_of_value<Item>(1);
    case item_order::all_nan:
      if constexpr (requires { Item{}.bits; }) {
        return Item{static_cast<std::uint16_t>(0x7fff - i % 2 * 0x10 + i % 3 / 2 * 0x8000)};
      } else if constexpr (std::is_floating_point_v<Item>) {
        return i % 2 == 0 ? std::numeric_limits<Item>::quiet_NaN()
                          : -std::numeric_limits<Item>::quiet_NaN();
      } else {
        return std::numeric_limits<Item>::min();
      }
    case item_order::ascending: return item_of_value<Item>(i);
    case item_order::descending: return item_of_value<Item>(count - i);
    case item_order::sawtooth: return item_of_value<Item>(i % 257);
    case item_order::few_values: return item_of_value<Item>(static_cast<std::int64_t>(random % 7));
    case item_order::steps: return item_of_value<Item>(i >> 9);
    case item_order::few_at_end: return item_of_value<Item>(i + 50 > count ? 3 : 2);
    case item_order::zeros:
      if (i % 11 == 3) return ordered_item<Item>(item_order::all_nan, i, count);
      if constexpr (requires { Item{}.bits; }) {
        return Item{static_cast<std::uint16_t>(random % 2 * 0x8000)};
      } else if constexpr (std::is_floating_point_v<Item>) {
        return random % 2 == 0 ? Item{0} : -Item{0};
      } else {
        return Item{0};
      }
  }
  return Item{};
}

/// The bytes of such items, since there is no array in a std::vector<bool>.
template <class Item>
std::vector<char> ordered_items(item_order order, std::int64_t count) {
  std::vector<char> out(static_cast<std::size_t>(count) * sizeof(Item));
  for (std::int64_t i = 0; i < count; ++i) {
    const Item item = ordered_item<Item>(order, i, count);
    std::memcpy(out.data() + static_cast<std::size_t>(i) * sizeof(Item), &item, sizeof(Item));
  }
  return out;
}

template <class Item>
std::span<const Item> items_in(const char* bytes, std::size_t from, std::size_t count) {
  return {reinterpret_cast<const Item*>(bytes) + from, count};
}

/// Indices, and the bits of values.
template <class Item>
bool same_answer(const mf::top_answer<Item>& a, const mf::top_answer<Item>& b) {
  if (a.indices != b.indices || a.values.size() != b.values.size()) return false;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    const Item x = a.values[i];
    const Item y = b.values[i];
    if (std::memcmp(&x, &y, sizeof(Item)) != 0) return false;
  }
  return true;
}

/// The CPU engine and the GPU engine say the same.
template <class Item, class F>
void expect_same_top(const char* what, const F& f, std::span<const Item> host,
                     std::span<const Item> device) {
  const auto want = mf::try_reduce(mf::cpu, host, f);
  const auto got = mf::try_reduce(mf::gpu, device, f);
  ASSERT_EQ(got.code(), want.code()) << what << ", n = " << host.size() << ", k = " << f.k;
  if (want) {
    ASSERT_TRUE(same_answer(*got, *want))
        << what << ", n = " << host.size() << ", k = " << f.k << ", offset "
        << reinterpret_cast<std::uintptr_t>(device.data()) % 16;
  }
}

}  // namespace gpu_tests
