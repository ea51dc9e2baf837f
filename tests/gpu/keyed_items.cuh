#pragma once
/// gpu/keyed_items: keys and values to group on a GPU, and comparisons with the CPU's groups.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "monofold/group_by.cuh"
#include "monofold/monofold.cuh"
#include "tests/gpu/device.cuh"
#include "tests/inputs/answer_bytes.hpp"
#include "tests/inputs/random.hpp"

namespace gpu_tests {

class gpu_group_by : public gpu_test {};

/// Not associative: another tree, another order of items or another index is another number.
struct group_hash {
  using state = std::uint32_t;
  template <class Item>
  MONOFOLD_HD state lift(const Item& x, std::int64_t index) const {
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(x)) * 31u +
           static_cast<std::uint32_t>(index) * 7u;
  }
  MONOFOLD_HD state combine(state l, state r) const { return l * 1000003u + (r ^ (r >> 7)); }
};

template <class Item>
std::vector<Item> numbers_of(std::size_t n, int binades = 12) {
  std::vector<Item> out;
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (std::is_integral_v<Item>) {
      out.push_back(static_cast<Item>(inputs::mixed(i)));
    } else {
      out.push_back(static_cast<Item>(inputs::spread_double(i, binades)));
    }
  }
  return out;
}

/// As many different keys as may be, in no order, on both sides of 0.
inline std::vector<std::int64_t> spread_keys(std::size_t n, std::uint64_t groups,
                                             std::int64_t step = 1) {
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < n; ++i) {
    out.push_back((static_cast<std::int64_t>(inputs::mixed(i + 77) % groups) -
                   static_cast<std::int64_t>(groups / 2)) *
                  step);
  }
  return out;
}

/// Runs of lengths around `length`.
inline std::vector<std::int32_t> run_keys(std::size_t n, std::size_t length) {
  std::vector<std::int32_t> out;
  for (std::uint64_t run = 0; out.size() < n; ++run) {
    const std::size_t own = 1 + inputs::mixed(run) % (2 * length - 1);
    const auto key = static_cast<std::int32_t>(run % 5) - 2;
    for (std::size_t i = 0; i < own && out.size() < n; ++i) out.push_back(key);
  }
  return out;
}

template <class T>
std::string raw_bytes(const std::vector<T>& values) {
  std::string out;
  for (const T& value : values) out.append(reinterpret_cast<const char*>(&value), sizeof(T));
  return out;
}

template <class Grouped, class Wanted>
[[gnu::noinline]] void expect_same_groups(const std::string& what, const Grouped& got,
                                          const Wanted& want) {
  ASSERT_EQ(got.keys.size(), want.keys.size()) << what;
  ASSERT_EQ(got.answers.size(), want.answers.size()) << what;
  ASSERT_EQ(raw_bytes(got.keys), raw_bytes(want.keys)) << what;
  for (std::size_t g = 0; g < want.answers.size(); ++g) {
    ASSERT_EQ(inputs::bytes_of(got.answers[g]), inputs::bytes_of(want.answers[g]))
        << what << ", group " << g << " of " << want.answers.size();
  }
}

/// Keys on the device; a vector of bools has no bools to copy.
template <class Key>
class device_keys {
 public:
  explicit device_keys(const std::vector<Key>& keys)
      : memory_(std::vector<held>(keys.begin(), keys.end())), count_(keys.size()) {}
  std::span<const Key> all() const {
    return {reinterpret_cast<const Key*>(memory_.data()), count_};
  }

 private:
  using held = std::conditional_t<std::is_same_v<Key, bool>, std::uint8_t, Key>;
  device_array<held> memory_;
  std::size_t count_;
};

template <class Key, class Item, class F>
void compare_groups(const std::string& what, const std::vector<Key>& keys,
                    const std::vector<Item>& values, const F& f,
                    mf::key_order order = mf::key_order::sorted) {
  const device_keys<Key> there(keys);
  const device_array<Item> device(values);
  expect_same_groups(
      what, mf::try_group_by(mf::gpu, there.all(), device.span(0, values.size()), f, order),
      mf::try_group_by(mf::cpu, keys, values, f, order));
}

template <class Key, class Item, class F>
void compare_runs(const std::string& what, const std::vector<Key>& keys,
                  const std::vector<Item>& values, const F& f) {
  const device_keys<Key> there(keys);
  const device_array<Item> device(values);
  expect_same_groups(what,
                     mf::try_reduce_by_key(mf::gpu, there.all(), device.span(0, values.size()), f),
                     mf::try_reduce_by_key(mf::cpu, keys, values, f));
}

inline const std::size_t many_items = is_slow ? 6000 : 100000;

/// One group, few, as many as items; around the tile of doubles.
template <class F>
void compare_shapes(const char* what, const F& f) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{511}, std::size_t{512},
                              std::size_t{513}, many_items}) {
    for (const std::uint64_t groups : {1, 7, 200, 1 << 30}) {
      if (is_slow && n == many_items && groups > 200) continue;
      SCOPED_TRACE(std::to_string(n) + " items, " + std::to_string(groups) + " keys");
      compare_groups(what, spread_keys(n, groups), numbers_of<double>(n), f);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// Groups in the order of their first items.
template <class F>
void compare_first(const char* what, const F& f) {
  for (const std::uint64_t groups : {1, 3, 300, 1 << 30}) {
    const std::size_t n = groups == 300 ? many_items : 2000;
    SCOPED_TRACE(std::to_string(n) + " items, " + std::to_string(groups) + " keys");
    compare_groups(what, spread_keys(n, groups, 1 << 20), numbers_of<double>(n), f,
                   mf::key_order::first);
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// Runs of neighbours, short and long.
template <class F>
void compare_lengths(const char* what, const F& f) {
  for (const std::size_t length : {1, 3, 100, 3000}) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{513}, many_items}) {
      SCOPED_TRACE(std::to_string(n) + " items in runs of " + std::to_string(length));
      compare_runs(what, run_keys(n, length), numbers_of<double>(n), f);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace gpu_tests
